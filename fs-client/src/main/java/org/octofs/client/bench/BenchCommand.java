package org.octofs.client.bench;

import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.octofs.client.bench.Meter.Measurement;
import org.octofs.client.dev.TemporaryCluster;
import org.octofs.rpc.cluster.ClusterFile;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.cluster.OctofsCommand;
import org.octofs.rpc.fabric.TransportChoice;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code octofs bench}. */
@Command(name = "bench", description = "Measures.", subcommands = BenchCommand.Raw.class)
public final class BenchCommand implements OctofsCommand {
    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "say which benchmark");
    }

    /** {@code octofs bench raw}. */
    @Command(
            name = "raw",
            description = {
                "Measures the transport alone, the same work through the client library, and a plain memory copy.",
                "Without --cluster it starts a cluster of its own for the purpose and removes it again."
            })
    static final class Raw implements Callable<Integer> {
        private static final int SMALL = 4096;
        private static final int LARGE = 1 << 20;
        private static final long SECOND_NANOS = 1_000_000_000L;

        @Spec
        private CommandSpec spec;

        @Option(names = "--cluster", paramLabel = "FILE", description = "Cluster file of a running cluster.")
        private Path cluster;

        @Option(
                names = "--transport",
                paramLabel = "auto|shm|tcp|verbs",
                description = "Transport to measure (default: ${DEFAULT-VALUE}).")
        private TransportChoice transport = TransportChoice.AUTO;

        @Option(
                names = "--seconds",
                paramLabel = "S",
                description = "Time per line, after half as much warm-up (default: ${DEFAULT-VALUE}).")
        private double seconds = 2;

        private PrintWriter out;
        private Meter meter;

        @Override
        public Integer call() throws Exception {
            if (!(seconds > 0) || seconds > 600) {
                throw new ParameterException(
                        spec.commandLine(), "--seconds is " + seconds + "; more than 0, at most 600");
            }
            out = spec.commandLine().getOut();
            long nanos = (long) (seconds * SECOND_NANOS);
            meter = new Meter(System::nanoTime, nanos / 2, nanos);
            if (cluster != null) {
                run(ClusterFile.read(cluster));
                return 0;
            }
            Path state = Files.createTempDirectory("octofs-bench");
            try (TemporaryCluster temporary =
                    TemporaryCluster.start(state, 1, "1G", transport.name().toLowerCase(java.util.Locale.ROOT))) {
                run(temporary.map());
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
            try (RawLimits raw = new RawLimits(transport, buffer);
                    NullCaller caller = new NullCaller(map, transport);
                    ClientFigures client = new ClientFigures(map, transport, BenchPeer.REGION_BYTES, buffer)) {
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
}
