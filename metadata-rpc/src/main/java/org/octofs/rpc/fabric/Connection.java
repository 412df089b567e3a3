package org.octofs.rpc.fabric;

import java.util.Set;

/**
 * One end of a reliable connection to a peer's memory.
 *
 * <p>Order: requests posted on one connection take effect at the peer in the order posted; a READ posted after a WRITE
 * sees it, an immediate arrives after everything posted before it. Posts of different threads at the same time have no
 * order among each other.
 *
 * <p>Failure: a connection fails as a whole. Everything outstanding completes with
 * {@link WorkStatus#CONNECTION_FAILED} and has an unknown outcome; later posts complete so at once. A request that the
 * peer's memory does not allow completes with its error and fails the connection.
 *
 * <p>Threading: all methods from any thread. Durability: none; a completed WRITE is visible at the peer, not durable.
 */
public interface Connection extends AutoCloseable {
    /** The transport chosen at connect. */
    TransportKind transport();

    /** What the peer sent with its connect or its accept: at most {@link Fabric#PRIVATE_DATA_BYTES_MAX} bytes, a copy. */
    byte[] peerPrivateData();

    /** The process at the other end. */
    PeerProcess peerProcess();

    /** State now. Turns FAILED before {@link #onFailure} runs. */
    ConnectionState state();

    /** Why the connection failed, in words; empty while it has not. */
    String failureReason();

    /** Sets who gets the immediates of this connection. Set it before the peer can send the first. */
    void receiver(ImmediateReceiver receiver);

    /**
     * Sets what runs once when the connection fails (not when this side closes it), inside {@link ReceiveQueue#poll} of
     * its queue and after the arrivals that came before. If it has failed already, at the next poll. No immediate is
     * delivered afterwards.
     */
    void onFailure(Runnable action);

    /** Posts one request; never blocks for the peer's answer. A failed connection completes it at once. */
    void post(WorkRequest request);

    /** Posts requests {@code [from, from + count)} in order, cheaper than one by one. */
    void post(WorkRequest[] requests, int from, int count);

    /** Drives the transport for a moment, without a look at the clock, and answers whether the request is done now. */
    default boolean progress(WorkRequest request) {
        return request.isDone();
    }

    /**
     * Waits until the request is done: spins, then parks. The waiting thread drives the transport where that saves a
     * hop.
     *
     * @param deadlineNanos on the fabric's clock
     * @throws FabricException if it was not successful (CONNECTION_FAILED, REMOTE_ERROR), or the deadline passed
     *     (TIMEOUT: the request stays outstanding and its memory in use until the connection is closed)
     */
    void await(WorkRequest request, long deadlineNanos) throws FabricException;

    /** Lets the peer use a region with all the access that the region has. */
    default void grant(MemoryRegion region) {
        grant(region, region.access());
    }

    /**
     * Lets the peer use a region: the peer may use its rkey as soon as it hears of it. Replaces an earlier grant of the
     * region on this connection.
     *
     * @param access at most {@link MemoryRegion#access}; for shm peers read-only is a read-only mapping
     * @throws IllegalArgumentException if the access is more than the region has, or a shm peer cannot reach it (it was
     *     registered without a file)
     */
    void grant(MemoryRegion region, Set<Access> access);

    /**
     * Takes a grant back: operations that begin after this fail the connection. Those of a shm peer that were already
     * running may still finish, see {@link #isQuiet}. Unknown regions are ignored.
     */
    void revoke(MemoryRegion region);

    /**
     * True when no operation that the peer had begun before the last revoke, renew or failure is still running on our
     * memory. Memory taken from a peer may be given to somebody else only then. Does not block; ask again. A peer that
     * died mid-operation makes it true once its death is known. Goes on to work after {@link #close}.
     */
    boolean isQuiet();

    /** Ends the connection; outstanding requests complete with CONNECTION_FAILED, the peer sees a failure. Idempotent. */
    @Override
    void close();
}
