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

    /** Runs it; {@code bytes} is what one operation moves, for the bandwidth. */
    Measurement measure(int bytes, Operation operation) throws Exception {
        Histogram nanos = new Histogram(LONGEST_NANOS, DIGITS);
        long index = 0;
        long start = clock.getAsLong();
        for (long now = start; now - start < warmUpNanos; now = clock.getAsLong()) {
            operation.run(index++);
        }
        long begin = clock.getAsLong();
        long before = begin;
        do {
            operation.run(index++);
            long after = clock.getAsLong();
            nanos.recordValue(Math.min(after - before, LONGEST_NANOS));
            before = after;
        } while (before - begin < measureNanos);
        return new Measurement(nanos, bytes, before - begin);
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
