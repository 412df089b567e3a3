package org.octofs.client.bench;

import java.util.List;
import java.util.concurrent.Callable;
import org.octofs.client.bench.BenchOptions.BenchCluster;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code octofs bench io}. */
@Command(
        name = "io",
        description = {
            "Reads and writes through the client library, by size and number of threads, beside the transport's own READ and",
            "WRITE of the same size by as many connections, in turns; durable small writes; small files."
        })
final class IoCommand implements Callable<Integer> {
    private static final double SECONDS = 0.3;
    private static final String POOL = "1G";
    private static final int CALLERS_MAX = 64;
    private static final int BYTES_MAX = 1 << 20;

    @Mixin
    private BenchOptions options;

    @Option(
            names = "--sizes",
            split = ",",
            paramLabel = "BYTES",
            description = "Bytes of one call (default: ${DEFAULT-VALUE}).")
    private List<Integer> sizes = List.of(1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20);

    @Option(
            names = "--threads",
            split = ",",
            paramLabel = "N",
            description = "Callers at once (default: ${DEFAULT-VALUE}).")
    private List<Integer> threads = List.of(1, 2, 4, 8, 16);

    @Override
    public Integer call() throws Exception {
        for (int size : sizes) {
            if (size < 1 || size > BYTES_MAX) {
                throw options.misuse("--sizes has " + size + "; 1 to " + BYTES_MAX);
            }
        }
        for (int count : threads) {
            if (count < 1 || count > CALLERS_MAX) {
                throw options.misuse("--threads has " + count + "; 1 to " + CALLERS_MAX);
            }
        }
        try (Report report = options.report("io", SECONDS);
                BenchCluster cluster = options.open(1, POOL);
                PeerProcess peer = new PeerProcess()) {
            for (int count : threads) {
                try (IoSuite suite = new IoSuite(
                        report, cluster.map(), options.transport, peer.address(), count, options.nanos(SECONDS))) {
                    for (int size : sizes) {
                        suite.streams(size);
                    }
                    suite.small();
                }
            }
        }
        return 0;
    }
}
