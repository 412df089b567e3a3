package org.octofs.client.bench;

import java.io.PrintWriter;
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
            try (RawLimits raw = new RawLimits(transport);
                    NullCaller caller = new NullCaller(map, transport);
                    ClientFigures client = new ClientFigures(map, transport, BenchPeer.REGION_BYTES)) {
                out.printf(
                        "transport %s, %d processors, JVM %s, regions and file of %d MiB, one caller%n%n",
                        raw.transport(),
                        Runtime.getRuntime().availableProcessors(),
                        Runtime.version(),
                        BenchPeer.REGION_BYTES >> 20);
                out.printf("%-34s %12s %12s %12s %10s%n", "operation", "median us", "p99 us", "MB/s", "of raw");
                Measurement ping = show("64 B request and reply, raw", BenchPeer.PING_BYTES, null, raw::ping);
                show("null RPC", BenchPeer.PING_BYTES, ping, caller::call);
                show("stat of an open file, fs-client", BenchPeer.PING_BYTES, ping, client::stat);
                // Large ones first: random writes leave a file of scattered blocks.
                compare(raw, client, LARGE);
                compare(raw, client, SMALL);
                Measurement write = show("4 KiB random WRITE, raw", SMALL, null, i -> raw.write(i, SMALL, true));
                show("4 KiB random write + fsync, fs-client", SMALL, write, i -> client.durableWrite(i, SMALL));
            }
        }

        private void compare(RawLimits raw, ClientFigures client, int bytes) throws Exception {
            boolean randomly = bytes == SMALL;
            String size = randomly ? "4 KiB random" : "1 MiB sequential";
            show(size + " memory copy", bytes, null, i -> raw.copy(i, bytes, randomly));
            Measurement read = show(size + " READ, raw", bytes, null, i -> raw.read(i, bytes, randomly));
            show(size + " read, fs-client", bytes, read, i -> client.read(i, bytes, randomly));
            Measurement write = show(size + " WRITE, raw", bytes, null, i -> raw.write(i, bytes, randomly));
            show(size + " write, fs-client", bytes, write, i -> client.write(i, bytes, randomly));
        }

        /** Measures and prints a line; the ratio is of bandwidth, that is of time. */
        private Measurement show(String what, int bytes, Measurement limit, Meter.Operation operation)
                throws Exception {
            Measurement m = meter.measure(bytes, operation);
            String ratio = limit == null ? "" : "%.2f".formatted(m.megabytesPerSecond() / limit.megabytesPerSecond());
            out.printf(
                    "%-34s %12.2f %12.2f %12.0f %10s%n",
                    what, m.medianMicros(), m.p99Micros(), m.megabytesPerSecond(), ratio);
            out.flush();
            return m;
        }
    }
}
