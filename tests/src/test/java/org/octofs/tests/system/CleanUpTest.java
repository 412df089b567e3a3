package org.octofs.tests.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** However mounts and clusters end, nothing is left, nothing acknowledged is lost, and the next mount works. */
@Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CleanUpTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @AutoClose
    private static SystemCluster cluster;

    @BeforeAll
    static void up() {
        cluster = SystemCluster.up(2, "64M", "auto", "");
    }

    /** A condition that comes true by itself. */
    private interface Condition {
        boolean holds() throws IOException;
    }

    private static void await(String what, Condition condition) throws IOException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.holds()) {
            assertThat(System.nanoTime() - deadline).as(what).isNegative();
            Leftovers.pause();
        }
    }

    private static void signal(long pid, String signal) {
        Shell.run(new ProcessBuilder("kill", "-" + signal, Long.toString(pid)), "kill", PATIENCE)
                .succeeded();
    }

    private static boolean isMounted(Path where) throws IOException {
        return Leftovers.mountsBelow(where.getParent()).contains(where.toString());
    }

    private static void awaitGone(Path where) throws IOException {
        await("unmounted: " + where, () -> !isMounted(where));
        assertThat(where).isDirectory().isEmptyDirectory();
        await("no process for " + where, () -> Leftovers.processesNaming(where).isEmpty());
    }

    @Test
    void terminatedMountUnmountsItselfAndLosesNothing() throws IOException {
        Path where = cluster.scratch().resolve("terminated");
        cluster.mountAt(where);
        long pid = pidOfMountAt(where);
        byte[] bytes = new byte[3_000_000];
        Arrays.fill(bytes, (byte) 7);
        Files.write(where.resolve("written"), bytes);
        signal(pid, "TERM");
        awaitGone(where);
        assertThat(Files.readAllBytes(cluster.mount().resolve("written"))).isEqualTo(bytes);
        cluster.mountAt(where);
        assertThat(Files.readAllBytes(where.resolve("written"))).isEqualTo(bytes);
        signal(pidOfMountAt(where), "INT");
        awaitGone(where);
    }

    @Test
    void terminatedMountEndsThoughFilesAreOpen() throws IOException {
        Path where = cluster.scratch().resolve("busy");
        cluster.mountAt(where);
        try (RandomAccessFile file = new RandomAccessFile(where.resolve("open").toFile(), "rw")) {
            file.write(new byte[100_000]);
            signal(pidOfMountAt(where), "TERM");
            await("unmounted under its users", () -> !isMounted(where));
            assertThat(Files.size(cluster.mount().resolve("open"))).isEqualTo(100_000);
        } catch (IOException e) {
            // Closing the file of a mount that is gone may fail, and must say so.
            assertThat(e).hasMessageMatching(".*(not connected|abort).*");
        }
        awaitGone(where);
    }

    @Test
    void killedMountLeavesNoDeadMountPoint() throws IOException {
        Path where = cluster.scratch().resolve("killed");
        for (int round = 0; round < 2; round++) {
            cluster.mountAt(where);
            Path file = where.resolve("synced-" + round);
            try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
                open.write(new byte[200_000]);
                open.getFD().sync();
                // Lent space, locks and open files of a client that never says goodbye.
                open.write(new byte[200_000]);
                signal(pidOfMountAt(where), "KILL");
            } catch (IOException e) {
                assertThat(e).hasMessageMatching(".*(not connected|abort|Input/output).*");
            }
            awaitGone(where);
            assertThat(Files.size(cluster.mount().resolve("synced-" + round))).isGreaterThanOrEqualTo(200_000);
        }
        cluster.mountAt(where);
        assertThat(Files.size(where.resolve("synced-0"))).isGreaterThanOrEqualTo(200_000);
        Files.writeString(where.resolve("synced-1"), "again");
        assertThat(cluster.mount().resolve("synced-1")).hasContent("again");
        Octofs.run("umount", where.toString()).succeeded();
        awaitGone(where);
    }

    private static long pidOfMountAt(Path where) throws IOException {
        List<Long> found = new ArrayList<>();
        for (long pid : Leftovers.processesNaming(where)) {
            if (Leftovers.commandLine(pid).contains("cli.Octofs mount")) {
                found.add(pid);
            }
        }
        assertThat(found).as("mount processes of %s", where).hasSize(1);
        return found.getFirst();
    }

    @Test
    void clusterInTheForegroundGoesWithCtrlC() throws IOException {
        Path base = Files.createDirectory(cluster.scratch().resolve("foreground"));
        Path where = base.resolve("mount");
        Path pools = Files.createDirectory(base.resolve("pools"));
        Process dev = Octofs.process(List.of(
                        "dev",
                        "--nodes",
                        "1",
                        "--pool-size",
                        "64M",
                        "--pools",
                        pools.toString(),
                        "--state",
                        base.resolve("state").toString(),
                        "--mount",
                        where.toString()))
                .redirectErrorStream(true)
                .redirectOutput(base.resolve("output").toFile())
                .start();
        try {
            await(
                    "up in the foreground",
                    () -> Files.readString(base.resolve("output")).contains("Ctrl-C"));
            assertThat(isMounted(where)).isTrue();
            Files.writeString(where.resolve("file"), "x");
            signal(dev.pid(), "INT");
            await("the command ends", () -> !dev.isAlive());
        } finally {
            dev.destroyForcibly();
            List<String> left = Leftovers.remove(base, List.of());
            assertThat(left).as("left by the foreground cluster").isEmpty();
        }
        assertThat(base.resolve("state")).doesNotExist();
        try (Stream<Path> files = Files.list(pools)) {
            assertThat(files).as("pools").isEmpty();
        }
    }

    @Test
    void downRemovesEverythingThoughProcessesAreDeadAlready() throws IOException {
        Path mount;
        try (SystemCluster broken = SystemCluster.up(2, "64M", "auto", "")) {
            mount = broken.mount();
            Path mount2 = broken.addMount2();
            Files.writeString(mount2.resolve("file"), "x");
            broken.kill(1);
            signal(broken.mountPid(1), "KILL");
            signal(broken.serverPid(0), "KILL");
            // Closing checks what is left.
        }
        assertThat(mount).doesNotExist();
    }

    @Test
    void stoppedServersKeepEverything() throws IOException {
        try (SystemCluster stopped = SystemCluster.up(2, "64M", "auto", "")) {
            for (int i = 0; i < 10; i++) {
                Path folder = Files.createDirectory(stopped.mount().resolve("folder-" + i));
                Files.writeString(folder.resolve("file"), "content " + i);
            }
            for (int node = 0; node < 2; node++) {
                long pid = stopped.serverPid(node);
                signal(pid, "TERM");
                await("server ends at SIGTERM", () -> ProcessHandle.of(pid).isEmpty());
            }
            stopped.start(0);
            stopped.start(1);
            for (int i = 0; i < 10; i++) {
                assertThat(stopped.mount().resolve("folder-" + i + "/file")).hasContent("content " + i);
            }
        }
    }
}
