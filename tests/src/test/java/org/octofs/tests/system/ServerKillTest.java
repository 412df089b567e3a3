package org.octofs.tests.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Servers are killed with SIGKILL in the middle of writing. The mount goes on by itself when they are back, and all that was
 * fsynced is there, through another mount that has nothing cached.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ServerKillTest {
    /** A mount waits so long for a server by default, and tells us so in its help. */
    private static final Duration DEADLINE = Duration.ofSeconds(60);

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int ROUNDS = 12;

    private SystemCluster cluster;
    private final List<SyncedFiles> writers = new ArrayList<>();

    @AfterEach
    void down() {
        writers.forEach(SyncedFiles::close);
        if (cluster != null) {
            cluster.close();
        }
    }

    @Test
    void writersSurviveKillsOfEachNode() throws Exception {
        cluster = SystemCluster.up(2, "256M", "auto", "");
        startWriters();
        for (int node : new int[] {0, 1, 0}) {
            awaitRounds(ROUNDS);
            cluster.kill(node);
            cluster.start(node);
        }
        awaitRounds(ROUNDS);
        finish();
    }

    @Test
    void writersSurviveTheKillOfAllNodesAtOnce() throws Exception {
        cluster = SystemCluster.up(2, "256M", "auto", "");
        startWriters();
        awaitRounds(ROUNDS);
        cluster.kill(0);
        cluster.kill(1);
        cluster.start(1);
        cluster.start(0);
        awaitRounds(ROUNDS);
        finish();
    }

    @Test
    void writersSurviveKillsOverTcp() throws Exception {
        cluster = SystemCluster.up(2, "256M", "tcp", "");
        startWriters();
        awaitRounds(ROUNDS);
        cluster.kill(1);
        cluster.start(1);
        awaitRounds(ROUNDS);
        finish();
    }

    @Test
    void callsFailAtTheirDeadlineWhileServersAreAwayAndWorkAgainAfterwards() throws Exception {
        int seconds = 3;
        cluster = SystemCluster.up(2, "64M", "auto", "timeout=" + seconds);
        Path folder = Files.createDirectory(cluster.mount().resolve("folder"));
        Path file = Files.writeString(folder.resolve("file"), "kept");
        cluster.kill(0);
        cluster.kill(1);
        long start = System.nanoTime();
        assertThatThrownBy(() -> Files.createDirectory(cluster.mount().resolve("other")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Input/output error");
        assertThatThrownBy(() -> Files.writeString(folder.resolve("new"), "lost"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Input/output error");
        // Two calls; the kernel may look a name up before each.
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(4 * seconds + 20));
        cluster.start(0);
        cluster.start(1);
        assertThat(file).hasContent("kept");
        Files.writeString(folder.resolve("new"), "found");
        Files.createDirectory(cluster.mount().resolve("third"));
        assertThat(folder.resolve("new")).hasContent("found");
    }

    /** Two, so that one of them is at work whatever the other waits for; folders tend to be at home on different nodes. */
    private void startWriters() throws IOException {
        for (int i = 0; i < 2; i++) {
            String name = "writer-" + i;
            writers.add(new SyncedFiles(
                    cluster.mount().resolve(name), cluster.scratch().resolve(name)));
        }
    }

    /** Waits until each writer has done so many rounds more. */
    private void awaitRounds(int more) throws IOException {
        List<Integer> wanted = new ArrayList<>();
        for (SyncedFiles writer : writers) {
            wanted.add(writer.rounds() + more);
        }
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        for (int i = 0; i < wanted.size(); i++) {
            while (writers.get(i).rounds() < wanted.get(i)) {
                writers.get(i).assertGoesOn();
                assertThat(System.nanoTime() - deadline)
                        .as("writer %s stands still", i)
                        .isNegative();
                Leftovers.pause();
            }
        }
    }

    private void finish() throws IOException, InterruptedException {
        for (SyncedFiles writer : writers) {
            writer.finish(DEADLINE);
        }
        Path other = cluster.addMount2();
        for (SyncedFiles writer : writers) {
            writer.check(other);
            writer.check(cluster.mount());
        }
    }
}
