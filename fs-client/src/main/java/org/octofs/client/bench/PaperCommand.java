package org.octofs.client.bench;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.octofs.client.bench.BenchOptions.BenchCluster;
import org.octofs.rpc.cluster.TransportConverter;
import org.octofs.rpc.fabric.TransportChoice;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code octofs bench paper}. */
@Command(
        name = "paper",
        description = {
            "The comparisons of the Octopus paper on this implementation, each beside its counterpart, in turns: who moves the data;",
            "how a server learns of requests, with 1 to 100 clients; one copy more; 1 to 5 servers. Without --transport by shm and",
            "by tcp. Transactions beside two-phase commit: tests/bench/commit, since that baseline is no part of the product."
        })
final class PaperCommand implements Callable<Integer> {
    static final double SECONDS = 0.3;
    private static final int CALLERS_MAX = 64;
    private static final int SERVERS_MAX = 8;
    private static final int COPY_CALLERS = 1;

    /** Parts of it. */
    enum Part {
        /** Client-active beside server-active. */
        IO,
        /** Self-identified RPC beside others. */
        RPC,
        /** A copy more. */
        COPY,
        /** Several servers. */
        SERVERS
    }

    @Mixin
    private BenchOptions options;

    @Option(
            names = "--rows",
            split = ",",
            paramLabel = "PART",
            description = "Parts to measure: ${COMPLETION-CANDIDATES} (default: all).")
    private Set<Part> parts = EnumSet.allOf(Part.class);

    @Option(
            names = "--clients",
            split = ",",
            paramLabel = "N",
            description = "Clients that call, one call each at a time (default: ${DEFAULT-VALUE}).")
    private List<Integer> clients = List.of(1, 2, 5, 10, 20, 50, 100);

    @Option(
            names = "--threads",
            split = ",",
            paramLabel = "N",
            description = "Callers that move data, each a thread (default: ${DEFAULT-VALUE}).")
    private List<Integer> threads = List.of(1, 4, 16);

    @Option(
            names = "--sizes",
            split = ",",
            paramLabel = "BYTES",
            description = "Bytes of a transfer (default: ${DEFAULT-VALUE}).")
    private List<Integer> sizes = List.of(4 << 10, 64 << 10, 1 << 20);

    @Option(
            names = "--servers",
            split = ",",
            paramLabel = "N",
            description = "Servers, each beside one (default: ${DEFAULT-VALUE}).")
    private List<Integer> servers = List.of(2, 3, 4, 5);

    @Option(
            names = "--callers",
            paramLabel = "N",
            description = "Callers of the clusters with several servers (default: ${DEFAULT-VALUE}).")
    private int callers = 5;

    @Override
    public Integer call() throws Exception {
        check();
        long nanos = options.nanos(SECONDS);
        List<TransportChoice> transports = options.transport == TransportChoice.AUTO
                ? List.of(TransportChoice.SHM, TransportChoice.TCP)
                : List.of(options.transport);
        try (Report report = options.report("paper", SECONDS)) {
            for (TransportChoice transport : transports) {
                String prefix = TransportConverter.name(transport) + ": ";
                if (parts.contains(Part.IO)) {
                    for (int count : threads) {
                        try (MovingRows rows = new MovingRows(report, prefix, transport, count, nanos)) {
                            for (int size : sizes) {
                                rows.run(size);
                            }
                        }
                    }
                }
                if (parts.contains(Part.RPC)) {
                    for (int count : clients) {
                        CallRows.run(report, prefix, transport, count, nanos);
                    }
                }
                if (parts.contains(Part.COPY)) {
                    copies(report, prefix, transport, nanos);
                }
                if (parts.contains(Part.SERVERS)) {
                    for (int count : servers) {
                        ServerRows.run(report, prefix, options, transport, callers, count);
                    }
                }
            }
            report.say("load at the end " + Machine.load()
                    + "; collect-dispatch beside two-phase commit: tests/bench/commit, docs/transactions.md");
        }
        return 0;
    }

    private void copies(Report report, String prefix, TransportChoice transport, long nanos) throws Exception {
        try (BenchCluster cluster = options.open(1, "1G", transport);
                CopyRows rows = new CopyRows(report, prefix, cluster.map(), transport, COPY_CALLERS, nanos)) {
            for (int size : sizes) {
                rows.run(size);
            }
        }
    }

    private void check() {
        if (options.cluster != null) {
            throw options.misuse("bench paper starts clusters of its own; leave --cluster out");
        }
        within("--clients", clients, 1, CallWire.CLIENTS_MAX);
        within("--threads", threads, 1, CALLERS_MAX);
        within("--sizes", sizes, 1, MovingClient.BYTES_MAX);
        within("--servers", servers, 2, SERVERS_MAX);
        within("--callers", List.of(callers), 1, CALLERS_MAX);
    }

    private void within(String option, List<Integer> values, int least, int most) {
        for (int value : values) {
            if (value < least || value > most) {
                throw options.misuse(option + " has " + value + "; " + least + " to " + most);
            }
        }
    }
}
