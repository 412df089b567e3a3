package org.octofs.client.lease;

/**
 * A home that did not answer in time is not asked for leases for a while, longer each time: a call without an answer keeps its slot, and
 * the slots are for those who need an answer. Guarded by the lock of its {@link HomeLeases}.
 */
final class Silence {
    private static final long NANOS_MIN = 50_000_000L;
    private static final long NANOS_MAX = 5_000_000_000L;

    private boolean lasts;
    private long untilNanos;
    private long nextNanos = NANOS_MIN;

    boolean lasts(long now) {
        lasts &= now - untilNanos < 0;
        return lasts;
    }

    /** There was no answer. */
    void begin(long now) {
        lasts = true;
        untilNanos = now + nextNanos;
        nextNanos = Math.min(2 * nextNanos, NANOS_MAX);
    }

    /** There was an answer. */
    void end() {
        lasts = false;
        nextNanos = NANOS_MIN;
    }
}
