package org.octofs.client.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.octofs.client.dev.TemporaryCluster;
import org.octofs.rpc.cluster.ClusterFile;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.cluster.TransportConverter;
import org.octofs.rpc.fabric.TransportChoice;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What the suites have in common: where to measure, for how long, and where the report goes. */
final class BenchOptions {
    static final long SECOND_NANOS = 1_000_000_000L;

    /** Warm-up in times of the measurement: the home's and the client's commit are compiled after some seconds of writing. */
    private static final int WARM_UP_FACTOR = 2;

    private static final int SECONDS_MAX = 600;

    @Option(
            names = "--cluster",
            paramLabel = "FILE",
            description = "Cluster file of a running cluster; without it one is started and removed again.")
    Path cluster;

    @Option(
            names = "--transport",
            defaultValue = "auto",
            paramLabel = "auto|shm|tcp|verbs",
            description = "Transport to measure (default: ${DEFAULT-VALUE}).")
    TransportChoice transport;

    @Option(
            names = "--seconds",
            paramLabel = "S",
            description = "Time per figure, after twice as much warm-up (default: the suite's).")
    Double seconds;

    @Option(names = "--json", paramLabel = "FILE", description = "Also writes the rows there, one JSON object a line.")
    Path json;

    @Option(names = "--html", paramLabel = "FILE", description = "Also writes a page with plots there.")
    Path html;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    CommandSpec spec() {
        return spec;
    }

    ParameterException misuse(String words) {
        return new ParameterException(spec.commandLine(), words);
    }

    /** Nanoseconds per figure. */
    long nanos(double defaultSeconds) {
        double asked = seconds == null ? defaultSeconds : seconds;
        if (!(asked > 0) || asked > SECONDS_MAX) {
            throw misuse("--seconds is " + asked + "; more than 0, at most " + SECONDS_MAX);
        }
        return (long) (asked * SECOND_NANOS);
    }

    /** A meter with the time per figure. */
    Meter meter(double defaultSeconds) {
        return meterOf(nanos(defaultSeconds));
    }

    /** A meter with this time per figure. */
    static Meter meterOf(long nanos) {
        return new Meter(System::nanoTime, warmUpNanos(nanos), nanos);
    }

    /** How long to warm up before a measurement of this time; all suites and {@link #report} keep to it. */
    static long warmUpNanos(long measureNanos) {
        return measureNanos * WARM_UP_FACTOR;
    }

    /** Opens the report and says what everything depends on. */
    Report report(String suite, double defaultSeconds) throws IOException {
        return reportOf(suite, nanos(defaultSeconds));
    }

    /** {@link #report} of a suite that takes this time per figure. */
    Report reportOf(String suite, long nanos) throws IOException {
        Report report = new Report(spec.commandLine().getOut(), json, html);
        report.begin(
                suite,
                "%.2g s per figure after %.2g s of warm-up, in turns with its limit; transport %s; %s"
                        .formatted(
                                nanos / (double) SECOND_NANOS,
                                warmUpNanos(nanos) / (double) SECOND_NANOS,
                                TransportConverter.name(transport),
                                Machine.describe()));
        return report;
    }

    /** The cluster to measure. */
    BenchCluster open(int nodes, String poolSize) throws IOException {
        return open(nodes, poolSize, transport);
    }

    /** As above, by a transport that is not the one asked for. */
    BenchCluster open(int nodes, String poolSize, TransportChoice by) throws IOException {
        if (cluster != null) {
            return new BenchCluster(ClusterFile.read(cluster), null);
        }
        Path state = Files.createTempDirectory("octofs-bench");
        TemporaryCluster temporary = TemporaryCluster.start(state, nodes, poolSize, TransportConverter.name(by));
        return new BenchCluster(temporary.map(), temporary);
    }

    /**
     * A cluster for the time of a suite.
     *
     * @param temporary null if it is somebody else's
     */
    record BenchCluster(ClusterMap map, TemporaryCluster temporary) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            if (temporary != null) {
                temporary.close();
            }
        }
    }
}
