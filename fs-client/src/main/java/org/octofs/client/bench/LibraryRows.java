package org.octofs.client.bench;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Locale;
import org.octofs.client.bench.Meter.Measurement;
import org.octofs.client.bench.Table.Goal;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.rpc.RpcException;

/** Rows of the table about the client library with one server. One thread. */
final class LibraryRows implements AutoCloseable {
    private static final int SMALL = 4096;
    private static final int LARGE = 1 << 20;

    private final Table table;
    private final Meter meter;
    private final int runs;
    private final String transport;
    private final Arena arena = Arena.ofShared();
    private final PeerProcess peer = new PeerProcess();
    private final FlushCost flush = new FlushCost();
    private final RawLimits raw;
    private final NullCaller caller;
    private final ClientFigures client;

    LibraryRows(Table table, Meter meter, int runs, ClusterMap map, TransportChoice choice) throws Exception {
        this.table = table;
        this.meter = meter;
        this.runs = runs;
        // One piece of memory for all: how its pages lie in the caches makes a difference of a third.
        MemorySegment buffer = arena.allocate(LARGE, SMALL);
        raw = new RawLimits(peer.address(), choice, buffer);
        transport = raw.transport().toString().toLowerCase(Locale.ROOT) + ": ";
        caller = new NullCaller(map, choice);
        client = new ClientFigures(map, choice, BenchPeer.REGION_BYTES, buffer);
    }

    private enum By {
        MICROS,
        MEGABYTES
    }

    /** Measures limit and value, in turns, as often as there are runs. */
    private void compare(String name, By by, Goal goal, int bytes, Meter.Operation limit, Meter.Operation ours)
            throws Exception {
        double[] values = new double[runs];
        double[] limits = new double[runs];
        for (int run = 0; run < runs; run++) {
            Measurement[] measured = meter.measure(bytes, limit, ours);
            limits[run] = figure(measured[0], by);
            values[run] = figure(measured[1], by);
        }
        table.row(transport + name, by == By.MICROS ? "us" : "MB/s", values, limits, goal);
    }

    private static double figure(Measurement measurement, By by) {
        return by == By.MICROS ? measurement.medianMicros() : measurement.megabytesPerSecond();
    }

    /** RPC, stat, create. */
    void calls() throws Exception {
        int ping = BenchPeer.PING_BYTES;
        compare("null RPC", By.MICROS, Goal.atMost(1.3), ping, raw::ping, caller::call);
        compare("stat of a file", By.MICROS, Goal.atMost(1.2), ping, caller::call, client::stat);
        compare("create of a file", By.MICROS, Goal.atMost(2), ping, caller::call, client.creates());
    }

    /** Reads and writes. */
    void data() throws Exception {
        // Large ones first: random writes leave a file of scattered blocks.
        compare(
                "1 MiB sequential read",
                By.MEGABYTES,
                Goal.atLeast(0.95),
                LARGE,
                i -> raw.read(i, LARGE, false),
                i -> client.read(i, LARGE, false));
        compare(
                "1 MiB sequential write",
                By.MEGABYTES,
                Goal.atLeast(0.95),
                LARGE,
                i -> raw.write(i, LARGE, false),
                i -> client.write(i, LARGE, false));
        compare(
                "4 KiB random read",
                By.MICROS,
                Goal.atMost(1.3),
                SMALL,
                i -> raw.read(i, SMALL, true),
                i -> client.read(i, SMALL, true));
        compare(
                "4 KiB durable write",
                By.MICROS,
                Goal.atMost(1.3),
                SMALL,
                i -> {
                    raw.write(i, SMALL, true);
                    caller.call(i);
                    flush.run(i);
                },
                i -> client.durableWrite(i, SMALL));
    }

    @Override
    public void close() throws IOException, RpcException {
        client.close();
        caller.close();
        raw.close();
        peer.close();
        flush.close();
        arena.close();
    }
}
