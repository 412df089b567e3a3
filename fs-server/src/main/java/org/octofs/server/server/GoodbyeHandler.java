package org.octofs.server.server;

import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.ops.OperationHandler;
import org.octofs.server.ops.ServerState;
import org.octofs.server.session.ClientSession;
import org.octofs.server.session.Sessions;

/** GOODBYE: the client ends its session and everything it holds is free. Never fails. */
final class GoodbyeHandler implements OperationHandler {
    private final Sessions sessions;

    GoodbyeHandler(Sessions sessions) {
        this.sessions = sessions;
    }

    @Override
    public void handle(RpcRequest request, ServerState state) {
        ClientSession session = state.session(request);
        // The answer first: the end of the session closes the connection.
        request.send(0, 0);
        if (session != null && !session.isServer()) {
            sessions.goodbye(session);
        }
    }
}
