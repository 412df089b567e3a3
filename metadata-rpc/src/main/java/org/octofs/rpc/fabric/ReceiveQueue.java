package org.octofs.rpc.fabric;

/**
 * Where the peers of attached connections make themselves heard: arrived immediates, incoming connections of attached
 * listeners, failed connections.
 *
 * <p>Threading: {@link #poll}, {@link #await} and {@link #sleep} by one thread at a time (hand the role over under a lock);
 * {@link #wakeup} from any. Limits: holds a fixed number of arrivals ({@link FabricConfig#receiveQueueEntries}); a
 * sender that finds it full waits for a bounded time and then fails its connection, as a real one does when its peer
 * has no receive buffers.
 */
public interface ReceiveQueue extends AutoCloseable {
    /**
     * Delivers what has arrived: calls the receivers, the acceptors and the failure callbacks in this thread.
     *
     * @param limit most arrivals to deliver
     * @return number of deliveries; 0 when there was nothing
     */
    int poll(int limit);

    /**
     * Waits until there is something to poll, or {@link #wakeup} was called: spins for the configured time, then parks.
     *
     * <p>Does not react to {@link Thread#interrupt}; use {@link #wakeup}.
     *
     * @param deadlineNanos on the fabric's clock
     * @return false when the deadline passed or the queue is closed
     */
    boolean await(long deadlineNanos);

    /** As {@link #await}, but parks at once: for who expects to wait long. */
    default boolean sleep(long deadlineNanos) {
        return await(deadlineNanos);
    }

    /** Makes the current or the next {@link #await} or {@link #sleep} return true at once. */
    void wakeup();

    /** Fails the connections that are still attached and frees the queue. Idempotent. */
    @Override
    void close();
}
