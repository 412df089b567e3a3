package org.octofs.rpc.rpc;

/** Placeholder of the calling side; its API is completed as soon as the fabric's interfaces exist. */
public interface RpcClient extends AutoCloseable {
    /**
     * Claims a slot for a call, waiting for a free one if all are in flight.
     *
     * @param opCode 1 to 65535
     * @param maxRequestBytes size of the body to fill, at most {@link RpcLimits#BODY_BYTES_MAX}
     * @param deadlineNanos on the fabric's clock; the whole call ends then
     * @throws RpcTimeoutException if no slot becomes free in time; nothing was sent
     * @throws RpcClosedException if the client is closed
     */
    RpcCall begin(int opCode, int maxRequestBytes, long deadlineNanos) throws RpcException;

    /**
     * Delivers the completions of asynchronous calls.
     *
     * @return how many messages were taken
     */
    int poll();

    /** The epoch that later calls carry. */
    void setMapEpoch(int mapEpoch);

    boolean isConnected();

    @Override
    void close();
}
