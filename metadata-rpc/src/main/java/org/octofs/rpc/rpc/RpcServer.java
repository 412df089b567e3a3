package org.octofs.rpc.rpc;

/** Placeholder of the answering side; its API is completed as soon as the fabric's interfaces exist. */
public interface RpcServer extends AutoCloseable {
    /**
     * Accepts connections, serves requests, notices lost sessions. Only by the worker thread.
     *
     * @param limit requests handled at most
     * @return how much was done; 0 = nothing to do
     */
    int poll(int limit);

    /**
     * Waits until there may be something to poll: spins briefly, then parks.
     *
     * @return false if {@code deadlineNanos} passed with nothing to do
     */
    boolean await(long deadlineNanos);

    /** Ends a wait, from any thread. */
    void wakeup();

    /** From now on, requests that name an older epoch are answered {@code ESTALE_EPOCH}. */
    void setMapEpoch(int mapEpoch);

    /** Forgets a client: its connection is closed, its slots, reply cache and session index are free. */
    void endSession(long clientId);

    /** The session of a client, or null if there is none. */
    RpcSession session(long clientId);

    @Override
    void close();
}
