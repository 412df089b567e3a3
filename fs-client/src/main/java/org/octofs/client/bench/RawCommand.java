package org.octofs.client.bench;

import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.Callable;
import org.octofs.client.bench.BenchOptions.BenchCluster;
import org.octofs.client.bench.Meter.Measurement;
import org.octofs.rpc.cluster.ClusterMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code octofs bench raw}. */
@Command(
        name = "raw",
        description = {
            "Measures the transport alone, the same work through the client library, and a plain memory copy.",
            "Without --cluster it starts a cluster of its own for the purpose and removes it again."
        })
final class RawCommand implements Callable<Integer> {
    private static final int SMALL = 4096;
    private static final int LARGE = 1 << 20;

    private static final double SECONDS = 2;

    /** The lines by size are many, and each is a limit only. */
    private static final int SIZES_SHARE = 10;

    @Mixin
    private BenchOptions options;

    @Option(names = "--no-sizes", description = "Leaves the lines by size out.")
    private boolean withoutSizes;

    private PrintWriter out;
    private Meter meter;

    @Override
    public Integer call() throws Exception {
        out = options.spec().commandLine().getOut();
        meter = options.meter(SECONDS);
        try (BenchCluster cluster = options.open(1, "1G")) {
            run(cluster.map());
        }
        return 0;
    }

    private void run(ClusterMap map) throws Exception {
        // One piece of memory for all: how its pages lie in the caches makes a difference of a third.
        try (Arena arena = Arena.ofShared()) {
            run(map, arena.allocate(LARGE, SMALL));
        }
    }

    private void run(ClusterMap map, MemorySegment buffer) throws Exception {
        try (PeerProcess peer = new PeerProcess();
                RawLimits raw = new RawLimits(peer.address(), options.transport, buffer);
                NullCaller caller = new NullCaller(map, options.transport);
                ClientFigures client = new ClientFigures(map, options.transport, BenchPeer.REGION_BYTES, buffer)) {
            out.printf(
                    "transport %s, %d processors, JVM %s, regions and file of %d MiB, one caller%n%n",
                    raw.transport(),
                    Runtime.getRuntime().availableProcessors(),
                    Runtime.version(),
                    BenchPeer.REGION_BYTES >> 20);
            out.printf("%-37s %12s %12s %12s %10s%n", "operation", "median us", "p99 us", "MB/s", "of raw");
            Measurement[] calls = meter.measure(BenchPeer.PING_BYTES, raw::ping, caller::call, client::stat);
            print("64 B request and reply, raw", calls[0], null);
            print("null RPC", calls[1], calls[0]);
            print("stat of an open file, fs-client", calls[2], calls[0]);
            // Large ones first: random writes leave a file of scattered blocks.
            compare(raw, client, LARGE);
            compare(raw, client, SMALL);
            Measurement[] writes =
                    meter.measure(SMALL, i -> raw.write(i, SMALL, true), i -> client.durableWrite(i, SMALL));
            print("4 KiB random WRITE, raw", writes[0], null);
            print("4 KiB random write + fsync, fs-client", writes[1], writes[0]);
            if (!withoutSizes) {
                long nanos = options.nanos(SECONDS) / SIZES_SHARE;
                try (Report report = options.reportOf("raw", nanos)) {
                    RawSizes.run(report, BenchOptions.meterOf(nanos), peer.address(), options.transport);
                }
            }
        }
    }

    private void compare(RawLimits raw, ClientFigures client, int bytes) throws Exception {
        boolean randomly = bytes == SMALL;
        String size = randomly ? "4 KiB random" : "1 MiB sequential";
        Measurement[] reads = meter.measure(
                bytes,
                i -> raw.copy(i, bytes, randomly),
                i -> raw.read(i, bytes, randomly),
                i -> client.read(i, bytes, randomly));
        print(size + " memory copy", reads[0], null);
        print(size + " READ, raw", reads[1], null);
        print(size + " read, fs-client", reads[2], reads[1]);
        Measurement[] writes =
                meter.measure(bytes, i -> raw.write(i, bytes, randomly), i -> client.write(i, bytes, randomly));
        print(size + " WRITE, raw", writes[0], null);
        print(size + " write, fs-client", writes[1], writes[0]);
    }

    /** Prints a line; the ratio is of bandwidth, that is of time. */
    private void print(String what, Measurement m, Measurement limit) {
        String ratio = limit == null ? "" : "%.2f".formatted(m.megabytesPerSecond() / limit.megabytesPerSecond());
        out.printf(
                "%-37s %12.2f %12.2f %12.0f %10s%n",
                what, m.medianMicros(), m.p99Micros(), m.megabytesPerSecond(), ratio);
        out.flush();
    }
}
