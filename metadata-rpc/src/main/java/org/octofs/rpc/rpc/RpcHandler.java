package org.octofs.rpc.rpc;

/**
 * What an {@link RpcServer} serves. Every method is called by the server's worker thread, and none may block.
 */
public interface RpcHandler {
    /**
     * Executes a request, now or later, and answers it with {@link RpcRequest#send}. An exception thrown from here is
     * logged and answered {@code EIO}, unless the request was answered before; a {@code ProtocolException} is answered
     * {@code EPROTO}.
     */
    void handle(RpcRequest request);

    /**
     * Asked instead of {@link #handle} for a request that is flagged as a resend while this server has no memory of it in
     * its reply cache, that is, when the server has restarted since: it may have been executed in an earlier life.
     *
     * @return true if the request was recognised as executed and {@code request.send} has been called with the old
     *     outcome (or will be); false to have it executed as new
     */
    default boolean recoverReply(RpcRequest request) {
        return false;
    }

    /**
     * A client wants to connect, for the first time or again.
     *
     * @param hello what the client's user gave as its hello, at most {@link RpcLimits#HELLO_BYTES_MAX} bytes
     * @return the answer for the client's user (the exported regions, say), at most as long
     * @throws RpcRejectedException to refuse the connection; the message reaches the client's user
     */
    byte[] sessionOpened(RpcSession session, byte[] hello) throws RpcRejectedException;

    /**
     * The connection that {@link #sessionOpened} has agreed to stands, {@link RpcSession#connection} answers it, and the
     * client does not know yet: the place to grant memory regions.
     */
    default void sessionConnected(RpcSession session) {}

    /**
     * The session's connection has failed or was closed. The session stays, its client may come back; requests in work
     * go on, and their replies wait in the cache.
     */
    void sessionLost(RpcSession session);
}
