package org.octofs.fuse.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.octofs.fuse.fuse.LinuxErrno;
import org.octofs.fuse.memory.MemoryFileSystem;

/** Malformed and surprising requests are answered, and end nothing. Before a file system in memory; the client's has its own test. */
class FuzzedRequestsTest {
    private static final int REQUESTS = 20_000;

    private static void run(long seed, int count) throws Exception {
        System.out.println("fuzzed requests: seed " + seed);
        MemoryFileSystem memory = new MemoryFileSystem(Clock.systemUTC(), 64L << 20);
        try (ServedRequests served = new ServedRequests(memory)) {
            RequestFuzzer fuzzer = new RequestFuzzer(served, seed);
            fuzzer.warmUp();
            fuzzer.run(count);
            fuzzer.finish();
            System.out.println("errno and how often: " + fuzzer.answers());
            // Both well-formed and malformed ones must have come through, or nothing was tried.
            assertThat(fuzzer.answers()).containsKeys(0, LinuxErrno.EINVAL, LinuxErrno.ENOSYS, LinuxErrno.ESTALE);
        } catch (AssertionError e) {
            throw new AssertionError("seed " + seed, e);
        }
    }

    @Test
    @Timeout(120)
    void eachIsAnsweredOnce() throws Exception {
        run(System.nanoTime(), REQUESTS);
    }

    @Test
    @Tag("slow")
    @Timeout(1200)
    void eachIsAnsweredOnceForLong() throws Exception {
        long first = System.nanoTime();
        for (long seed = first; seed < first + 20; seed++) {
            run(seed, 5 * REQUESTS);
        }
    }
}
