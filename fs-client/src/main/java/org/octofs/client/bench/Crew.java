package org.octofs.client.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/** Several callers at once, each in a thread of its own. Its methods are for one thread. */
final class Crew implements AutoCloseable {
    static final long LONGEST_NANOS = 60_000_000_000L;
    private static final int DIGITS = 3;
    private static final int TURNS = 5;
    private static final long PATIENCE_SECONDS = 300;

    private final int callers;
    private final LongSupplier clock;
    private final ExecutorService threads;

    /** What one caller does. */
    interface Work {
        /** One operation of a caller; {@code index} counts from 0. */
        void run(long index) throws Exception;

        /** What belongs to a stretch of operations as a whole, such as the fsync after writes; its time counts. */
        default void finish() throws Exception {}
    }

    /** What all callers did together. */
    static final class Result {
        private final Histogram nanos = new Histogram(LONGEST_NANOS, DIGITS);
        private long elapsedNanos;
        private long count;

        Histogram nanos() {
            return nanos;
        }

        long count() {
            return count;
        }

        double perSecond() {
            return count * 1e9 / elapsedNanos;
        }

        double megabytesPerSecond(int bytes) {
            return perSecond() * bytes / 1e6;
        }
    }

    Crew(int callers, LongSupplier clock) {
        this.callers = callers;
        this.clock = clock;
        threads = Executors.newFixedThreadPool(
                callers, Thread.ofPlatform().daemon().name("bench-", 0).factory());
    }

    /**
     * Measures kinds of work that are to be compared, in turns.
     *
     * @param kinds for each kind of work, one per caller
     */
    @SafeVarargs
    final List<Result> measure(long warmUpNanos, long measureNanos, List<? extends Work>... kinds) throws Exception {
        List<Result> results = new ArrayList<>();
        long[][] next = new long[kinds.length][callers];
        for (int kind = 0; kind < kinds.length; kind++) {
            stretch(kinds[kind], next[kind], warmUpNanos, new Result());
            results.add(new Result());
        }
        for (int turn = 0; turn < TURNS; turn++) {
            for (int kind = 0; kind < kinds.length; kind++) {
                stretch(kinds[kind], next[kind], measureNanos / TURNS, results.get(kind));
            }
        }
        return results;
    }

    private void stretch(List<? extends Work> works, long[] next, long nanos, Result into) throws Exception {
        together(into, (caller, histogram) -> {
            Work work = works.get(caller);
            long begin = clock.getAsLong();
            long before = begin;
            long count = 0;
            do {
                work.run(next[caller]++);
                long after = clock.getAsLong();
                histogram.recordValue(Math.min(after - before, LONGEST_NANOS));
                before = after;
                count++;
            } while (before - begin < nanos);
            work.finish();
            return count;
        });
    }

    /** Lets every caller do its work {@code count} times. */
    Result times(List<? extends Work> works, long count) throws Exception {
        Result result = new Result();
        together(result, (caller, histogram) -> {
            Work work = works.get(caller);
            long before = clock.getAsLong();
            for (long i = 0; i < count; i++) {
                work.run(i);
                long after = clock.getAsLong();
                histogram.recordValue(Math.min(after - before, LONGEST_NANOS));
                before = after;
            }
            work.finish();
            return count;
        });
        return result;
    }

    /** One caller's stretch; answers how many operations it did. */
    @FunctionalInterface
    private interface Stretch {
        long run(int caller, Histogram histogram) throws Exception;
    }

    private void together(Result into, Stretch stretch) throws Exception {
        CyclicBarrier start = new CyclicBarrier(callers + 1);
        List<Future<Long>> futures = new ArrayList<>();
        List<Histogram> histograms = new ArrayList<>();
        // By the callers' own clocks: on a busy machine this thread may come back from the barrier late.
        long[] begins = new long[callers];
        long[] ends = new long[callers];
        for (int i = 0; i < callers; i++) {
            int caller = i;
            Histogram histogram = new Histogram(LONGEST_NANOS, DIGITS);
            histograms.add(histogram);
            futures.add(threads.submit(() -> {
                start.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
                begins[caller] = clock.getAsLong();
                long count = stretch.run(caller, histogram);
                ends[caller] = clock.getAsLong();
                return count;
            }));
        }
        start.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        for (Future<Long> future : futures) {
            try {
                into.count += future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                if (e.getCause() instanceof Exception cause) {
                    throw cause;
                }
                throw e;
            }
        }
        into.elapsedNanos += Arrays.stream(ends).max().orElseThrow()
                - Arrays.stream(begins).min().orElseThrow();
        histograms.forEach(into.nanos::add);
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
