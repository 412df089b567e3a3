package org.octofs.server.ops;

import org.octofs.rpc.rpc.RpcRequest;

/** NULL: nothing but a sign of life. Never fails. */
public final class NullHandler implements OperationHandler {
    @Override
    public void handle(RpcRequest request, ServerState state) {
        request.send(0, 0);
    }
}
