package org.octofs.tests.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A directory whose mount process and its watchdog were killed: "mounted" is said only of a mount that serves. */
@Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeadMountTest {
    @AutoClose
    private static SystemCluster cluster;

    @BeforeAll
    static void up() {
        cluster = SystemCluster.up(2, "64M", "auto", "");
    }

    private static void kill(long pid) {
        ProcessHandle.of(pid).ifPresent(process -> {
            process.destroyForcibly();
            process.onExit().join();
        });
    }

    /** Leaves the dead mount behind that nobody takes away any more. */
    private static Path deadMount(String name) throws IOException {
        Path where = cluster.scratch().resolve(name);
        cluster.mountAt(where);
        List<Long> processes = Leftovers.processesNaming(where);
        for (long pid : processes) {
            if (Leftovers.commandLine(pid).contains("octofs-watchdog")) {
                kill(pid);
            }
        }
        for (long pid : processes) {
            kill(pid);
        }
        assertThat(Leftovers.mountsBelow(cluster.scratch())).contains(where.toString());
        assertThat(Files.isDirectory(where)).isFalse();
        return where;
    }

    private static List<String> statusOf(Path where) {
        return cluster.dev("status")
                .succeeded()
                .output()
                .lines()
                .filter(line -> line.contains(" " + where + " "))
                .toList();
    }

    private static List<String> stateFiles() throws IOException {
        try (Stream<Path> files = Files.list(cluster.state())) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("mount-"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void devMountSaysMountedOnceItServes() throws IOException {
        Files.writeString(cluster.mount().resolve("file"), "content");
        List<String> before =
                stateFiles().stream().filter(name -> !name.endsWith(".log")).toList();
        Path where = deadMount("dead");
        for (int round = 0; round < 2; round++) {
            cluster.mountAt(where);
            // At once: no dead mount is left for a moment.
            assertThat(Files.readString(where.resolve("file"), StandardCharsets.UTF_8))
                    .isEqualTo("content");
            assertThat(statusOf(where)).hasSize(1).first().asString().contains("pid", ", mounted");
            Octofs.run("umount", where.toString()).succeeded();
            deadMount("dead");
        }
        assertThat(statusOf(where)).hasSize(1).first().asString().contains("dead", "not served", "mount again");
        cluster.mountAt(where);
        // Where it is, its process, and what it has announced; the log of a mount that failed may be there as well.
        assertThat(stateFiles().stream().filter(name -> !name.endsWith(".log"))).hasSize(before.size() + 3);
        String index = statusOf(where).getFirst().split(" ", -1)[1];
        assertThat(stateFiles())
                .contains("mount-" + index + ".log")
                .doesNotContain("mount-" + (Integer.parseInt(index) - 1) + ".log");
        Octofs.run("umount", where.toString()).succeeded();
    }

    @Test
    void devMountThatFailsSaysSo() throws IOException {
        Path where = deadMount("fails");
        assertThat(cluster.dev("mount", "-o", "foo", where.toString()).refused().output())
                .contains("unknown mount option 'foo'")
                .doesNotContain("mounted at");
        cluster.kill(0);
        try {
            assertThat(cluster.dev("mount", "-o", "timeout=1", where.toString())
                            .refused()
                            .output())
                    .contains("cannot mount " + where + ": node 0 at ", "does not answer", "start its server")
                    .doesNotContain("mounted at", "opcode", "INFO");
        } finally {
            cluster.start(0);
        }
        cluster.mountAt(where);
        assertThat(where).isDirectory();
        Octofs.run("umount", where.toString()).succeeded();
    }

    @Test
    void statusForgetsADeadMountWhoseDirectoryAnotherServes() throws IOException {
        Path where = deadMount("served");
        assertThat(statusOf(where)).hasSize(1);
        Octofs.run(
                        "mount",
                        cluster.clusterFile().toString(),
                        where.toString(),
                        "--log",
                        cluster.scratch().resolve("served.log").toString())
                .succeeded();
        assertThat(where).isDirectory();
        List<String> before = stateFiles();
        assertThat(statusOf(where)).isEmpty();
        assertThat(stateFiles()).hasSizeLessThan(before.size());
        // Nor does dev take it for its own.
        assertThat(cluster.dev("mount", where.toString()).refused().output()).contains("mounted already");
        assertThat(where).isDirectory();
        Octofs.run("umount", where.toString()).succeeded();
    }
}
