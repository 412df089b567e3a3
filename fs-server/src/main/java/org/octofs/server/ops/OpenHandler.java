package org.octofs.server.ops;

import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.message.OpenRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.session.ClientSession;
import org.octofs.server.store.InodeRecord;

/**
 * OPEN: registers one open, so that the inode outlives its names, and answers its image. Answers EISDIR, ELOOP (a
 * symbolic link), ENXIO (what has no data), ESTALE (no such inode, or about to be freed), ENOT_HOME.
 */
public final class OpenHandler implements OperationHandler {
    private final OpenRequest message = new OpenRequest();
    private final InodeRecord inode = new InodeRecord();
    private final Replies replies = new Replies();

    @Override
    public void handle(RpcRequest request, ServerState state) {
        long ino = message.wrap(request.body()).ino();
        state.requireRegular(ino, inode);
        if (inode.nlink() == 0 && !state.opens().isOpen(ino) && !state.orphans().isWhole(ino)) {
            // Nobody holds it, and its end has begun.
            throw OperationException.of(Errno.ESTALE);
        }
        ClientSession session = state.session(request);
        if (session != null) {
            state.opens().open(session, ino, 1);
            state.orphans().opened(ino);
        }
        replies.sendInode(request, state, inode.slotOffset());
    }
}
