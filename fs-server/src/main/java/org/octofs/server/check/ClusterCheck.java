package org.octofs.server.check;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.octofs.pmem.PoolCorruptException;
import org.octofs.pmem.PoolMismatchException;
import org.octofs.pmem.medium.PmemMedium;
import org.octofs.pmem.medium.PrivateMedium;
import org.octofs.pmem.pool.PmemPool;
import org.octofs.pmem.pool.PoolCheck;
import org.octofs.pmem.pool.PoolExpectation;
import org.octofs.pmem.pool.PoolIdentity;

/**
 * Checks, and if wanted repairs, a cluster that nobody serves: {@code octofs fsck}, and the end of every crash test.
 *
 * <p>The pools are opened as a server would, their logs replayed and transactions in doubt ended; that is the state that is
 * judged. {@link #run} does so in private copies, so that the media stay as they are.
 * Threading: one thread; the media may not change meanwhile.
 * Cost:      about 100 bytes per file at most, a bit per block, and what replay writes.
 */
public final class ClusterCheck {
    private static final int ROUNDS_MAX = 64;

    private final CheckOptions options;
    private final boolean repairing;
    private final List<Finding> reported = new ArrayList<>();
    private long errors;
    private long failedRepairs;

    private ClusterCheck(CheckOptions options, boolean repairing) {
        this.options = options;
        this.repairing = repairing;
    }

    /**
     * Checks the pools of a cluster as a start of all servers would find them, and changes nothing.
     *
     * @param pools of some or all nodes, in any order; they stay the caller's, and are copied
     */
    public static CheckReport run(List<? extends PmemMedium> pools) {
        return run(pools, CheckOptions.defaults());
    }

    /** As {@link #run(List)}. */
    public static CheckReport run(List<? extends PmemMedium> pools, CheckOptions options) {
        List<PmemMedium> copies = new ArrayList<>();
        for (PmemMedium pool : pools) {
            copies.add(PrivateMedium.copyOf(pool));
        }
        return runInPlace(copies, any(copies.size()), options);
    }

    private static List<PoolExpectation> any(int count) {
        return Collections.nCopies(count, PoolExpectation.ANY);
    }

    /**
     * As {@link #run(List)}, but replays logs in the given media, and closes them.
     *
     * @param views private views of pool files, opened with {@link org.octofs.pmem.medium.OpenMode#PRIVATE}
     * @param expected which pool each has to be
     * @throws UncheckedIOException in words for the user, if one is another pool, or none that this version knows
     */
    public static CheckReport runInPlace(
            List<? extends PmemMedium> views, List<PoolExpectation> expected, CheckOptions options) {
        return new ClusterCheck(options, false).check(views, expected);
    }

    /** As {@link #runInPlace(List, List, CheckOptions)} for whatever pools they are. */
    public static CheckReport runInPlace(List<? extends PmemMedium> views, CheckOptions options) {
        return runInPlace(views, any(views.size()), options);
    }

    /**
     * Checks the pools and mends what can be mended. Replays the logs and ends transactions in doubt, as the servers would.
     * Durability: each repair is one record of a redo log; a repair that is interrupted is begun again by running it again.
     *
     * @param pools of all nodes; closed when it returns
     * @param expected which pool each has to be
     */
    public static CheckReport repair(
            List<? extends PmemMedium> pools, List<PoolExpectation> expected, CheckOptions options) {
        return new ClusterCheck(options, true).check(pools, expected);
    }

    /** As {@link #repair(List, List, CheckOptions)} for whatever pools they are. */
    public static CheckReport repair(List<? extends PmemMedium> pools, CheckOptions options) {
        return repair(pools, any(pools.size()), options);
    }

    private CheckReport check(List<? extends PmemMedium> media, List<PoolExpectation> expected) {
        Findings opening = new Findings(options.findingsMax());
        List<PmemPool> pools = new ArrayList<>();
        DoubtfulTransactions doubtful = new DoubtfulTransactions(opening);
        requireAll(media, expected);
        try {
            for (int i = 0; i < media.size(); i++) {
                open(media.get(i), expected.get(i), pools, doubtful, opening);
            }
            Cluster cluster = assemble(pools, media.size(), opening);
            if (cluster == null) {
                take(opening);
                return report(opening.manualCount(), null, 0);
            }
            doubtful.end(cluster);
            take(opening);
            return rounds(cluster, opening.manualCount(), doubtful.ended());
        } finally {
            for (PmemPool pool : pools) {
                if (repairing) {
                    pool.close();
                } else {
                    pool.abandon();
                }
            }
        }
    }

    // ------------------------------------------------------------------------------------------------ opening

    /** No pool is opened, which writes to it, before all are known to be the ones that are wanted. */
    private static void requireAll(List<? extends PmemMedium> media, List<PoolExpectation> expected) {
        boolean success = false;
        try {
            for (int i = 0; i < media.size(); i++) {
                require(media.get(i), expected.get(i));
            }
            success = true;
        } finally {
            if (!success) {
                media.forEach(PmemMedium::close);
            }
        }
    }

