package org.octofs.server.ops;

import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.message.LinkRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.namespace.Name;
import org.octofs.server.session.RecordedReply;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.MetaTransaction;
import org.octofs.server.store.RecordType;

/**
 * LINK: one more name for a file; durable when answered. Answers EEXIST, EPERM (a directory), EMLINK, ENOENT (file or directory
 * have been removed), ENOTDIR, ENAMETOOLONG, EINVAL (name), ENOSPC, ESTALE, ENOT_HOME.
 */
public final class LinkHandler implements OperationHandler {
    private final LinkRequest message = new LinkRequest();
    private final InodeRecord parent = new InodeRecord();
    private final InodeRecord current = new InodeRecord();
    private final Name name = new Name();
    private final Replies replies = new Replies();
    private final InodeChanges changes;

    /** With the shared side effects. */
    public LinkHandler(InodeChanges changes) {
        this.changes = changes;
    }

    @Override
    public void handle(RpcRequest request, ServerState state) {
        message.wrap(request.body());
        long parentIno = message.parent();
        long ino = message.ino();
        OperationException.check(name.read(request.body(), message.nameOffset(), message.nameLength()));
        state.requireLiveDirectory(parentIno, parent);
        if (state.dentries().find(parentIno, name) != 0) {
            throw OperationException.of(Errno.EEXIST);
        }
        if (!state.isHome(ino)) {
            state.transactions().link(request, state);
            return;
        }
        state.require(ino, current);
        OperationException.check(mayLink(current));
        MetaTransaction tx = state.begin(RecordType.NAMESPACE);
        InodeRecord inode = state.inodes().edit(tx, ino);
        int type = FileMode.type(inode.mode());
        state.dentries().insert(tx, parentIno, name, ino, type);
        changes.nameGained(tx, inode);
        changes.entryChanged(state.inodes().edit(tx, parentIno), 1, 0);
        state.commit(request, 0, ino, parentIno);
        replies.sendEntry(request, state, 0, parentIno, ino, type, 0);
    }

    /** Whether an inode may get one more name. */
    public static Errno mayLink(InodeRecord inode) {
        if (inode.isDirectory()) {
            return Errno.EPERM;
        }
        if (inode.nlink() == 0 && (inode.flags() & InodeLayout.FLAG_LINKABLE) == 0) {
            return Errno.ENOENT;
        }
        return inode.nlink() >= InodeChanges.LINK_MAX ? Errno.EMLINK : Errno.OK;
    }

    @Override
    public void answerAgain(RpcRequest request, ServerState state, RecordedReply recorded) {
        int type = state.isHome(recorded.ino()) && state.inodes().find(recorded.ino(), current)
                ? FileMode.type(current.mode())
                : FileMode.REGULAR;
        replies.sendEntryAgain(request, state, recorded.extra(), recorded.ino(), type, 0);
    }
}
