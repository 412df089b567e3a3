package org.octofs.server.ops;

import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.message.CreateRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.namespace.Name;
import org.octofs.server.session.RecordedReply;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.MetaTransaction;
import org.octofs.server.store.RecordType;

/**
 * MKDIR: a new directory, in a shard chosen by hash so that the tree spreads; durable when answered. Answers EEXIST, EINVAL
 * (name), ENOTDIR, ENOENT (the directory was removed), ENAMETOOLONG, EMLINK, ENOSPC, ESTALE, ENOT_HOME.
 */
public final class MkdirHandler implements OperationHandler {
    private final CreateRequest message = new CreateRequest();
    private final InodeRecord parent = new InodeRecord();
    private final Name name = new Name();
    private final Replies replies = new Replies();
    private final InheritedLists lists = new InheritedLists();
    private final InodeChanges changes;

    /** With the shared side effects. */
    public MkdirHandler(InodeChanges changes) {
        this.changes = changes;
    }

    @Override
    public void handle(RpcRequest request, ServerState state) {
        message.wrap(request.body());
        long parentIno = message.parent();
        OperationException.check(name.read(request.body(), message.nameOffset(), message.nameLength()));
        state.requireLiveDirectory(parentIno, parent);
        if (state.dentries().find(parentIno, name) != 0) {
            throw OperationException.of(Errno.EEXIST);
        }
        if (parent.nlink() >= InodeChanges.LINK_MAX) {
            throw OperationException.of(Errno.EMLINK);
        }
        int shard = shardFor(parentIno, name, state.map().shardCount());
        if (state.map().homeOf(shard) != state.nodeId()) {
            state.transactions().mkdir(request, state, shard);
            return;
        }
        MetaTransaction tx = state.begin(RecordType.NAMESPACE);
        InodeRecord inode = state.inodes().create(tx, shard);
        long ino = inode.ino();
        InodeRecord directory = state.inodes().edit(tx, parentIno);
        int mode = FileMode.DIRECTORY | (message.mode() & FileMode.PERMISSIONS);
        int granted = lists.begin(state, directory, mode, message.flags() >>> CreateHandler.UMASK_SHIFT);
        changes.initialise(inode, directory, granted, message.uid(), message.gid(), 0);
        lists.store(tx, state, inode);
        state.dentries().insert(tx, parentIno, name, ino, FileMode.DIRECTORY);
        changes.entryChanged(directory, 1, 1);
        state.commit(request, 0, ino, parentIno);
        replies.sendEntry(request, state, 0, parentIno, ino, FileMode.DIRECTORY, 0);
    }

    /** The shard for a new directory: spread by name and parent, the same whenever it is asked. */
    public static int shardFor(long parentIno, Name name, int shardCount) {
        return (int) (((name.placementHash(parentIno) & 0xFFFF_FFFFL) * shardCount) >>> 32);
    }

    @Override
    public void answerAgain(RpcRequest request, ServerState state, RecordedReply recorded) {
        // Whether the client had passed the lists on before is not known; once more does no harm.
        boolean inherits = state.inodes().find(recorded.extra(), parent) && lists.hasDefault(state, parent);
        int flags = inherits ? Replies.ENTRY_INHERITS : 0;
        replies.sendEntryAgain(request, state, recorded.extra(), recorded.ino(), FileMode.DIRECTORY, flags);
    }
}
