package org.octofs.client.bench;

import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/**
 * Starts operations when they are due, at random times of a fixed rate, and measures from when they were due: an operation that
 * waits for a slow one before it has waited too. One caller.
 */
final class OpenLoop {
    private static final int DIGITS = 3;

    private final LongSupplier clock;
    private final SplittableRandom random;

    OpenLoop(LongSupplier clock, long seed) {
        this.clock = clock;
        random = new SplittableRandom(seed);
    }

    /** Latencies of {@code count} operations that arrive at a mean interval; {@code first} is the index of the first. */
    Histogram run(Meter.Operation operation, long first, long count, double meanIntervalNanos) throws Exception {
        Histogram nanos = new Histogram(Crew.LONGEST_NANOS, DIGITS);
        double due = clock.getAsLong();
        for (long i = 0; i < count; i++) {
            due += -meanIntervalNanos * Math.log(1 - random.nextDouble());
            while (clock.getAsLong() < due) {
                Thread.onSpinWait();
            }
            operation.run(first + i);
            nanos.recordValue(Math.min(Math.max(0, clock.getAsLong() - (long) due), Crew.LONGEST_NANOS));
        }
        return nanos;
    }
}
