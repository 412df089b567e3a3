package org.octofs.server.txn;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.octofs.server.check.CheckReport;
import org.octofs.server.check.ClusterCheck;
import org.octofs.server.ops.RenameHandler;

/**
 * Goal: whatever clients do at the same time to the same few names over three servers that crash and come back, the file system
 * stays one: link and entry counts, parents, types, reachability, no slot lost, no lock left. Method: random operations of
 * every kind on a handful of names, with crashes that keep all or only the fenced, then the check of everything.
 */
class MixedStormTest {
    private static final int CLIENTS = 5;
    private static final int NAMES = 5;
    private static final int CHECK_EVERY = 400;

    @ParameterizedTest
    @ValueSource(longs = {101, 102, 103, 104})
    void everythingStaysConsistent(long seed) {
        Random random = new Random(seed);
        int succeeded = 0;
        int crashes = 0;
        int checks = 0;
        try (TxnCluster cluster = new TxnCluster(3, seed)) {
            TxnFs fs = new TxnFs(cluster);
            List<Long> directories = new ArrayList<>(List.of(TxnFs.ROOT));
            List<Long> files = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                directories.add(fs.mkdirOn(TxnFs.ROOT, i % 3, "fixed" + i));
                files.add(fs.create(directories.getLast(), "n" + i % NAMES));
            }
            cluster.crashesKeep(TxnCluster.Kept.RANDOM);
            TestRequest[] running = new TestRequest[CLIENTS];
            int begun = 0;
            int operations = 500;
            int[] restartIn = {-1, -1, -1};
            boolean busy = true;
            for (int guard = 0; begun < operations || busy; guard++) {
                assertThat(guard).as("seed %d: the storm ends", seed).isLessThan(3_000_000);
                busy = false;
                for (int i = 0; i < CLIENTS; i++) {
                    if (running[i] != null && (running[i].isAnswered() || running[i].isLost())) {
                        succeeded += running[i].isAnswered() && running[i].errno() == 0 ? 1 : 0;
                        running[i] = null;
                    }
                    if (running[i] == null && begun < operations) {
                        running[i] = next(cluster, fs, random, directories, files);
                        begun += running[i] == null ? 0 : 1;
                    }
                    busy |= running[i] != null;
                }
                for (int i = 0; i < restartIn.length; i++) {
                    if (!cluster.isUp(i) && restartIn[i] < 0) {
                        crashes++;
                        restartIn[i] = 1 + random.nextInt(300);
                    } else if (restartIn[i] > 0 && --restartIn[i] == 0) {
                        restartIn[i] = -1;
                        cluster.start(i);
                    }
                }
                int victim = random.nextInt(3);
                if (random.nextInt(80) == 0) {
                    cluster.crashAtEvent(victim, random.nextInt(150));
                }
                if (!cluster.step()) {
                    cluster.clock.advance(200_000);
                }
                if (random.nextInt(CHECK_EVERY) == 0) {
                    checks++;
                    check(cluster, seed, "in the middle");
                }
            }
            cluster.noMoreCrashes();
            for (int i = 0; i < cluster.nodeCount(); i++) {
                if (!cluster.isUp(i)) {
                    cluster.start(i);
                }
            }
            cluster.settle();
            try {
                TreeCheck.check(cluster, fs);
            } catch (AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
            assertThat(succeeded).isGreaterThan(operations / 10);
            check(cluster, seed, "at the end");
            assertThat(crashes).isGreaterThan(2);
            assertThat(checks).isGreaterThan(2);
        }
    }

    /** Whatever is under way: if all servers stop now, the offline check finds nothing wrong. */
    private static void check(TxnCluster cluster, long seed, String when) {
        CheckReport report = ClusterCheck.run(cluster.afterPowerLoss());
        assertThat(report.errors()).as("seed %d, %s: %s", seed, when, report).isEmpty();
    }

    private static TestRequest next(
            TxnCluster cluster, TxnFs fs, Random random, List<Long> directories, List<Long> files) {
        long from = directories.get(random.nextInt(directories.size()));
        if (!cluster.isUp(fs.home(from))) {
            return null;
        }
        long to = directories.get(random.nextInt(directories.size()));
        String name = name(random);
        return switch (random.nextInt(10)) {
            case 0 -> fs.mkdirAsync(from, name);
            case 1 -> fs.rmdirAsync(from, name);
            case 2 -> fs.createAsync(from, name);
            case 3 -> fs.unlinkAsync(from, name);
            case 4 -> fs.linkAsync(files.get(random.nextInt(files.size())), from, name);
            case 5 -> fs.renameAsync(from, name, to, name(random), RenameHandler.EXCHANGE);
            case 6 -> fs.renameAsync(from, name, to, name(random), RenameHandler.NOREPLACE);
            default -> fs.renameAsync(from, name, to, name(random), 0);
        };
    }

    private static String name(Random random) {
        return "n" + random.nextInt(NAMES);
    }
}
