package org.octofs.fuse.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.octofs.fuse.memory.ForwardingOperations;
import org.octofs.fuse.memory.ForwardingOperations.Before;
import org.octofs.fuse.memory.MemoryFileSystem;
import org.octofs.fuse.memory.MountedMemory;

/** Operations that do not come to their end, and what becomes of the processes that wait for them. */
@Timeout(60)
class KilledCallersTest {
    private static final int THREADS = 4;
    private static final Duration AT_ONCE = Duration.ofSeconds(10);
    private static final long POLL_MILLIS = 10;

    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch server = new CountDownLatch(1);
    private final AtomicInteger closes = new AtomicInteger();
    private volatile boolean isAway;

    /** With one operation that, once the server is away, begins and waits for {@link #server}. */
    private MountedMemory mounted(String operation) throws Exception {
        Before count = arguments -> {
            closes.incrementAndGet();
            return null;
        };
        Before wait = arguments -> {
            if (isAway) {
                begun.countDown();
                server.await();
            }
            return null;
        };
        return new MountedMemory(
                () -> new KernelBinding(Thread.ofPlatform().daemon().factory()),
                ForwardingOperations.of(
                        new MemoryFileSystem(Clock.systemUTC(), 64L << 20),
                        Map.of("release", count, "releasedir", count, operation, wait)),
                THREADS);
    }

    private static void kill(Process process) throws InterruptedException {
        process.destroyForcibly();
        assertThat(process.waitFor(AT_ONCE.toSeconds(), TimeUnit.SECONDS))
                .as("ended")
                .isTrue();
    }

    private void awaitCloses(int count) throws InterruptedException {
        long end = System.nanoTime() + AT_ONCE.toNanos();
        while (closes.get() < count) {
            assertThat(System.nanoTime())
                    .as("%d of %d closed", closes.get(), count)
                    .isLessThan(end);
            Thread.sleep(POLL_MILLIS);
        }
    }

    @ParameterizedTest
    @CsvSource({"open, exec cat f", "create, exec touch g", "opendir, exec ls d"})
    void whatAKilledProcessOpensIsClosedAgain(String operation, String command) throws Exception {
        try (MountedMemory mount = mounted(operation)) {
            try {
                assertThat(mount.shell("echo text > f && mkdir d && ls d")).isEmpty();
                awaitCloses(2);
                isAway = true;
                Process process = mount.start(command);
                begun.await();
                kill(process);
                assertThat(closes).hasValue(2);
            } finally {
                server.countDown();
            }
            awaitCloses(3);
        }
    }

    @Test
    void theClosesOfAKilledProcessAreNotWaitedFor() throws Exception {
        try (MountedMemory mount = mounted("flush")) {
            try {
                Process process = mount.start("exec 3> f; echo ready; read x");
                assertThat(process.inputReader().readLine()).isEqualTo("ready");
                isAway = true;
                kill(process);
                begun.await();
            } finally {
                server.countDown();
            }
            awaitCloses(1);
        }
    }

    @Test
    void aSignalThatIsHandledEndsNoCall() throws Exception {
        try (MountedMemory mount = mounted("lookup")) {
            try {
                Process process = mount.start("trap : USR1; echo ready; read x; [ -e f ]; echo $?");
                assertThat(process.inputReader().readLine()).isEqualTo("ready");
                isAway = true;
                process.outputWriter().append('\n').flush();
                begun.await();
                new ProcessBuilder("kill", "-USR1", Long.toString(process.pid()))
                        .start()
                        .waitFor();
                assertThat(process.waitFor(2, TimeUnit.SECONDS)).as("ended").isFalse();
                server.countDown();
                assertThat(process.inputReader().readLine()).isEqualTo("1");
            } finally {
                server.countDown();
            }
        }
    }

    @Test
    void procIsUnderstood() {
        assertThat(CallerFate.hasKillPending("Name:\tx\nSigPnd:\t0000000000000100\nShdPnd:\t0000000000000000\n"))
                .isTrue();
        assertThat(CallerFate.hasKillPending("SigPnd:\t0000000000000200\nShdPnd:\t0000000000000100\n"))
                .isFalse();
        assertThat(CallerFate.isKilled((int) ProcessHandle.current().pid())).isFalse();
        assertThat(CallerFate.isKilled(0)).isFalse();
    }
}
