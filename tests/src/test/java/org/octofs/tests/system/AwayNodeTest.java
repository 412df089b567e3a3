package org.octofs.tests.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.octofs.rpc.protocol.InodeNumber;

/** What goes on while one of two nodes is down, and what is still held once it is back: new mounts, and locks. */
@Timeout(value = 4, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AwayNodeTest {
    private static final int DEADLINE_SECONDS = 4;
    private static final int FOLDERS_MAX = 100;

    private SystemCluster cluster;

    @AfterEach
    void down() {
        if (cluster != null) {
            cluster.close();
        }
    }

    private int homeOf(Path path) throws IOException {
        long inode = (Long) Files.getAttribute(path, "unix:ino");
        return cluster.map().homeOf(InodeNumber.shard(inode));
    }

    /** A directory in the root that is at home on the node, and so are the files in it. */
    private Path folderOn(int node) throws IOException {
        for (int i = 0; i < FOLDERS_MAX; i++) {
            Path folder = Files.createDirectory(cluster.mount().resolve("on-" + node + "-" + i));
            if (homeOf(folder) == node) {
                return folder;
            }
        }
        throw new AssertionError("no folder of " + FOLDERS_MAX + " is at home on node " + node);
    }

    private static void assertFails(Path file) {
        assertThatThrownBy(() -> Files.readString(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Input/output error");
    }

    @ParameterizedTest
    @ValueSource(strings = {"kernel", "jnr"})
    void aMountComesUpWithoutANodeThatItDoesNotNeedYet(String binding) throws IOException {
        cluster = SystemCluster.up(2, "64M", "auto", "timeout=" + DEADLINE_SECONDS + ",binding=" + binding);
        Path here = Files.writeString(folderOn(0).resolve("file"), "on node 0");
        Path away = Files.writeString(folderOn(1).resolve("file"), "on node 1");
        cluster.kill(1);
        Path mount2 = cluster.addMount2();
        Path hereToo = mount2.resolve(cluster.mount().relativize(here));
        Path awayToo = mount2.resolve(cluster.mount().relativize(away));
        assertThat(Files.getAttribute(mount2, "unix:ino")).isEqualTo(1L);
        assertThat(hereToo).hasContent("on node 0");
        Files.writeString(hereToo.resolveSibling("new"), "written meanwhile");
        assertThat(here.resolveSibling("new")).hasContent("written meanwhile");
        long start = System.nanoTime();
        assertFails(awayToo);
        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .isBetween(Duration.ofSeconds(DEADLINE_SECONDS - 1), Duration.ofSeconds(3 * DEADLINE_SECONDS + 20));
        cluster.start(1);
        assertThat(awayToo).hasContent("on node 1");
        Files.writeString(awayToo.resolveSibling("new"), "written by the new mount");
        assertThat(away.resolveSibling("new")).hasContent("written by the new mount");
    }

    @ParameterizedTest
    @ValueSource(strings = {"kernel", "jnr"})
    void locksOutliveTheRestartOfTheirHome(String binding) throws Exception {
        Shell.requirePrograms("flock");
        cluster = SystemCluster.up(2, "64M", "auto", "binding=" + binding);
        Path mount2 = cluster.addMount2();
        Path ranges = Files.createFile(folderOn(1).resolve("ranges"));
        Path whole = Files.createFile(ranges.resolveSibling("whole"));
        Path rangesToo = mount2.resolve(cluster.mount().relativize(ranges));
        Path wholeToo = mount2.resolve(cluster.mount().relativize(whole));
        Process holder = holdFlock(whole);
        try (FileChannel mine = FileChannel.open(ranges, StandardOpenOption.WRITE);
                FileChannel theirs = FileChannel.open(rangesToo, StandardOpenOption.WRITE);
                ExecutorService other = Executors.newSingleThreadExecutor()) {
            FileLock lock = mine.lock(10, 10, false);
            assertThat(grabs(theirs)).isFalse();
            AtomicBoolean over = new AtomicBoolean();
            // From before the kill until after the restart: at no moment may it get one.
            Future<Integer> grabbed = other.submit(() -> {
                int count = 0;
                do {
                    count += grabs(theirs) || grabs(wholeToo) ? 1 : 0;
                } while (!over.get());
                return count;
            });
            for (int round = 0; round < 2; round++) {
                cluster.kill(1);
                cluster.start(1);
                // Not the locked file: closing it would drop its locks.
                Files.createFile(ranges.resolveSibling("round-" + round));
            }
            over.set(true);
            assertThat(grabbed.get(2, TimeUnit.MINUTES)).as("locks grabbed").isZero();
            assertThat(grabs(theirs)).isFalse();
            assertThat(grabs(wholeToo)).isFalse();
            lock.release();
            assertThat(grabs(theirs)).as("once it is released").isTrue();
            end(holder);
            assertThat(grabs(wholeToo)).as("once its holder has ended").isTrue();
        } finally {
            holder.destroyForcibly();
        }
    }

    /** A client that cannot tell what it holds yet is waited for. */
    @ParameterizedTest
    @ValueSource(strings = {"kernel", "jnr"})
    void aClientThatIsSlowToComeBackKeepsItsLocks(String binding) throws Exception {
        cluster = SystemCluster.up(2, "64M", "auto", "binding=" + binding);
        Path mount2 = cluster.addMount2();
        Path file = Files.createFile(folderOn(1).resolve("file"));
        Path fileToo = mount2.resolve(cluster.mount().relativize(file));
        long client = cluster.mountPid(0);
        // No file of the stopped mount may be open here: the end of any child would wait for it.
        Process holder = holdFlock(file);
        try (ExecutorService other = Executors.newSingleThreadExecutor()) {
            signal("STOP", client);
            Future<Boolean> grabbed;
            try {
                cluster.kill(1);
                cluster.start(1);
                grabbed = other.submit(() -> grabs(fileToo));
                assertThatThrownBy(() -> grabbed.get(3, TimeUnit.SECONDS)).isInstanceOf(TimeoutException.class);
            } finally {
                signal("CONT", client);
            }
            assertThat(grabbed.get(1, TimeUnit.MINUTES)).isFalse();
            end(holder);
            assertThat(grabs(fileToo)).isTrue();
        } finally {
            holder.destroyForcibly();
        }
    }

    private static Process holdFlock(Path file) throws IOException {
        Process holder = new ProcessBuilder("flock", file.toString(), "sh", "-c", "echo held; read x").start();
        assertThat(holder.inputReader().readLine()).isEqualTo("held");
        return holder;
    }

    private static void end(Process holder) throws IOException, InterruptedException {
        holder.outputWriter().append('\n').close();
        assertThat(holder.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }

    private static void signal(String signal, long pid) {
        Shell.run(new ProcessBuilder("kill", "-" + signal, Long.toString(pid)), "kill", Leftovers.PATIENCE)
                .succeeded();
    }

    private static boolean grabs(FileChannel channel) throws IOException {
        try (FileLock lock = channel.tryLock(15, 1, false)) {
            return lock != null;
        }
    }

    private static boolean grabs(Path file) {
        return Shell.run(new ProcessBuilder("flock", "-n", file.toString(), "true"), "flock", Leftovers.PATIENCE)
                        .code()
                == 0;
    }
}
