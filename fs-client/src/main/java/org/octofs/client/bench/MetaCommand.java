package org.octofs.client.bench;

import java.util.List;
import java.util.concurrent.Callable;
import org.octofs.client.bench.BenchOptions.BenchCluster;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code octofs bench meta}. */
@Command(
        name = "meta",
        description = {
            "Metadata in the shape of mdtest: create, stat, readdir, rename, unlink, mkdir, rmdir, by several clients, each in a",
            "directory of its own or all in one. With the cost of an operation in RPCs, verbs, flushes, fences and server time."
        })
final class MetaCommand implements Callable<Integer> {
    private static final double SECONDS = 1;
    private static final String POOL = "512M";
    private static final int CLIENTS_MAX = 64;
    private static final int FILES_MAX = 1_000_000;

    @Mixin
    private BenchOptions options;

    @Option(names = "--nodes", paramLabel = "N", description = "Servers to start (default: ${DEFAULT-VALUE}).")
    private int nodes = 2;

    @Option(
            names = "--clients",
            split = ",",
            paramLabel = "N",
            description = "Clients at once, each with connections of its own (default: ${DEFAULT-VALUE}).")
    private List<Integer> clients = List.of(1, 2, 4, 8, 16);

    @Option(names = "--files", paramLabel = "N", description = "Files of all clients (default: ${DEFAULT-VALUE}).")
    private int files = 16_000;

    @Override
    public Integer call() throws Exception {
        if (nodes < 1 || nodes > 16) {
            throw options.misuse("--nodes is " + nodes + "; 1 to 16");
        }
        if (files < 1 || files > FILES_MAX) {
            throw options.misuse("--files is " + files + "; 1 to " + FILES_MAX);
        }
        for (int count : clients) {
            if (count < 1 || count > CLIENTS_MAX) {
                throw options.misuse("--clients has " + count + "; 1 to " + CLIENTS_MAX);
            }
        }
        try (Report report = options.report("meta", SECONDS);
                BenchCluster cluster = options.open(nodes, POOL);
                ServerWatch servers = new ServerWatch(cluster.map(), options.transport)) {
            report.say(
                    files + " files by " + cluster.map().nodeCount()
                            + " servers; each phase is run once unmeasured first; figures behind the latencies are per operation");
            for (boolean shared : new boolean[] {false, true}) {
                for (int count : clients) {
                    try (MetaSuite suite = new MetaSuite(
                            report,
                            servers,
                            cluster.map(),
                            options.transport,
                            count,
                            Math.max(1, files / count),
                            shared)) {
                        suite.run();
                    }
                }
            }
        }
        return 0;
    }
}
