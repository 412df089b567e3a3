package org.octofs.client.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;
import org.octofs.client.bench.BenchOptions.BenchCluster;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code octofs bench load}. */
@Command(
        name = "load",
        description = {
            "Latency under load: operations arrive at random times of a given rate, whether or not the one before has ended, and",
            "are measured from when they were due. Rates are parts of what one caller reaches back to back."
        })
final class LoadCommand implements Callable<Integer> {
    private static final double SECONDS = 1;
    private static final int SMALL = 4096;
    private static final int LARGE = 1 << 20;
    private static final double NANOS = 1e9;

    @Mixin
    private BenchOptions options;

    @Option(
            names = "--load",
            split = ",",
            paramLabel = "PART",
            description = "Parts of the highest rate (default: ${DEFAULT-VALUE}).")
    private List<Double> loads = List.of(0.1, 0.25, 0.5, 0.75, 0.9);

    @Override
    public Integer call() throws Exception {
        for (double load : loads) {
            if (!(load > 0) || load > 1) {
                throw options.misuse("--load has " + load + "; more than 0, at most 1");
            }
        }
        try (Report report = options.report("load", SECONDS);
                BenchCluster cluster = options.open(1, "1G");
                Arena arena = Arena.ofShared()) {
            MemorySegment buffer = arena.allocate(LARGE, SMALL);
            try (ClientFigures client =
                    new ClientFigures(cluster.map(), options.transport, BenchPeer.REGION_BYTES, buffer)) {
                measure(report, "stat", client::stat);
                measure(report, "4 KiB random read", i -> client.read(i, SMALL, true));
                measure(report, "4 KiB durable write", i -> client.durableWrite(i, SMALL));
            }
        }
        return 0;
    }

    private void measure(Report report, String name, Meter.Operation operation) throws Exception {
        long nanos = options.nanos(SECONDS);
        Histogram closed = options.meter(SECONDS).measure(1, operation)[0].nanos();
        double highest = NANOS / closed.getMean();
        OpenLoop loop = new OpenLoop(System::nanoTime, 1);
        for (double load : loads) {
            double rate = highest * load;
            long count = Math.max(1, (long) (rate * nanos / NANOS));
            Histogram latency = loop.run(operation, 0, count, NANOS / rate);
            report.add(new Row(name + ", " + Math.round(load * 100) + " % load")
                    .with(Row.RATE, rate)
                    .latency(latency));
        }
    }
}
