package org.octofs.client.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/** Lets clients call again and again, over several wires in turns. One thread. */
final class ClosedLoop {
    private static final int DIGITS = 3;
    private static final int TURNS = 5;
    private static final long PATIENCE_NANOS = 20_000_000_000L;

    private final int clients;
    private final LongSupplier clock;
    private final long[] starts;
    private int outstanding;

    /** What happened over one wire. */
    static final class Result {
        private final Histogram nanos = new Histogram(Crew.LONGEST_NANOS, DIGITS);
        private long elapsedNanos;
        private long serverCpuNanos;

        Histogram nanos() {
            return nanos;
        }

        double perSecond() {
            return nanos.getTotalCount() * 1e9 / elapsedNanos;
        }

        /** Microseconds of the server's processor per call. */
        double serverMicros() {
            return serverCpuNanos / 1e3 / nanos.getTotalCount();
        }
    }

    ClosedLoop(int clients, LongSupplier clock) {
        this.clients = clients;
        this.clock = clock;
        starts = new long[clients];
    }

    /** Measures each wire; warm-up and time are those of one wire. */
    List<Result> measure(long warmUpNanos, long measureNanos, List<? extends CallWire> wires) throws Exception {
        List<Result> results = new ArrayList<>();
        for (CallWire wire : wires) {
            stretch(wire, warmUpNanos, new Result());
            results.add(new Result());
        }
        for (int turn = 0; turn < TURNS; turn++) {
            for (int i = 0; i < wires.size(); i++) {
                stretch(wires.get(i), measureNanos / TURNS, results.get(i));
            }
        }
        return results;
    }

    private void stretch(CallWire wire, long nanos, Result into) throws Exception {
        wire.wake();
        long cpu = wire.serverCpuNanos();
        long begin = clock.getAsLong();
        for (int client = 0; client < clients; client++) {
            start(wire, client);
        }
        long last = begin;
        while (outstanding > 0) {
            int before = outstanding;
            long count = into.nanos.getTotalCount();
            wire.poll(client -> {
                long now = clock.getAsLong();
                into.nanos.recordValue(Math.clamp(now - starts[client], 0, Crew.LONGEST_NANOS));
                outstanding--;
                // Those that are under way at the end are waited for, and count.
                if (now - begin < nanos) {
                    start(wire, client);
                }
            });
            long now = clock.getAsLong();
            if (into.nanos.getTotalCount() != count || outstanding != before) {
                last = now;
            } else if (now - last > PATIENCE_NANOS) {
                throw new IOException("the bench peer does not answer");
            }
        }
        into.elapsedNanos += clock.getAsLong() - begin;
        into.serverCpuNanos += wire.serverCpuNanos() - cpu;
        wire.rest();
    }

    private void start(CallWire wire, int client) throws Exception {
        starts[client] = clock.getAsLong();
        outstanding++;
        wire.call(client);
    }
}
