package org.octofs.rpc.rpc;

import org.octofs.rpc.protocol.MessageBuffer;

/**
 * One call: claimed by {@link RpcClient#begin}, filled, sent, awaited, closed.
 *
 * <pre>{@code
 * try (RpcCall call = client.begin(OP_STAT, StatRequest.SIZE_BYTES, deadlineNanos)) {
 *     statRequest.wrap(call.request()).inode(inode);
 *     call.send(StatRequest.SIZE_BYTES);
 *     if (call.await() == 0) { read(call.reply()); }
 * }
 * }</pre>
 *
 * Threading: belongs to one thread at a time. Ownership: the buffers are valid until {@link #close}; the object is reused
 * for a later call then, so keep no reference. Allocates nothing.
 */
public interface RpcCall extends AutoCloseable {
    /** The body to fill, of the size given to {@code begin}; its content is undefined. Valid until {@code send}. */
    MessageBuffer request();

    /** Unique to the client; the same for every resend of this call. */
    long requestId();

    /** The slot that the call occupies; the server sees the same number. */
    int slot();

    /**
     * Puts another map epoch into the request than the client's current one.
     *
     * @param mapEpoch u32; 0 exempts the request from the server's check
     */
    RpcCall mapEpoch(int mapEpoch);

    /**
     * Sends the request. Returns at once, even when there is no connection at the moment: the request then goes out when
     * there is one again, if that is before its deadline. A request that needs a larger slot than it finds goes out when the
     * server has provided one, which is noticed while somebody waits for a reply or polls.
     *
     * @param bodyBytes how much of {@link #request} is the message
     */
    void send(int bodyBytes);

    /**
     * Waits for the reply: spins briefly, then parks.
     *
     * @return errno of the outcome, 0 = success
     * @throws RpcTimeoutException if the deadline passes first
     * @throws RpcClosedException if the client is closed meanwhile
     */
    int await() throws RpcException;

    /**
     * As {@link #await}, for a reply that the server holds back until something happens: does not spin, and leaves the queue to those who
     * wait for ordinary replies, at the price of getting its own up to a millisecond later while they do.
     */
    default int awaitPatiently() throws RpcException {
        return await();
    }

    /**
     * Sends the request and has its outcome reported by {@code completion}, see there. The deadline holds: when it passes,
     * the next poll reports an {@link RpcTimeoutException}.
     */
    void sendAsync(int bodyBytes, RpcCompletion completion);

    /** Errno of the outcome, 0 = success; only after the reply has come. */
    int errno();

    /** The server's map epoch when it replied; only after the reply has come. */
    int replyMapEpoch();

    /** Body of the reply, exactly as long as it was sent; only after the reply has come. */
    MessageBuffer reply();

    /**
     * Gives the slot back. A call without a reply keeps its slot occupied behind the scenes until the server has
     * answered, since the server may still read the request.
     */
    @Override
    void close();
}
