package org.octofs.client.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.octofs.client.bench.Table.Goal;
import org.octofs.client.dev.TemporaryCluster;
import org.octofs.rpc.cluster.TransportConverter;
import org.octofs.rpc.fabric.TransportChoice;

/** Rows of the table about a mount. Another file system and ours are measured in turns. One thread. */
final class FuseRows {
    private static final long PATIENCE_NANOS = 10_000_000_000L;
    private static final int POLL_MILLIS = 20;
    private static final double SMALL_TIMES = 3;

    private final Table table;
    private final String prefix;
    private final double seconds;
    private final int runs;
    private Path ours;

    FuseRows(Table table, String prefix, long nanos, int runs) {
        this.table = table;
        this.prefix = prefix;
        this.seconds = nanos / (double) BenchOptions.SECOND_NANOS;
        this.runs = runs;
    }

    /** Mounts the cluster; it unmounts when the cluster is closed. */
    void mountOurs(TemporaryCluster cluster, String options, TransportChoice transport) throws IOException {
        ours = Files.createTempDirectory("octofs-bench-mount");
        Files.delete(ours);
        List<String> all = new ArrayList<>(List.of("transport=" + TransportConverter.name(transport)));
        if (!options.isBlank()) {
            all.add(options);
        }
        cluster.mount(ours, all);
    }

    /** Beside a program that answers from memory. */
    void besideC(Path program) throws IOException, InterruptedException {
        Path theirs = Files.createTempDirectory("octofs-bench-peer");
        Object before = Files.getAttribute(theirs, "unix:dev");
        Process process = new ProcessBuilder(
                        program.toAbsolutePath().toString(), "-f", "-o", "default_permissions", theirs.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            long deadline = System.nanoTime() + PATIENCE_NANOS;
            while (Files.getAttribute(theirs, "unix:dev").equals(before)) {
                if (!process.isAlive() || System.nanoTime() - deadline > 0) {
                    throw new IOException(program + " did not mount");
                }
                Thread.sleep(POLL_MILLIS);
            }
            for (FioJob job : FioJob.values()) {
                if (job.isOfTable()) {
                    compare(prefix + "mount beside C: " + job.words(), job, theirs, 0.9);
                }
            }
        } finally {
            process.destroy();
            if (!process.waitFor(PATIENCE_NANOS, TimeUnit.NANOSECONDS)) {
                process.destroyForcibly();
            }
            Files.deleteIfExists(theirs);
        }
    }

    /** Beside mounts that are there. */
    void besideOthers(List<Path> others) throws IOException, InterruptedException {
        for (Path theirs : others) {
            String name = prefix + "mount beside " + theirs.getFileName() + ": ";
            for (FioJob job : FioJob.values()) {
                if (job.isOfTable()) {
                    compare(name + job.words(), job, theirs, job.bytes() < 1 << 20 ? SMALL_TIMES : 1);
                }
            }
            loops(name, theirs);
        }
    }

    private void loops(String name, Path theirs) throws IOException {
        FileLoops.run(ours); // For warm-up.
        List<Map<FileLoops, Double>> limits = new ArrayList<>();
        List<Map<FileLoops, Double>> values = new ArrayList<>();
        for (int run = 0; run < runs; run++) {
            limits.add(FileLoops.run(theirs));
            values.add(FileLoops.run(ours));
        }
        for (FileLoops loop : FileLoops.values()) {
            table.row(
                    name + loop.words(),
                    "op/s",
                    values.stream()
                            .mapToDouble(micros -> 1e6 / micros.get(loop))
                            .toArray(),
                    limits.stream()
                            .mapToDouble(micros -> 1e6 / micros.get(loop))
                            .toArray(),
                    Goal.atLeast(SMALL_TIMES));
        }
    }

    private void compare(String name, FioJob job, Path theirs, double goal) throws IOException, InterruptedException {
        double[] values = new double[runs];
        double[] limits = new double[runs];
        for (int run = 0; run < runs; run++) {
            limits[run] = job.run(theirs, seconds).megabytesPerSecond();
            values[run] = job.run(ours, seconds).megabytesPerSecond();
        }
        table.row(name, "MB/s", values, limits, Goal.atLeast(goal));
    }
}
