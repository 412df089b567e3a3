package org.octofs.fuse.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.octofs.fuse.fuse.FuseOperations;
import org.octofs.fuse.memory.ForwardingOperations;
import org.octofs.fuse.memory.MemoryFileSystem;

/** Threads are added when all wait for something, and only then. */
@Timeout(60)
class LoopPoolTest {
    private static final int REQUESTS = 20_000;
    /** One that reads, one that watches, and a few more where the machine itself holds one up for long. */
    private static final int THREADS_MAX = 40;

    private static byte[] request(String title) throws Exception {
        return GoldenRequest.all().stream()
                .filter(golden -> golden.title().equals(title))
                .findFirst()
                .orElseThrow()
                .request();
    }

    private static long unique(byte[] message, int at) {
        return ByteBuffer.wrap(message).order(ByteOrder.nativeOrder()).getLong(at);
    }

    @Test
    void shortRequestsInARowAddNone() throws Exception {
        byte[] statfs = request("STATFS");
        try (ServedRequests served = new ServedRequests(new MemoryFileSystem(Clock.systemUTC(), 1 << 20))) {
            for (int i = 0; i < REQUESTS; i++) {
                assertThat(served.serve(statfs)).hasSize(1);
            }
            assertThat(served.threadsMade()).isLessThan(THREADS_MAX);
        }
    }

    @Test
    void oneThatWaitsDoesNotKeepTheNextFromBeingServed() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        FuseOperations slow =
                ForwardingOperations.of(new MemoryFileSystem(Clock.systemUTC(), 1 << 20), Map.of("statfs", _ -> {
                    end.await();
                    return null;
                }));
        byte[] waits = request("STATFS");
        byte[] next = request("IOCTL");
        try (ServedRequests served = new ServedRequests(slow)) {
            served.post(waits);
            served.post(next);
            List<byte[]> answers = served.later(30_000);
            assertThat(answers).hasSize(1);
            assertThat(unique(answers.getFirst(), KernelLayouts.OutHeader.UNIQUE_OFFSET))
                    .isEqualTo(unique(next, KernelLayouts.InHeader.UNIQUE_OFFSET));
            end.countDown();
            assertThat(served.later(30_000)).hasSize(1);
        }
    }
}
