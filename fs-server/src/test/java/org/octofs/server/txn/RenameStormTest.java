package org.octofs.server.txn;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.octofs.rpc.protocol.Errno;
import org.octofs.server.ops.RenameHandler;

/**
 * Goal: clients that rename the same files and directories across servers at the same time lose none, double none, make no
 * loop and wait for each other for ever never; also when servers crash and come back meanwhile. Method: a few files and
 * directories, each with a name of its own, moved at random by four clients over three servers; then every one of them has to be
 * there exactly once, under its name, in a sound tree.
 */
class RenameStormTest {
    private static final int CLIENTS = 4;
    private static final int FILES = 6;
    private static final int DIRECTORIES = 6;
    private static final Set<Errno> EXPECTED =
            Set.of(Errno.OK, Errno.ENOENT, Errno.EINVAL, Errno.ENOTEMPTY, Errno.EEXIST, Errno.ESTALE);

    private final List<Long> directories = new ArrayList<>();
    private final List<String> directoryNames = new ArrayList<>();
    private final Set<String> names = new HashSet<>();
    private int succeeded;
    private int lost;
    private int crashCount;

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void withoutCrashes(long seed) {
        storm(seed, 300, false);
        assertThat(lost).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void withCrashes(long seed) {
        storm(seed, 300, true);
        assertThat(crashCount).isGreaterThan(3);
    }

    private void storm(long seed, int operations, boolean crashes) {
        Random random = new Random(seed);
        try (TxnCluster cluster = new TxnCluster(3, seed)) {
            TxnFs fs = new TxnFs(cluster);
            directories.add(TxnFs.ROOT);
            for (int i = 0; i < DIRECTORIES; i++) {
                String name = fs.nameFor(TxnFs.ROOT, i % 3, "dir" + i + "-");
                directories.add(fs.mkdir(TxnFs.ROOT, name));
                directoryNames.add(name);
                names.add(name);
            }
            for (int i = 0; i < FILES; i++) {
                fs.create(directories.get(1 + i % DIRECTORIES), "file" + i);
                names.add("file" + i);
            }
            cluster.settle();
            cluster.crashesKeep(TxnCluster.Kept.RANDOM);
            TestRequest[] running = new TestRequest[CLIENTS];
            int begun = 0;
            int[] restartIn = {-1, -1, -1};
            for (int guard = 0; begun < operations || isRunning(running); guard++) {
                assertThat(guard).as("seed %d: the storm ends", seed).isLessThan(3_000_000);
                for (int i = 0; i < CLIENTS; i++) {
                    if (running[i] != null && (running[i].isAnswered() || running[i].isLost())) {
                        count(running[i], seed);
                        running[i] = null;
                    }
                    if (running[i] == null && begun < operations) {
                        running[i] = next(cluster, fs, random);
                        begun += running[i] == null ? 0 : 1;
                    }
                }
                if (crashes) {
                    crashAndRestart(cluster, random, restartIn);
                }
                if (!cluster.step()) {
                    cluster.clock.advance(200_000);
                }
            }
            cluster.noMoreCrashes();
            for (int i = 0; i < cluster.nodeCount(); i++) {
                if (!cluster.isUp(i)) {
                    cluster.start(i);
                }
            }
            cluster.settle();
            Map<String, Long> tree = TreeCheck.check(cluster, fs);
            List<String> found = tree.keySet().stream()
                    .map(path -> path.replaceAll("/$", ""))
                    .map(path -> path.substring(path.lastIndexOf('/') + 1))
                    .toList();
            assertThat(found).as("seed %d", seed).containsExactlyInAnyOrderElementsOf(names);
            assertThat(succeeded).isGreaterThan(operations / 6);
        }
    }

    private void crashAndRestart(TxnCluster cluster, Random random, int[] restartIn) {
        for (int i = 0; i < restartIn.length; i++) {
            if (!cluster.isUp(i) && restartIn[i] < 0) {
                crashCount++;
                restartIn[i] = 1 + random.nextInt(200);
            } else if (restartIn[i] > 0 && --restartIn[i] == 0) {
                restartIn[i] = -1;
                cluster.start(i);
            }
        }
        if (random.nextInt(80) == 0) {
            int victim = random.nextInt(cluster.nodeCount());
            cluster.crashAtEvent(victim, random.nextInt(150));
        }
    }

    private TestRequest next(TxnCluster cluster, TxnFs fs, Random random) {
        String name = random.nextInt(3) == 0
                ? directoryNames.get(random.nextInt(DIRECTORIES))
                : "file" + random.nextInt(FILES);
        long from = directories.get(random.nextInt(directories.size()));
        // Mostly where it is now; it may have gone again when the request is served.
        for (int i = 0; i < 40 && !(cluster.isUp(fs.home(from)) && fs.list(from).containsKey(name)); i++) {
            from = directories.get(random.nextInt(directories.size()));
        }
        if (!cluster.isUp(fs.home(from))) {
            return null;
        }
        long to = directories.get(random.nextInt(directories.size()));
        int flags = random.nextInt(4) == 0 ? RenameHandler.NOREPLACE : 0;
        return fs.renameAsync(from, name, to, name, flags);
    }

    private void count(TestRequest request, long seed) {
        if (request.isLost()) {
            lost++;
            return;
        }
        Errno errno = TxnCluster.errnoOf(request);
        assertThat(errno).as("seed %d", seed).isIn(EXPECTED);
        succeeded += errno == Errno.OK ? 1 : 0;
    }

    private static boolean isRunning(TestRequest[] running) {
        for (TestRequest request : running) {
            if (request != null) {
                return true;
            }
        }
        return false;
    }
}
