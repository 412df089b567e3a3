package org.octofs.server.lease;

import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.message.LeaseKind;
import org.octofs.rpc.protocol.message.LeaseRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.ops.OperationException;
import org.octofs.server.ops.OperationHandler;
import org.octofs.server.ops.ServerState;
import org.octofs.server.store.InodeRecord;

/**
 * LEASE: the client's kernel is going to keep attributes of an inode, or names of a directory. Nothing is durable. Answers EAGAIN
 * (it is being changed; without a lease it goes, too), ESTALE (no such inode, or the client has not begun with RECALLS), EINVAL
 * (kind), ENOTDIR, ENOT_HOME.
 */
public final class LeaseHandler implements OperationHandler {
    private final LeaseRequest message = new LeaseRequest();
    private final InodeRecord inode = new InodeRecord();

    @Override
    public void handle(RpcRequest request, ServerState state) {
        message.wrap(request.body());
        long ino = message.ino();
        int kind = message.kind();
        if (kind != LeaseKind.ATTRIBUTES && kind != LeaseKind.NAMES) {
            throw OperationException.of(Errno.EINVAL);
        }
        if (state.isHome(ino) && state.locks().isLocked(ino)) {
            throw OperationException.of(Errno.EAGAIN);
        }
        if (kind == LeaseKind.NAMES) {
            state.requireDirectory(ino, inode);
        } else {
            state.require(ino, inode);
        }
        OperationException.check(state.leases().grant(request.clientId(), ino, kind));
        request.send(0, 0);
    }
}
