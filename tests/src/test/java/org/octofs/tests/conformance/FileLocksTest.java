package org.octofs.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.octofs.tests.conformance.NamespaceTest.name;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.FsException;
import org.octofs.client.client.LockSpec;
import org.octofs.client.client.OpenFile;
import org.octofs.client.client.OpenFlags;
import org.octofs.rpc.protocol.Errno;
import org.octofs.tests.support.LocalCluster;

/** Locks of two clients, and what they say of the data. */
@Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FileLocksTest {
    private static final int OWNER = 7;
    private static final long BOUND_NANOS = 50_000_000;

    private LocalCluster cluster;
    private FsClient first;
    private FsClient second;
    private OpenFile file;
    private OpenFile others;

    @BeforeEach
    void up() throws Exception {
        cluster = LocalCluster.start(1, LocalCluster.Transport.LOOPBACK);
        first = cluster.client();
        second = cluster.client();
        file = first.create(1, name("file"), 0644, 0, 0, OpenFlags.RDWR, new Attributes());
        others = second.open(file.ino(), OpenFlags.RDWR);
    }

    @AfterEach
    void down() throws Exception {
        cluster.close();
    }

    private static LockSpec whole(int type) {
        return LockSpec.posix(type, OWNER, 0, LockSpec.TO_END, 1);
    }

    private static void assertRefused(FsClient client, OpenFile file, LockSpec lock) {
        assertThatThrownBy(() -> client.lock(file, lock, false))
                .isInstanceOfSatisfying(
                        FsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EAGAIN));
    }

    /** The kernel names an open file by an address, which the next one may have before the release of this one is served. */
    @Test
    void aLateReleaseLeavesLocksOfTheNextFileOfTheSameOwner() throws Exception {
        try (ExecutorService pool = Executors.newSingleThreadExecutor()) {
            OpenFile old = first.open(file.ino(), OpenFlags.RDWR);
            first.lock(old, whole(LockSpec.TYPE_WRITE), false);
            for (int round = 0; round < 2000; round++) {
                OpenFile closed = old;
                OpenFile next = first.open(file.ino(), OpenFlags.RDWR);
                Future<?> release = pool.submit(() -> first.release(closed));
                first.lock(next, whole(LockSpec.TYPE_WRITE), false);
                release.get();
                assertRefused(second, others, whole(LockSpec.TYPE_READ));
                old = next;
            }
            first.release(old);
        }
        second.lock(others, whole(LockSpec.TYPE_WRITE), false);
    }

    /** Threads of one process: each close drops all locks of the process, also while another thread takes some. */
    @Test
    void aCloseThatMeetsALockLeavesNothingBehind() throws Exception {
        try (ExecutorService pool = Executors.newFixedThreadPool(2)) {
            for (int round = 0; round < 500; round++) {
                Callable<Void> part = () -> {
                    OpenFile mine = first.open(file.ino(), OpenFlags.RDWR);
                    first.lock(mine, whole(LockSpec.TYPE_WRITE), false);
                    first.flush(mine, OWNER);
                    first.release(mine);
                    return null;
                };
                for (Future<Void> future : pool.invokeAll(List.of(part, part))) {
                    future.get();
                }
                second.lock(others, whole(LockSpec.TYPE_WRITE), false);
                second.lock(others, whole(LockSpec.TYPE_UNLOCK), false);
            }
        }
    }

    /** flock(2): a conversion is not atomic, and one that fails has lost the old lock. */
    @Test
    void aFlockIsGivenUpByAConversionThatIsRefused() throws Exception {
        first.lock(file, LockSpec.flock(LockSpec.TYPE_READ, 1), false);
        second.lock(others, LockSpec.flock(LockSpec.TYPE_READ, 1), false);
        assertRefused(first, file, LockSpec.flock(LockSpec.TYPE_WRITE, 1));
        second.lock(others, LockSpec.flock(LockSpec.TYPE_WRITE, 1), false);
    }

    @Test
    void twoConversionsOfFlocksDoNotWaitForEachOther() throws Exception {
        first.lock(file, LockSpec.flock(LockSpec.TYPE_READ, 1), false);
        second.lock(others, LockSpec.flock(LockSpec.TYPE_READ, 1), false);
        try (ExecutorService pool = Executors.newFixedThreadPool(2)) {
            Callable<Void> one = () -> upgradeAndUnlock(first, file);
            Callable<Void> two = () -> upgradeAndUnlock(second, others);
            for (Future<Void> future : pool.invokeAll(List.of(one, two), 20, TimeUnit.SECONDS)) {
                future.get();
            }
        }
    }

    private static Void upgradeAndUnlock(FsClient client, OpenFile file) throws FsException {
        client.lock(file, LockSpec.flock(LockSpec.TYPE_WRITE, 1), true);
        client.lock(file, LockSpec.flock(LockSpec.TYPE_UNLOCK, 1), false);
        return null;
    }

    /** Of either kind: it ends with a refusal after the time, and with the lock if that is given up before. */
    @Test
    void aWaitCanBeBounded() throws Exception {
        for (LockSpec lock : List.of(whole(LockSpec.TYPE_WRITE), LockSpec.flock(LockSpec.TYPE_WRITE, OWNER))) {
            OpenFile held = first.open(file.ino(), OpenFlags.RDWR);
            first.lock(held, lock, false);
            long begin = System.nanoTime();
            assertThatThrownBy(() -> second.lock(others, lock, BOUND_NANOS))
                    .isInstanceOfSatisfying(
                            FsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EAGAIN));
            assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(BOUND_NANOS);
            try (ExecutorService pool = Executors.newSingleThreadExecutor()) {
                Future<?> release = pool.submit(() -> {
                    Thread.sleep(20);
                    first.release(held);
                    return null;
                });
                second.lock(others, lock, TimeUnit.MINUTES.toNanos(1));
                release.get();
            }
        }
    }

    @Test
    void aPosixLockIsKeptByAConversionThatIsRefused() throws Exception {
        first.lock(file, whole(LockSpec.TYPE_READ), false);
        second.lock(others, whole(LockSpec.TYPE_READ), false);
        assertRefused(first, file, whole(LockSpec.TYPE_WRITE));
        assertRefused(second, others, whole(LockSpec.TYPE_WRITE));
    }

    /** Neither fsync nor close: an unlock, or a lock that is made less, shows others what was written. */
    @Test
    void whatWasWrittenIsCommittedBeforeALockIsGivenUp() throws Exception {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(1);
            MemorySegment in = arena.allocate(1);
            int value = 0;
            for (int less : List.of(LockSpec.TYPE_UNLOCK, LockSpec.TYPE_READ)) {
                value++;
                first.lock(file, whole(LockSpec.TYPE_WRITE), false);
                out.set(ValueLayout.JAVA_BYTE, 0, (byte) value);
                first.write(file, 0, out, 0, 1);
                long seen = others.generation();
                first.lock(file, whole(less), false);
                second.lock(others, whole(LockSpec.TYPE_READ), false);
                assertThat(others.generation()).isNotEqualTo(seen);
                assertThat(second.read(others, 0, in, 0, 1)).isEqualTo(1);
                assertThat(in.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) value);
                // Nobody has changed anything since.
                seen = others.generation();
                second.lock(others, whole(LockSpec.TYPE_READ), false);
                assertThat(others.generation()).isEqualTo(seen);
                second.lock(others, whole(LockSpec.TYPE_UNLOCK), false);
            }
        }
    }
}
