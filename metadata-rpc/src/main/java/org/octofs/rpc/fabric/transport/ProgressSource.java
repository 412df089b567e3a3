package org.octofs.rpc.fabric.transport;

/**
 * A transport that needs a thread of this process to bring arrivals to a queue, and lets the queue's own thread do it, so
 * that there is no hop. At most one per transport and queue.
 */
public interface ProgressSource {
    /**
     * Brings what is there without blocking; called by the thread that polls while it finds nothing else.
     *
     * @return how much was done; 0 for nothing
     */
    int progress();

    /**
     * Parks the queue's thread until {@link #progress} may find something, {@link #wakeup} was called (also just
     * before), or the deadline has passed. Only called when nobody else can bring arrivals to the queue; otherwise the
     * queue parks by itself, and the source has to bring its arrivals by a thread of its own.
     *
     * @return false when nothing will come before somebody acts (a simulation at rest): the queue stops waiting
     */
    boolean await(long deadlineNanos);

    /**
     * The queue's thread is about to park by itself: from now on the source has to bring arrivals by a thread of its own,
     * and what is there by now has been brought when this returns.
     */
    default void beforePark() {}

    /** The queue's thread has woken up. */
    default void afterPark() {}

    /** Ends the current or the next {@link #await}. Any thread. */
    void wakeup();
}
