package org.octofs.client.bench;

import java.io.IOException;
import java.nio.file.Path;
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

/** {@code octofs bench table}. */
@Command(
        name = "table",
        description = {
            "What the design has to reach: each row beside its limit and its goal. Exit code 0 only if all asked rows hold.",
            "Without --transport the rows are measured by shm and by tcp. Starts and removes clusters of its own."
        })
final class TableCommand implements Callable<Integer> {
    private static final double SECONDS = 1;
    private static final int RUNS_MAX = 99;

    /** Parts of the table. */
    enum Part {
        /** Data through the library. */
        DATA,
        /** Calls and names. */
        CALLS,
        /** mkdir over two servers. */
        MKDIR,
        /** The mount beside a memory file system in C. */
        FUSE,
        /** The mount beside other distributed file systems. */
        OTHERS,
        /** Memory per file and restart. */
        FILES
    }

    @Mixin
    private BenchOptions options;

    @Option(
            names = "--rows",
            split = ",",
            paramLabel = "PART",
            description = "Parts to measure: ${COMPLETION-CANDIDATES} (default: all that can be).")
    private Set<Part> parts = EnumSet.allOf(Part.class);

    @Option(names = "--runs", paramLabel = "N", description = "Medians over so many runs (default: ${DEFAULT-VALUE}).")
    private int runs = 3;

    @Option(
            names = "--files",
            paramLabel = "N",
            description = "Files for memory and restart (default: ${DEFAULT-VALUE}).")
    private int files = 1_000_000;

    @Option(
            names = "--fuse-peer",
            paramLabel = "PROGRAM",
            description = "A FUSE memory file system in C, as tests/bench/peers/build makes it; FUSE rows need it.")
    private Path fusePeer;

    @Option(
            names = "--other",
            paramLabel = "DIR",
            description = "A mount of another distributed file system to be compared with; repeatable.")
    private List<Path> others = List.of();

    @Option(
            names = "--mount-options",
            paramLabel = "OPTIONS",
            description = "Options of the mount (default: ${DEFAULT-VALUE}).")
    private String mountOptions = "binding=kernel";

    @Override
    public Integer call() throws Exception {
        if (options.cluster != null) {
            throw options.misuse("the table starts clusters of its own; leave --cluster out");
        }
        if (runs < 1 || runs > RUNS_MAX || files < 1) {
            throw options.misuse("--runs is 1 to " + RUNS_MAX + ", --files at least 1");
        }
        List<TransportChoice> transports = options.transport == TransportChoice.AUTO
                ? List.of(TransportChoice.SHM, TransportChoice.TCP)
                : List.of(options.transport);
        try (Report report = options.report("table", SECONDS)) {
            Table table = new Table(report);
            for (TransportChoice transport : transports) {
                measure(table, transport);
            }
            for (TransportChoice transport : transports) {
                mounts(table, transport);
            }
            if (parts.contains(Part.FILES)) {
                new FileRows(table, options, files, runs).run(transports.getFirst());
            }
            report.say("load at the end " + Machine.load() + "; " + table.summary());
            return table.allHold() ? 0 : 1;
        }
    }

    private void measure(Table table, TransportChoice transport) throws Exception {
        Meter meter = options.meter(SECONDS);
        if (parts.contains(Part.DATA) || parts.contains(Part.CALLS)) {
            try (BenchCluster cluster = options.open(1, "1G", transport);
                    LibraryRows rows = new LibraryRows(table, meter, runs, cluster.map(), transport)) {
                if (parts.contains(Part.CALLS)) {
                    rows.calls();
                }
                if (parts.contains(Part.DATA)) {
                    rows.data();
                }
            }
        }
        if (parts.contains(Part.MKDIR)) {
            try (BenchCluster cluster = options.open(2, "256M", transport);
                    MkdirRows rows = new MkdirRows(table, meter, runs, cluster.map(), transport)) {
                rows.run();
            }
        }
    }

    private void mounts(Table table, TransportChoice transport) throws IOException, InterruptedException {
        String prefix = TransportConverter.name(transport) + ": ";
        boolean fuse = parts.contains(Part.FUSE) && fusePeer != null;
        boolean beside = parts.contains(Part.OTHERS) && !others.isEmpty();
        if (parts.contains(Part.FUSE) && !fuse) {
            table.notAsked(prefix + "mount beside C", ">= 0.9", "give --fuse-peer \"$(tests/bench/peers/build)\"");
        }
        if (parts.contains(Part.OTHERS) && !beside) {
            table.notAsked(
                    prefix + "mount beside others",
                    ">= 1, small >= 3",
                    "give --other \"$(tests/bench/peers/glusterfs)\"");
        }
        if (!fuse && !beside) {
            return;
        }
        try (BenchCluster cluster = options.open(1, "2G", transport)) {
            FuseRows rows = new FuseRows(table, prefix, options.nanos(SECONDS), runs);
            rows.mountOurs(cluster.temporary(), mountOptions, transport);
            if (fuse) {
                rows.besideC(fusePeer);
            }
            if (beside) {
                rows.besideOthers(others);
            }
        }
    }
}
