package org.octofs.server.ops;

import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.message.LookupRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.namespace.Name;
import org.octofs.server.session.RecordedReply;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.MetaTransaction;
import org.octofs.server.store.RecordType;

/**
 * UNLINK: takes a name away from a file; durable when answered. The last name frees the file, at once or, while somebody has
 * it open, later. Answers ENOENT, EISDIR, ENOTDIR, ENAMETOOLONG, EINVAL (name), ESTALE, ENOT_HOME.
 */
public final class UnlinkHandler implements OperationHandler {
    private final LookupRequest message = new LookupRequest();
    private final InodeRecord parent = new InodeRecord();
    private final Name name = new Name();
    private final Replies replies = new Replies();
    private final InodeChanges changes;

    /** With the shared side effects. */
    public UnlinkHandler(InodeChanges changes) {
        this.changes = changes;
    }

    @Override
    public void handle(RpcRequest request, ServerState state) {
        message.wrap(request.body());
        long parentIno = message.parent();
        OperationException.check(name.read(request.body(), message.nameOffset(), message.nameLength()));
        state.requireDirectory(parentIno, parent);
        int dentry = state.dentries().find(parentIno, name);
        if (dentry == 0) {
            throw OperationException.of(Errno.ENOENT);
        }
        if (state.dentries().type(dentry) == FileMode.DIRECTORY) {
            throw OperationException.of(Errno.EISDIR);
        }
        long ino = state.dentries().child(dentry);
        if (!state.isHome(ino)) {
            state.transactions().unlink(request, state);
            return;
        }
        state.requireUnlocked(ino);
        MetaTransaction tx = state.begin(RecordType.NAMESPACE);
        state.dentries().remove(tx, dentry);
        changes.dropName(tx, state.inodes().edit(tx, ino));
        changes.entryChanged(state.inodes().edit(tx, parentIno), -1, 0);
        state.commit(request, 0, ino, parentIno);
        replies.sendChange(request, state, ino, 0, parentIno, parentIno);
    }

    @Override
    public void answerAgain(RpcRequest request, ServerState state, RecordedReply recorded) {
        replies.sendChangeAgain(request, recorded.ino(), 0);
    }
}
