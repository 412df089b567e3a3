package org.octofs.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.octofs.pmem.medium.MediumCounters;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.server.testing.TestClient;
import org.octofs.server.testing.TestServer;

/**
 * Goal: what an operation costs on the media does not change unnoticed. Method: the medium's counters around one operation
 * whose pages and inode numbers are there already.
 */
class OperationCostTest {
    private static final long ROOT = InodeNumber.ROOT;

    private final TestServer world = TestServer.create();
    private final TestClient client = world.connect(11);

    @AfterEach
    void close() {
        world.close();
    }

    /** Fences and non-temporal bytes (the log record) of one operation. */
    private String cost(Supplier<Errno> operation) {
        MediumCounters counters = world.medium().counters();
        long fences = counters.fences();
        long flushes = counters.flushedLines();
        long bytes = counters.nonTemporalBytes();
        assertThat(operation.get()).isEqualTo(Errno.OK);
        return "fences %d, flushed lines %d, log bytes %d"
                .formatted(
                        counters.fences() - fences,
                        counters.flushedLines() - flushes,
                        counters.nonTemporalBytes() - bytes);
    }

    @Test
    void costsAreAsWrittenDown() {
        long directory = client.newDirectory(ROOT, "d");
        for (int i = 0; i < 5; i++) {
            client.newFile(ROOT, "warm" + i);
        }
        assertThat(cost(() -> client.create(ROOT, "a"))).isEqualTo("fences 1, flushed lines 0, log bytes 832");
        assertThat(cost(() -> client.lookup(ROOT, "a"))).isEqualTo("fences 0, flushed lines 0, log bytes 0");
        assertThat(cost(() -> client.getAttributes(ROOT))).isEqualTo("fences 0, flushed lines 0, log bytes 0");
        assertThat(cost(() -> client.rename(ROOT, "a", directory, "b", 0)))
                .isEqualTo("fences 1, flushed lines 0, log bytes 1152");
        assertThat(cost(() -> client.unlink(directory, "b"))).isEqualTo("fences 1, flushed lines 0, log bytes 768");
        long file = client.newFile(ROOT, "c");
        assertThat(cost(() -> client.open(file))).isEqualTo("fences 0, flushed lines 0, log bytes 0");
    }

    @Test
    void anIdleTurnAsksTheClockOnce() {
        client.newFile(ROOT, "a");
        world.untilServerOnly(() -> world.server().doWork() == 0);
        long before = world.clock().questions();
        assertThat(world.server().doWork()).isZero();
        assertThat(world.clock().questions() - before).isEqualTo(1);
    }
}
