package org.octofs.client.bench;

import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/**
 * Repeats one operation for a while and records how long each took. One caller, back to back: these are service times,
 * the limits that other figures are compared with, not latencies under load.
 */
final class Meter {
    private static final long LONGEST_NANOS = 10_000_000_000L;
    private static final int DIGITS = 3;
    private static final int TURNS = 10;

    private final LongSupplier clock;
    private final long warmUpNanos;
    private final long measureNanos;

    Meter(LongSupplier clock, long warmUpNanos, long measureNanos) {
        this.clock = clock;
        this.warmUpNanos = warmUpNanos;
        this.measureNanos = measureNanos;
    }

    /** One operation; {@code index} counts from 0 over warm-up and measurement. */
    @FunctionalInterface
    interface Operation {
        void run(long index) throws Exception;
    }

    /** An operation that has to be undone before it can be repeated; undoing it is not measured. */
    interface Undone extends Operation {
        /** Undoes the operation of this index. */
        void undo(long index) throws Exception;
    }

    /**
     * Runs operations that are to be compared, in turns of a short time each, so that whatever else happens on the machine
     * meets them all alike; {@code bytes} is what one operation moves, for the bandwidth.
     *
     * @return a measurement of each
     */
    Measurement[] measure(int bytes, Operation... operations) throws Exception {
        long[] index = new long[operations.length];
        long[] elapsed = new long[operations.length];
        Histogram[] nanos = new Histogram[operations.length];
        for (int i = 0; i < operations.length; i++) {
            nanos[i] = new Histogram(LONGEST_NANOS, DIGITS);
            long start = clock.getAsLong();
            while (clock.getAsLong() - start < warmUpNanos) {
                operations[i].run(index[i]);
                undo(operations[i], index[i]++);
            }
        }
        for (int turn = 0; turn < TURNS; turn++) {
            for (int i = 0; i < operations.length; i++) {
                long begin = clock.getAsLong();
                long before = begin;
                do {
                    operations[i].run(index[i]);
                    long after = clock.getAsLong();
                    nanos[i].recordValue(Math.min(after - before, LONGEST_NANOS));
                    elapsed[i] += after - before;
                    before = undo(operations[i], index[i]++) ? clock.getAsLong() : after;
                } while (before - begin < measureNanos / TURNS);
            }
        }
        Measurement[] measurements = new Measurement[operations.length];
        for (int i = 0; i < operations.length; i++) {
            measurements[i] = new Measurement(nanos[i], bytes, elapsed[i]);
        }
        return measurements;
    }

    private static boolean undo(Operation operation, long index) throws Exception {
        if (operation instanceof Undone undone) {
            undone.undo(index);
            return true;
        }
        return false;
    }

    /**
     * What was measured.
     *
     * @param nanos time of each operation
     * @param bytes moved by one operation
     * @param elapsedNanos of all
     */
    record Measurement(Histogram nanos, int bytes, long elapsedNanos) {
        double medianMicros() {
            return nanos.getValueAtPercentile(50) / 1e3;
        }

        double p99Micros() {
            return nanos.getValueAtPercentile(99) / 1e3;
        }

        double megabytesPerSecond() {
            return (double) bytes * nanos.getTotalCount() / elapsedNanos * 1e3;
        }
    }
}
