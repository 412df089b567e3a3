package org.octofs.server.ops;

import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.session.RecordedReply;

/** Executes one kind of operation. Stateless but for flyweights; called by the worker only. */
public interface OperationHandler {
    /**
     * Executes the request and answers it exactly once, now or later.
     *
     * @throws OperationException to have the open transaction aborted and an errno answered
     * @throws ObjectLockedException to be called again later; nothing may have been changed yet
     * @throws org.octofs.rpc.protocol.ProtocolException if the body cannot be what it claims: EPROTO is answered
     */
    void handle(RpcRequest request, ServerState state);

    /**
     * Answers a resend of a request that was executed, and made durable, before this server restarted. Images and versions
     * in the answer are the present ones.
     */
    default void answerAgain(RpcRequest request, ServerState state, RecordedReply recorded) {
        request.send(recorded.status(), 0);
    }
}
