package org.octofs.tests.bench;

import java.util.Arrays;
import java.util.function.LongSupplier;
import org.octofs.client.client.ClientCounter;
import org.octofs.client.client.FsClient;
import org.octofs.pmem.medium.MediumCounters;

/** Counts what one call of a client costs on the wire and on the media. One thread. */
final class CostMeter {
    private static final int SAMPLES = 9;

    private final LongSupplier[] counters;

    /** One call; {@code index} counts from 0. */
    @FunctionalInterface
    interface Call {
        void run(int index) throws Exception;

        /** Nothing, where a call needs nothing undone. */
        Call NOTHING = _ -> {};
    }

    CostMeter(FsClient client, MediumCounters medium) {
        counters = new LongSupplier[] {
            () -> client.counters().get(ClientCounter.RPCS),
            () -> client.counters().get(ClientCounter.READ_VERBS),
            () -> client.counters().get(ClientCounter.WRITE_VERBS),
            medium::fences,
            medium::flushedLines,
            medium::nonTemporalBytes
        };
    }

    /** Medians over several calls, in words; what runs beside a call now and then (a late close) does not count so. */
    String cost(Call call, Call undo) throws Exception {
        long[][] samples = new long[counters.length][SAMPLES];
        for (int i = 0; i < SAMPLES; i++) {
            for (int c = 0; c < counters.length; c++) {
                samples[c][i] = -counters[c].getAsLong();
            }
            call.run(i);
            for (int c = 0; c < counters.length; c++) {
                samples[c][i] += counters[c].getAsLong();
            }
            undo.run(i);
        }
        StringBuilder words = new StringBuilder();
        for (long[] sample : samples) {
            Arrays.sort(sample);
            words.append(words.isEmpty() ? "" : " | ").append(sample[SAMPLES / 2]);
        }
        return words.toString();
    }
}
