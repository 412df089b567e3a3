package org.octofs.tests.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.octofs.client.client.ClientCounter;
import org.octofs.client.client.OpenFlags;
import org.octofs.tests.posix.PosixException;
import org.octofs.tests.posix.SyscallPosix;
import org.octofs.tests.support.LocalCluster;

/**
 * Goal: what a call shows is never older than a change that had returned before the call began, on whichever mount; and nobody waits for
 * each other for long. Method: each of eight threads, four on each mount, changes files of its own, whose permissions are a number that
 * grows, and looks at those of all others.
 */
@Timeout(value = 15, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RacingLooksTest {
    private static final int TASKS = 8;
    private static final int NUMBERS = 512;
    private static final long QUICK_NANOS = 8_000_000_000L;
    private static final long SLOW_NANOS = 300_000_000_000L;
    private static final long CALL_NANOS_MAX = 8_000_000_000L;

    private static LocalCluster cluster;
    private static LeasedMount first;
    private static LeasedMount second;

    /** Changes of each task's file that have begun, and that have returned. */
    private static final class Version {
        final AtomicLong begun = new AtomicLong();
        final AtomicLong done = new AtomicLong();
    }

    @BeforeAll
    static void up() throws IOException {
        cluster = LocalCluster.start(2, LocalCluster.Transport.SHM);
        first = new LeasedMount(cluster, Duration.ZERO);
        second = new LeasedMount(cluster, Duration.ZERO);
    }

    @AfterAll
    static void down() throws IOException {
        try (LocalCluster all = cluster;
                LeasedMount one = first;
                LeasedMount other = second) {
            assertThat(all).isNotNull();
            assertThat(one).isNotNull();
            assertThat(other).isNotNull();
        }
    }

    @Test
    void attributes() throws Exception {
        race("attributes", QUICK_NANOS, RacingLooksTest::changeMode);
    }

    @Test
    void namesInDirectoriesOfTheirOwn() throws Exception {
        race("own", QUICK_NANOS, RacingLooksTest::replace);
    }

    @Test
    void namesInOneDirectory() throws Exception {
        race("shared", QUICK_NANOS, RacingLooksTest::replace);
    }

    @Tag("slow")
    @Test
    void namesInOneDirectoryForLong() throws Exception {
        race("shared-slow", SLOW_NANOS, RacingLooksTest::replace);
    }

    @Tag("slow")
    @Test
    void attributesForLong() throws Exception {
        race("attributes-slow", SLOW_NANOS, RacingLooksTest::changeMode);
    }

    private interface Change {
        void make(SyscallPosix calls, String path, int mode, Random random) throws PosixException;
    }

    private static void changeMode(SyscallPosix calls, String path, int mode, Random random) throws PosixException {
        calls.changeMode(bytes(path), mode);
    }

    /** Another inode for the name. */
    private static void replace(SyscallPosix calls, String path, int mode, Random random) throws PosixException {
        byte[] fresh = bytes(path + "-fresh");
        calls.close(calls.open(fresh, OpenFlags.CREAT | OpenFlags.EXCL | OpenFlags.RDWR, 0));
        calls.changeMode(fresh, mode);
        if (random.nextInt(4) == 0) {
            // The name is not there for a moment, which nobody minds.
            calls.unlink(bytes(path));
        }
        calls.rename(fresh, bytes(path), 0);
    }

    private static String path(String folder, int task) {
        return folder.startsWith("shared") ? folder + "/file" + task : folder + "/d" + task + "/file";
    }

    private static void race(String folder, long nanos, Change change) throws Exception {
        Files.createDirectory(first.directory().resolve(folder));
        List<Version> versions = new ArrayList<>();
        for (int i = 0; i < TASKS; i++) {
            versions.add(new Version());
            java.nio.file.Path file = first.directory().resolve(path(folder, i));
            Files.createDirectories(file.getParent());
            Files.createFile(file);
            Files.setPosixFilePermissions(file, java.util.Set.of());
        }
        try (SyscallPosix _ = new SyscallPosix(first.directory());
                ExecutorService pool = Executors.newFixedThreadPool(TASKS)) {
            List<Callable<long[]>> tasks = new ArrayList<>();
            for (int i = 0; i < TASKS; i++) {
                int task = i;
                LeasedMount mount = i % 2 == 0 ? first : second;
                tasks.add(() -> work(mount, folder, task, versions, nanos, change));
            }
            long calls = 0;
            long changes = 0;
            long worst = 0;
            for (Future<long[]> future : pool.invokeAll(tasks)) {
                calls += future.get()[0];
                changes += future.get()[1];
                worst = Math.max(worst, future.get()[2]);
            }
            System.out.printf(
                    "%s: %d looks, %d changes, longest call %.0f ms, leases %d, recalls %d, unanswered %d%n",
                    folder,
                    calls,
                    changes,
                    worst / 1e6,
                    count(ClientCounter.LEASES),
                    count(ClientCounter.RECALLS),
                    cluster.unansweredLeases());
            assertThat(changes).isGreaterThan(TASKS * 10);
        }
    }

    private static long count(ClientCounter counter) {
        return first.client().counters().get(counter)
                + second.client().counters().get(counter);
    }

    private static long[] work(
            LeasedMount mount, String folder, int task, List<Version> versions, long nanos, Change change)
            throws PosixException {
        Random random = new Random(task);
        long looks = 0;
        long changes = 0;
        long worst = 0;
        long start = System.nanoTime();
        try (SyscallPosix calls = new SyscallPosix(mount.directory())) {
            for (long now = start; now - start < nanos; ) {
                if (random.nextInt(20) == 0) {
                    Version own = versions.get(task);
                    long number = own.begun.incrementAndGet();
                    change.make(calls, path(folder, task), (int) (number % NUMBERS), random);
                    own.done.set(number);
                    changes++;
                } else {
                    look(calls, folder, random.nextInt(TASKS), versions);
                    looks++;
                }
                long then = System.nanoTime();
                worst = Math.max(worst, then - now);
                assertThat(then - now).as("one call").isLessThan(CALL_NANOS_MAX);
                now = then;
            }
        }
        return new long[] {looks, changes, worst};
    }

    private static void look(SyscallPosix calls, String folder, int task, List<Version> versions)
            throws PosixException {
        Version version = versions.get(task);
        long least = version.done.get();
        int mode;
        try {
            mode = calls.status(bytes(path(folder, task))).mode() & 0777;
        } catch (PosixException e) {
            if (e.number() != org.octofs.rpc.protocol.Errno.ENOENT.value) {
                throw e;
            }
            return;
        }
        long most = version.begun.get();
        if (most - least >= NUMBERS || most == 0) {
            return;
        }
        // Of a file that is replaced, the one that was made first had other permissions.
        long ahead = Math.floorMod(mode - least, (long) NUMBERS);
        assertThat(ahead)
                .as("file %s shows %s; %s had returned before, %s begun after", task, mode, least, most)
                .isLessThanOrEqualTo(most - least);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
