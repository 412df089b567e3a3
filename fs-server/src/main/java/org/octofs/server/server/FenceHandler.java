package org.octofs.server.server;

import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.ops.OperationException;
import org.octofs.server.ops.OperationHandler;
import org.octofs.server.ops.ServerState;
import org.octofs.server.session.ClientSession;
import org.octofs.server.session.Sessions;

/**
 * FENCE, between servers: a client is dead or late; its connection here ends, and with it its access to this node's memory.
 * The body is the u64 client id. Answers EAGAIN while something of the client may still store into this node's pool, EPERM to
 * anybody but a server.
 */
final class FenceHandler implements OperationHandler {
    private final Sessions sessions;

    FenceHandler(Sessions sessions) {
        this.sessions = sessions;
    }

    @Override
    public void handle(RpcRequest request, ServerState state) {
        ClientSession asking = state.session(request);
        if (asking == null || !asking.isServer()) {
            throw OperationException.of(Errno.EPERM);
        }
        boolean done = sessions.fence(request.body().getU64(0));
        request.send(done ? 0 : Errno.EAGAIN.value, 0);
    }
}
