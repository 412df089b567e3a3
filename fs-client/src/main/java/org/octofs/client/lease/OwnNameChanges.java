package org.octofs.client.lease;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Directories of which this client is removing or moving names. What is looked up there meanwhile is not kept: the kernel need not hear
 * how it ends, if whoever asked for it was killed; and names that are moved take along what was kept of them.
 *
 * <p>Threading: any thread. Directories share places, which costs some of them a moment of keeping.
 */
final class OwnNameChanges {
    private static final int PLACES = 1024;

    private final AtomicIntegerArray underWay = new AtomicIntegerArray(PLACES);
    private final AtomicLongArray ended = new AtomicLongArray(PLACES);

    OwnNameChanges(long nowNanos) {
        for (int i = 0; i < PLACES; i++) {
            ended.set(i, nowNanos);
        }
    }

    void begin(long directory) {
        underWay.incrementAndGet(place(directory));
    }

    void end(long directory, long nowNanos) {
        int place = place(directory);
        ended.accumulateAndGet(place, nowNanos, (a, b) -> a - b > 0 ? a : b);
        underWay.decrementAndGet(place);
    }

    /** Whether there was a change at any time since then. */
    boolean since(long directory, long nanos) {
        int place = place(directory);
        return underWay.get(place) > 0 || nanos - ended.get(place) <= 0;
    }

    private static int place(long directory) {
        return (int) ((directory * 0x9E37_79B9_7F4A_7C15L) >>> 40) & (PLACES - 1);
    }
}
