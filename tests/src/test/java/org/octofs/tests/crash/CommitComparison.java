package org.octofs.tests.crash;

import java.util.List;
import java.util.function.BiConsumer;
import org.octofs.pmem.medium.CallSites;

/**
 * Collect-dispatch beside two-phase commit, on the rig of the crash tests: what happens until the client has its answer, and in all.
 * The latency is that of a network on which every message or one-sided write is 1 µs under way, and nothing else takes any time:
 * what the protocols themselves cost, on whatever machine it is run. Fences come on top. The main class prints the table of docs/transactions.md.
 */
public final class CommitComparison {
    private static final int RUNS = 4;
    private static final long WIRE_NANOS = 1_000;
    private static final int LINE_BYTES = 64;
    private static final int INODE = 256;
    private static final int DENTRY = 128;

    /** Calls between servers and one-sided writes, fences and lines flushed, until the answer and when all is quiet; time. */
    public record Cost(long calls, long writes, long fences, long fencesInAll, long linesInAll, long nanos) {
        Cost withNanosOf(Cost other) {
            return new Cost(calls, writes, fences, fencesInAll, linesInAll, other.nanos);
        }

        @Override
        public String toString() {
            return String.format(
                    "%d | %d | %d | %d | %d | %.1f", calls, writes, fences, fencesInAll, linesInAll, nanos / 1e3);
        }
    }

    /**
     * One operation.
     *
     * @param prepare what the i-th run needs, not measured
     * @param run the i-th run; its last changing call is measured
     * @param ownBytes what two-phase commit changes at the coordinator
     */
    public record Row(
            String name,
            int nodes,
            BiConsumer<FsCalls, Integer> prepare,
            BiConsumer<FsCalls, Integer> run,
            int ownBytes,
            List<TwoPhaseCommit.Part> parts) {}

    private CommitComparison() {}

    /** The operations compared. */
    public static List<Row> rows() {
        int directoryAndName = INODE + DENTRY;
        List<TwoPhaseCommit.Part> inode = List.of(new TwoPhaseCommit.Part(1, 1, INODE));
        return List.of(
                new Row(
                        "mkdir",
                        2,
                        (_, _) -> {},
                        (fs, i) -> {
                            fs.mkdir("/h@0/d" + i % 2 + "@1");
                        },
                        directoryAndName,
                        inode),
                new Row(
                        "rmdir",
                        2,
                        (fs, _) -> fs.mkdir("/h@0/d@1"),
                        (fs, _) -> fs.rmdir("/h@0/d@1"),
                        directoryAndName,
                        inode),
                new Row("link", 2, (_, _) -> {}, (fs, _) -> fs.link("/h@1/f", "/h@0/l"), directoryAndName, inode),
                new Row(
                        "rename of a file",
                        2,
                        (_, _) -> {},
                        (fs, i) -> {
                            if (i % 2 == 0) {
                                fs.rename("/h@1/f", "/h@0/f");
                            } else {
                                fs.rename("/h@0/f", "/h@1/f");
                            }
                        },
                        directoryAndName,
                        List.of(new TwoPhaseCommit.Part(1, 2, directoryAndName))),
                new Row(
                        "rename over a file of a third server",
                        3,
                        (fs, _) -> {
                            fs.create("/h@2/g");
                            fs.rename("/h@2/g", "/h@1/g");
                            fs.create("/h@0/e");
                        },
                        (fs, _) -> fs.rename("/h@0/e", "/h@1/g"),
                        directoryAndName,
                        List.of(
                                new TwoPhaseCommit.Part(1, 2, directoryAndName),
                                new TwoPhaseCommit.Part(2, 1, INODE))));
    }

    /** What is not measured, after each run: back to where it was. */
    private static void undo(Row row, FsCalls fs, int i) {
        switch (row.name) {
            case "mkdir" -> fs.rmdir("/h@0/d" + i % 2 + "@1");
            case "link" -> fs.unlink("/h@0/l");
            case "rename over a file of a third server" -> fs.unlink("/h@1/g");
            default -> {
                // It undoes itself.
            }
        }
    }

