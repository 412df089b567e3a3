package org.octofs.tests.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: leases cost others a bounded wait when their holder is stopped or killed, and nobody sees anything old after a home that had granted
 * them was killed. Method: two mounts, that is two processes, and signals.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LeaseFaultsTest {
    private static final int FILES = 20;
    /** Patience of a home, twice, on a machine under load. */
    private static final long BOUND_NANOS = 15_000_000_000L;

    private static SystemCluster cluster;

    @BeforeAll
    static void up() {
        cluster = SystemCluster.up(2, "128M", "auto", "binding=kernel");
        cluster.addMount2();
    }

    @AfterAll
    static void down() {
        if (cluster != null) {
            cluster.close();
        }
    }

    private static void signal(String name, long pid) {
        Shell.run(new ProcessBuilder("kill", "-" + name, Long.toString(pid)), "kill", java.time.Duration.ofSeconds(10))
                .succeeded();
    }

    /** Files through the second mount, which keeps their attributes and names. */
    private static Path[] kept(TestInfo test) throws IOException {
        String name = test.getTestMethod().orElseThrow().getName();
        Path folder = Files.createDirectory(cluster.mount().resolve(name));
        Path[] files = new Path[FILES];
        for (int i = 0; i < FILES; i++) {
            Files.writeString(folder.resolve("file" + i), "old");
            files[i] = cluster.mount2().resolve(name).resolve("file" + i);
        }
        for (int look = 0; look < 4; look++) {
            for (Path file : files) {
                assertThat(Files.size(file)).isEqualTo(3);
            }
        }
        return files;
    }

    private static Path throughFirst(Path file) {
        return cluster.mount().resolve(cluster.mount2().relativize(file));
    }

    private static void changeAll(Path[] files) throws IOException {
        for (int i = 0; i < files.length; i++) {
            Path file = throughFirst(files[i]);
            if (i % 2 == 0) {
                Files.writeString(file, "newer");
            } else {
                Files.delete(file);
            }
        }
    }

    private static void assertAllSeen(Path[] files) throws IOException {
        for (int i = 0; i < files.length; i++) {
            if (i % 2 == 0) {
                assertThat(Files.size(files[i])).as("file %s", i).isEqualTo(5);
                assertThat(files[i]).hasContent("newer");
            } else {
                assertThat(files[i]).doesNotExist();
            }
        }
    }

    @Test
    void aStoppedMountCostsTheOtherABoundedWait(TestInfo test) throws IOException {
        Path[] files = kept(test);
        long mount2 = cluster.mountPid(1);
        signal("STOP", mount2);
        try {
            long start = System.nanoTime();
            changeAll(files);
            assertThat(System.nanoTime() - start).isLessThan(BOUND_NANOS);
        } finally {
            signal("CONT", mount2);
        }
        assertAllSeen(files);
    }

    @Test
    void nobodySeesAnythingOldAfterAHomeWasKilled(TestInfo test) throws Exception {
        Path[] files = kept(test);
        for (int node = 0; node < 2; node++) {
            cluster.killNow(node);
            cluster.start(node);
        }
        changeAll(files);
        assertAllSeen(files);
        // And leases are had again.
        for (int look = 0; look < 4; look++) {
            for (int i = 0; i < files.length; i += 2) {
                assertThat(Files.size(files[i])).isEqualTo(5);
            }
        }
        for (int i = 0; i < files.length; i += 2) {
            Files.writeString(throughFirst(files[i]), "newest");
            assertThat(Files.size(files[i])).isEqualTo(6);
        }
    }

    @Test
    void nobodySeesAnythingOldWhileAHomeComesBack(TestInfo test) throws Exception {
        Path[] files = kept(test);
        for (int round = 0; round < 4; round++) {
            int node = round % 2;
            cluster.killNow(node);
            Thread looker = Thread.ofPlatform().daemon().start(() -> {
                for (int i = 0; i < files.length; i++) {
                    assertThat(files[i].toFile().length()).isNotNegative();
                }
            });
            cluster.start(node);
            for (int i = 0; i < files.length; i++) {
                String content = "round " + round + "x".repeat(i);
                Files.writeString(throughFirst(files[i]), content);
                assertThat(Files.size(files[i]))
                        .as("file %s, round %s", i, round)
                        .isEqualTo(content.length());
            }
            looker.join();
        }
    }
}
