package org.octofs.client.bench;

/**
 * How a bench process waits that nothing can wake, or that waits for the operating system: as the fabric does, it looks for a while
 * and lets others have the processor then. One thread.
 */
final class PeerWait {
    private static final long BRIEF_NANOS = 20_000;
    private static final long LOOK_NANOS = 1_000_000;

    private long since;

    /** There was something to do. */
    void worked() {
        since = 0;
    }

    /** There was nothing; answers whether it has been so for long enough to sleep, where sleeping is possible. */
    @SuppressWarnings("ThreadPriorityCheck") // a hint is all that is wanted
    boolean pause() {
        long now = System.nanoTime();
        if (since == 0) {
            since = now;
        }
        if (now - since < BRIEF_NANOS) {
            Thread.onSpinWait();
        } else {
            Thread.yield();
        }
        return now - since > LOOK_NANOS;
    }
}