    /** What the product does. */
    public static Cost collectDispatch(Row row) {
        return collectDispatch(row, 0).withNanosOf(collectDispatch(row, WIRE_NANOS));
    }

    static Cost twoPhaseCommit(Row row) {
        return twoPhaseCommit(row, 0).withNanosOf(twoPhaseCommit(row, WIRE_NANOS));
    }

    private static Cost collectDispatch(Row row, long wireNanos) {
        try (CrashWorld world = CrashWorld.format(row.nodes, false, wireNanos, CallSites.noting())) {
            ClusterFs fs = prepared(world);
            Meter meter = new Meter(world);
            for (int i = 0; i < RUNS; i++) {
                row.prepare.accept(fs, i);
                world.settle();
                meter.start();
                row.run.accept(fs, i);
                meter.end();
                undo(row, fs, i);
                world.settle();
            }
            return meter.cost();
        }
    }

    private static Cost twoPhaseCommit(Row row, long wireNanos) {
        try (CrashWorld world = CrashWorld.format(row.nodes, false, wireNanos, CallSites.noting())) {
            prepared(world);
            for (int node = 0; node < row.nodes; node++) {
                TwoPhaseCommit.install(world.server(node));
            }
            Meter meter = new Meter(world);
            for (int i = 0; i < RUNS; i++) {
                meter.start();
                world.client()
                        .ok(0, TwoPhaseCommit.BEGIN, body -> TwoPhaseCommit.request(body, row.ownBytes, row.parts));
                meter.end();
            }
            return meter.cost();
        }
    }

    private static ClusterFs prepared(CrashWorld world) {
        ClusterFs fs = new ClusterFs(world);
        for (int node = 0; node < world.nodeCount(); node++) {
            fs.mkdir("/h@" + node);
            fs.create("/h@" + node + "/warm");
        }
        fs.create("/h@1/f");
        world.settle();
        return fs;
    }

    /** Counts what one run costs. */
    private static final class Meter {
        private final CrashWorld world;
        private long[] before;
        private long[] atAnswer;
        private long writes;
        private Cost cost;

        Meter(CrashWorld world) {
            this.world = world;
        }

        void start() {
            before = counts();
            writes = 0;
            atAnswer = null;
            int changesBefore = world.client().changesAnswered();
            world.watch((_, what) -> {
                world.client().poll();
                if (atAnswer == null && world.client().changesAnswered() > changesBefore) {
                    atAnswer = counts();
                }
                writes += what == CrashWorld.What.WRITE ? 1 : 0;
            });
        }

        void end() {
            long nanos = world.client().lastCallNanos();
            long[] answered = atAnswer == null ? counts() : atAnswer;
            world.settle();
            world.watch(CrashWorld.Watcher.NONE);
            long[] after = counts();
            cost = new Cost(
                    answered[0] - before[0],
                    writes,
                    answered[1] - before[1],
                    after[1] - before[1],
                    after[2] - before[2],
                    nanos);
        }

        Cost cost() {
            return cost;
        }

        /** Calls between servers, fences, lines flushed or written past the cache. */
        private long[] counts() {
            long[] counts = new long[3];
            for (int node = 0; node < world.nodeCount(); node++) {
                for (int to = 0; to < world.nodeCount(); to++) {
                    if (to != node) {
                        counts[0] +=
                                world.server(node).peers().client(to).counters().calls();
                    }
                }
                counts[1] += world.medium(node).counters().fences();
                counts[2] += world.medium(node).counters().flushedLines()
                        + world.medium(node).counters().nonTemporalBytes() / LINE_BYTES;
            }
            return counts;
        }
    }

    @SuppressWarnings("SystemOut") // the table is what it is for
    public static void main(String[] arguments) {
        System.out.println(
                "| operation | protocol | calls between servers until the answer | one-sided writes | fences until the"
                        + " answer | fences in all | lines flushed in all | latency, µs |");
        System.out.println("| --- | --- | --- | --- | --- | --- | --- | --- |");
        for (Row row : rows()) {
            System.out.println("| " + row.name + " | collect-dispatch | " + collectDispatch(row) + " |");
            System.out.println("| " + row.name + " | two-phase commit | " + twoPhaseCommit(row) + " |");
        }
    }
}
