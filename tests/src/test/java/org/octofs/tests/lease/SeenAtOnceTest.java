package org.octofs.tests.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.octofs.client.client.ClientCounter;
import org.octofs.tests.support.LocalCluster;

/**
 * Goal: a mount that looks at a file again and again asks nobody, and sees each change of another mount at its very next call.
 * Method: one mount looks, the other changes, in one thread.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SeenAtOnceTest {
    private static final int QUICK_ROUNDS = 300;
    private static final int SLOW_ROUNDS = 10_000;
    private static final int KINDS = 8;

    private static LocalCluster cluster;
    private static LeasedMount looker;
    private static LeasedMount changer;

    private Path seen;
    private Path changed;

    @BeforeAll
    static void up() throws IOException {
        cluster = LocalCluster.start(2, LocalCluster.Transport.SHM);
        looker = new LeasedMount(cluster, Duration.ZERO);
        changer = new LeasedMount(cluster, Duration.ZERO);
    }

    @AfterAll
    static void down() throws IOException {
        try (LocalCluster all = cluster;
                LeasedMount one = looker;
                LeasedMount other = changer) {
            assertThat(all).isNotNull();
            assertThat(one).isNotNull();
            assertThat(other).isNotNull();
        }
    }

    @BeforeEach
    void folder(TestInfo test) throws IOException {
        String name = test.getTestMethod().orElseThrow().getName();
        seen = Files.createDirectory(looker.directory().resolve(name));
        changed = changer.directory().resolve(name);
    }

    private void look(Path file, int times) throws IOException {
        for (int i = 0; i < times; i++) {
            Files.readAttributes(file, "unix:*");
        }
    }

    @Test
    void aRepeatedStatAsksNobody() throws IOException {
        Path file = seen.resolve("file");
        Files.writeString(file, "text");
        long start = System.nanoTime();
        // The leases of what is above it come one after the other, and the close of the file comes late.
        while (System.nanoTime() - start < 1_500_000_000L) {
            look(file, 1);
        }
        long looks = looker.looks();
        long calls = looker.calls();
        start = System.nanoTime();
        int count = 0;
        while (System.nanoTime() - start < 300_000_000L) {
            look(file, 1);
            count++;
        }
        // The terms of three names and their inodes may end once in that time, not more.
        assertThat(looker.looks() - looks).as("of %s", count).isLessThanOrEqualTo(8);
        assertThat(looker.calls() - calls).isZero();
        looks = looker.looks();
        while (System.nanoTime() - start < 4_000_000_000L) {
            look(file, 1);
        }
        assertThat(looker.looks() - looks).isLessThanOrEqualTo(8 * 5);
        assertThat(looker.calls() - calls).isZero();
        assertThat(looker.client().counters().get(ClientCounter.LEASES)).isPositive();
    }

    @Test
    void aNameThatDoesNotExistIsLookedForByOneRead() throws IOException {
        Path missing = seen.resolve("missing");
        long start = System.nanoTime();
        while (System.nanoTime() - start < 1_500_000_000L) {
            assertThat(missing).doesNotExist();
        }
        long calls = looker.calls();
        long reads = looker.client().counters().get(ClientCounter.READ_VERBS);
        for (int i = 0; i < 100; i++) {
            assertThat(missing).doesNotExist();
        }
        assertThat(looker.calls() - calls).isZero();
        // And some where a term of what is above it begins anew.
        assertThat(looker.client().counters().get(ClientCounter.READ_VERBS) - reads)
                .isLessThanOrEqualTo(100 + 16);
        for (int round = 0; round < 20; round++) {
            Files.writeString(changed.resolve("missing"), "now");
            assertThat(missing).hasContent("now");
            Files.delete(changed.resolve("missing"));
            assertThat(missing).doesNotExist();
        }
    }

    @Test
    void eachChangeIsSeenByTheNextCall() throws IOException {
        rounds(QUICK_ROUNDS, new Random(11));
    }

    @Tag("slow")
    @Test
    void tenThousandChangesAreSeenByTheNextCall() throws IOException {
        rounds(SLOW_ROUNDS, new Random(12));
    }

    private void rounds(int count, Random random) throws IOException {
        long recalls = looker.client().counters().get(ClientCounter.RECALLS);
        long worst = 0;
        Map<Integer, Long> times = new TreeMap<>();
        // The second folder is another server's, or not: names and inodes of several homes.
        for (int i = 0; i < 4; i++) {
            Files.createDirectory(changed.resolve("d" + i));
        }
        String content = "first";
        String name = "d0/file";
        Files.writeString(changed.resolve(name), content);
        for (int round = 0; round < count; round++) {
            look(seen.resolve(name), 1 + random.nextInt(4));
            assertThat(Files.readString(seen.resolve(name))).isEqualTo(content);
            int kind = random.nextInt(KINDS);
            long start = System.nanoTime();
            switch (kind) {
                case 0 -> {
                    content = "round " + round + "x".repeat(random.nextInt(9000));
                    Files.writeString(changed.resolve(name), content);
                }
                case 1 -> {
                    Files.writeString(changed.resolve(name), "+" + round, StandardOpenOption.APPEND);
                    content += "+" + round;
                }
                case 2 -> {
                    content = "new " + round;
                    Path fresh = changed.resolve("d" + random.nextInt(4) + "/fresh");
                    Files.writeString(fresh, content);
                    Files.move(fresh, changed.resolve(name), StandardCopyOption.ATOMIC_MOVE);
                }
                case 3 -> {
                    String before = name;
                    name = "d" + random.nextInt(4) + "/file" + round;
                    Files.move(changed.resolve(before), changed.resolve(name));
                    assertThat(seen.resolve(before)).doesNotExist();
                }
                case 4 -> {
                    Files.delete(changed.resolve(name));
                    assertThat(seen.resolve(name)).doesNotExist();
                    content = "again " + round;
                    Files.writeString(changed.resolve(name), content);
                }
                case 5 -> {
                    String mode = random.nextBoolean() ? "rw-r-----" : "rwxr-xr--";
                    Files.setPosixFilePermissions(changed.resolve(name), PosixFilePermissions.fromString(mode));
                    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(seen.resolve(name))))
                            .isEqualTo(mode);
                }
                case 6 -> {
                    Path other = changed.resolve("d" + random.nextInt(4) + "/link" + round);
                    Files.createLink(other, changed.resolve(name));
                    assertThat(Files.getAttribute(seen.resolve(name), "unix:nlink"))
                            .isEqualTo(2);
                    Files.delete(other);
                    assertThat(Files.getAttribute(seen.resolve(name), "unix:nlink"))
                            .isEqualTo(1);
                }
                default -> {
                    // A directory above it moves.
                    String directory = name.substring(0, name.indexOf('/'));
                    Files.move(changed.resolve(directory), changed.resolve("moved"));
                    assertThat(seen.resolve(name)).doesNotExist();
                    assertThat(seen.resolve("moved" + name.substring(name.indexOf('/'))))
                            .exists();
                    Files.move(changed.resolve("moved"), changed.resolve(directory));
                }
            }
            long took = System.nanoTime() - start;
            times.merge(kind, took, Long::sum);
            worst = Math.max(worst, took);
            assertThat(Files.size(seen.resolve(name)))
                    .as("round %s, kind %s", round, kind)
                    .isEqualTo(content.getBytes(StandardCharsets.UTF_8).length);
            assertThat(Files.readString(seen.resolve(name)))
                    .as("round %s, kind %s", round, kind)
                    .isEqualTo(content);
        }
        recalls = looker.client().counters().get(ClientCounter.RECALLS) - recalls;
        System.out.printf(
                "%d rounds, %d recalls, longest change %.1f ms, all changes %.1f s, unanswered %s%n",
                count,
                recalls,
                worst / 1e6,
                times.values().stream().mapToLong(Long::longValue).sum() / 1e9,
                cluster.unansweredLeases());
        assertThat(recalls).isGreaterThan(count / 10);
        // A home's patience, where names could not be taken along to another directory.
        assertThat(worst).isLessThan(4_000_000_000L);
    }
}
