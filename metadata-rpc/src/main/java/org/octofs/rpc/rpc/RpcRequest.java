package org.octofs.rpc.rpc;

import org.octofs.rpc.protocol.MessageBuffer;

/**
 * A request as the server sees it. May be kept and answered later; has to be answered exactly once.
 *
 * <p>Threading: confined to the server's worker thread. Ownership: valid until {@link #send}, then the object is reused
 * for the slot's next request. Allocates nothing.
 */
public interface RpcRequest {
    int opCode();

    /** Identity of the calling client, u64. */
    long clientId();

    /** Unique to the client and strictly increasing per slot. */
    long requestId();

    int slot();

    /** Map epoch that the client acted on; 0 if it knows none. Never older than the server's. */
    int mapEpoch();

    /** True if the request may have been executed before, in an earlier life of this server. */
    boolean isResend();

    /** When the caller gives up, on the server's clock, nanoseconds. */
    long deadlineNanos();

    /** The session of the caller, connected or not. */
    RpcSession session();

    /**
     * Body of the request, exactly as long as the sender declared it. The sender can still write there if it is hostile:
     * read a length or an index once, into a local variable, before it is checked and used. Valid until {@link #reply}'s
     * result is sent.
     */
    MessageBuffer body();

    /**
     * The body of the reply to fill; its content is undefined. Request and reply do not overlap. May be called again
     * (with another size) before {@code send}.
     *
     * @param maxBodyBytes room wanted
     * @throws IllegalArgumentException if that is more than {@link RpcLimits#BODY_BYTES_MAX}
     */
    MessageBuffer reply(int maxBodyBytes);

    /**
     * Answers. The reply also goes into the reply cache; while the client is not connected, it goes only there.
     *
     * @param errno outcome, 0 = success
     * @param bodyBytes how much of {@link #reply}'s result is the body; 0 needs no call of {@code reply}
     */
    void send(int errno, int bodyBytes);
}