    private static void require(PmemMedium medium, PoolExpectation expected) {
        try {
            PmemPool.require(medium, expected);
        } catch (PoolMismatchException e) {
            if (e.reason() != PoolMismatchException.Reason.BOTH_SUPERBLOCKS_BAD) {
                throw new UncheckedIOException(e.getMessage(), e);
            }
        } catch (IOException | PoolCorruptException | IndexOutOfBoundsException e) {
            return; // a finding of the open
        }
    }

    private static void open(
            PmemMedium medium,
            PoolExpectation expected,
            List<PmemPool> pools,
            DoubtfulTransactions doubtful,
            Findings findings) {
        String name = medium.path() == null ? "a pool" : medium.path().toString();
        List<String> damage = new ArrayList<>();
        for (PoolCheck.Finding found : PoolCheck.checkBeforeReplay(medium)) {
            if (found.severity() == PoolCheck.Severity.NOTE) {
                findings.note(-1, name + ": " + found.text());
            } else {
                damage.add(found.text());
            }
        }
        PmemPool pool = null;
        try {
            pool = PmemPool.open(medium, expected);
            PmemPool opened = pool;
            int node = pool.nodeId();
            pool.redoLog().replay(view -> doubtful.replayed(node, opened.redoLog()::retain, view));
            pools.add(pool);
        } catch (PoolMismatchException e) {
            if (!damage.contains(e.getMessage())) {
                damage.add(e.getMessage());
            }
        } catch (PoolCorruptException | IndexOutOfBoundsException e) {
            if (!damage.contains(e.getMessage())) {
                damage.add(e.getMessage());
            }
            if (pool != null) {
                pool.abandon();
            }
        } catch (IOException e) {
            damage.add(e.getMessage());
        }
        for (String text : damage) {
            findings.error(
                    pool == null ? -1 : pool.nodeId(),
                    0,
                    0,
                    name + ": " + text,
                    "this cannot be mended here; restore the pool from a copy, or format it and restore the files");
        }
    }

    /** The pools by node; null if they do not belong together. */
    private static Cluster assemble(List<PmemPool> pools, int expected, Findings findings) {
        if (pools.isEmpty()) {
            return null;
        }
        PoolIdentity first = pools.getFirst().identity();
        PoolView[] views = new PoolView[first.nodeCount()];
        for (PmemPool pool : pools) {
            PoolIdentity identity = pool.identity();
            if (!identity.clusterId().equals(first.clusterId())
                    || identity.nodeCount() != first.nodeCount()
                    || identity.shardCount() != first.shardCount()
                    || identity.nodeId() >= views.length
                    || views[identity.nodeId()] != null) {
                findings.error(
                        identity.nodeId(),
                        0,
                        0,
                        "the pools do not belong together: " + first + " and " + identity,
                        "give the pools of one cluster, each once");
                return null;
            }
            views[identity.nodeId()] = new PoolView(pool);
        }
        List<Integer> missing = IntStream.range(0, views.length)
                .filter(node -> views[node] == null)
                .boxed()
                .toList();
        if (!missing.isEmpty() && expected < views.length) {
            findings.note(-1, "nodes " + missing + " are not checked, nor what depends on them");
        }
        return new Cluster(views, first.shardCount());
    }

    // ------------------------------------------------------------------------------------------------ rounds

    private CheckReport rounds(Cluster cluster, long manualBefore, long transactions) {
        CheckRound round = null;
        for (int i = 0; i < ROUNDS_MAX; i++) {
            round = new CheckRound(cluster, options);
            round.run();
            Findings found = round.findings();
            if (!repairing || found.firstStage() == null) {
                take(found);
                long left = found.errorCount();
                return report(manualBefore + left + failedRepairs, round, transactions);
            }
            mend(found);
            if (failedRepairs > 0) {
                break;
            }
        }
        // What could not be mended would be found again and again; the last round says what is left.
        round = new CheckRound(cluster, options);
        round.run();
        take(round.findings());
        return report(manualBefore + round.findings().errorCount(), round, transactions);
    }

    private void mend(Findings found) {
        Findings.Stage stage = found.firstStage();
        List<Findings.Repair> repairs = found.repairs(stage);
        for (int i = 0; i < repairs.size(); i++) {
            Finding finding = found.repairFindings(stage).get(i);
            try {
                repairs.get(i).run();
                keep(finding);
                errors++;
            } catch (RepairException e) {
                failedRepairs++;
                keep(new Finding(
                        Finding.Severity.NOTE,
                        finding.node(),
                        finding.ino(),
                        finding.poolOffset(),
                        finding.problem(),
                        "the repair was not possible: " + e.getMessage(),
                        false));
            }
        }
    }

    private void take(Findings found) {
        found.kept().forEach(this::keep);
        errors += found.errorCount();
    }

    private void keep(Finding finding) {
        if (reported.size() < options.findingsMax()) {
            reported.add(finding);
        }
    }

    private CheckReport report(long left, CheckRound round, long transactions) {
        CheckReport.Counts counts =
                round == null ? new CheckReport.Counts(0, 0, 0, 0, 0, 0, transactions) : round.counts(transactions);
        return new CheckReport(List.copyOf(reported), errors, left, counts);
    }
}
