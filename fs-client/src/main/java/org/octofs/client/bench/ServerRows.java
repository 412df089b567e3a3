package org.octofs.client.bench;

import java.util.List;
import org.octofs.client.bench.BenchOptions.BenchCluster;
import org.octofs.client.bench.SpreadCallers.Kind;
import org.octofs.rpc.fabric.TransportChoice;

/** Rows of {@code bench paper} about one cluster with several servers beside another one with one, in turns. */
final class ServerRows {
    private static final String POOL = "384M";

    private ServerRows() {}

    static void run(
            Report report, String prefix, BenchOptions options, TransportChoice transport, int callers, int servers)
            throws Exception {
        long nanos = options.nanos(PaperCommand.SECONDS);
        try (BenchCluster one = options.open(1, POOL, transport);
                BenchCluster several = options.open(servers, POOL, transport);
                SpreadCallers atOne = new SpreadCallers(one.map(), transport, callers);
                SpreadCallers atSeveral = new SpreadCallers(several.map(), transport, callers);
                Crew crew = new Crew(callers, System::nanoTime)) {
            for (Kind kind : Kind.values()) {
                List<Crew.Result> results =
                        crew.measure(BenchOptions.warmUpNanos(nanos), nanos, atOne.works(kind), atSeveral.works(kind));
                for (int i = 0; i < results.size(); i++) {
                    Crew.Result result = results.get(i);
                    int count = i == 0 ? 1 : servers;
                    Row row = new Row(prefix + kind.words() + ", " + count + (count == 1 ? " server" : " servers"))
                            .with(Row.CALLERS, callers)
                            .with("servers", count)
                            .with(Row.RATE, result.perSecond())
                            .with(
                                    "of one",
                                    result.perSecond() / results.getFirst().perSecond());
                    if (kind.isData()) {
                        row.with(Row.MEGABYTES, result.megabytesPerSecond(SpreadCallers.bytes()));
                    }
                    report.add(row.latency(result.nanos()));
                }
            }
        }
    }
}
