package org.octofs.client.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code octofs bench fio}. */
@Command(
        name = "fio",
        description = {
            "Runs a fixed set of fio jobs and loops over small files in a directory of any file system: a mount of OctoFS,",
            "tmpfs, another file system to be put beside it."
        })
final class FioCommand implements Callable<Integer> {
    private static final double SECONDS = 2;

    @Mixin
    private BenchOptions options;

    @Parameters(paramLabel = "DIR", description = "Where to measure; files there are made and removed again.")
    private Path directory;

    @Override
    public Integer call() throws Exception {
        if (!Files.isDirectory(directory)) {
            throw options.misuse(directory + " is not a directory");
        }
        double seconds = options.nanos(SECONDS) / (double) BenchOptions.SECOND_NANOS;
        try (Report report = options.report("fio " + directory, SECONDS)) {
            for (FioJob job : FioJob.values()) {
                FioJob.Figures figures = job.run(directory, seconds);
                report.add(new Row(job.words())
                        .with(Row.BYTES, job.bytes())
                        .with(Row.CALLERS, job.jobs())
                        .with(Row.MEGABYTES, figures.megabytesPerSecond())
                        .with(Row.RATE, figures.operationsPerSecond())
                        .with("p50 us", figures.medianMicros()));
            }
            FileLoops.run(directory); // For warm-up.
            Map<FileLoops, Double> micros = FileLoops.run(directory);
            for (FileLoops loop : FileLoops.values()) {
                double each = micros.get(loop);
                report.add(new Row(loop.words()).with("mean us", each).with(Row.RATE, 1e6 / each));
            }
        }
        return 0;
    }
}
