package org.octofs.server.ops;

import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.message.LookupRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.namespace.Name;
import org.octofs.server.store.InodeRecord;

/**
 * LOOKUP: what a name stands for. Answers ENOENT (with the directory's version, so that the absence can be cached), ENOTDIR,
 * ENAMETOOLONG, EINVAL (bad name), ESTALE (no such directory), ENOT_HOME.
 */
public final class LookupHandler implements OperationHandler {
    private final LookupRequest message = new LookupRequest();
    private final InodeRecord parent = new InodeRecord();
    private final Name name = new Name();
    private final Replies replies = new Replies();

    @Override
    public void handle(RpcRequest request, ServerState state) {
        message.wrap(request.body());
        long parentIno = message.parent();
        OperationException.check(name.read(request.body(), message.nameOffset(), message.nameLength()));
        state.requireDirectory(parentIno, parent);
        int dentry = state.dentries().find(parentIno, name);
        if (dentry == 0) {
            replies.sendEntry(request, state, Errno.ENOENT.value, parentIno, 0, 0, 0);
            return;
        }
        long ino = state.dentries().child(dentry);
        state.requireUnlocked(ino);
        replies.sendEntry(request, state, 0, parentIno, ino, state.dentries().type(dentry), 0);
    }
}
