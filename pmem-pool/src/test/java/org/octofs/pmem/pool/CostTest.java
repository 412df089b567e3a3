package org.octofs.pmem.pool;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.octofs.pmem.layout.ZoneKind;
import org.octofs.pmem.log.LogRecord;
import org.octofs.pmem.log.RedoLog;
import org.octofs.pmem.log.ReplayVisitor;
import org.octofs.pmem.medium.Media;
import org.octofs.pmem.medium.MediumCounters;
import org.octofs.pmem.medium.MediumKind;
import org.octofs.pmem.medium.MediumOptions;
import org.octofs.pmem.medium.PmemMedium;
import org.octofs.pmem.medium.Progress;
import org.octofs.pmem.medium.RecordingMedium;

/** What operations cost in flushes, fences and garbage. A change of these numbers is explained in its commit. */
class CostTest {
    private static final PoolIdentity IDENTITY = new PoolIdentity(new UUID(1, 2), 0, 1, 4);

    private final RecordingMedium medium = new RecordingMedium(1 << 20);
    private PmemPool pool;
    private RedoLog log;
    private MediumCounters counters;
    private long target;

    @BeforeEach
    void open() throws IOException {
        PoolFormatter.format(medium, IDENTITY, GeometryOptions.tinyDefaults(), 1, Progress.NONE);
        counters = medium.counters();
        counters.reset();
        pool = PmemPool.open(medium, PoolExpectation.ANY);
        log = pool.redoLog();
        log.replay(ReplayVisitor.NONE);
        target = pool.zone(ZoneKind.METADATA).offset();
    }

    private long transaction(int updates) {
        LogRecord r = log.begin(1);
        for (int i = 0; i < updates; i++) {
            r.updateLong(target + 64L * i, i);
        }
        long sequence = log.commit(r);
        log.apply(r);
        return sequence;
    }

    @Test
    void openingWritesTwoSuperblocks() {
        assertThat(counters).hasToString("2 flushes of 128 lines, 2 fences, 0 bytes non-temporal");
    }

    @Test
    void commitAndApplyCostOneFenceAndNoFlush() {
        counters.reset();
        transaction(1);
        assertThat(counters).hasToString("0 flushes of 0 lines, 1 fences, 128 bytes non-temporal");
        counters.reset();
        transaction(8);
        assertThat(counters).hasToString("0 flushes of 0 lines, 1 fences, 256 bytes non-temporal");
    }

    @Test
    void aCheckpointFlushesEachDirtyLineOnceAndCostsTwoFences() {
        for (int i = 0; i < 10; i++) {
            transaction(3);
        }
        counters.reset();
        log.checkpoint();
        // Three neighbouring lines in one call, and the head.
        assertThat(counters).hasToString("2 flushes of 4 lines, 2 fences, 0 bytes non-temporal");
        counters.reset();
        log.checkpoint();
        assertThat(counters).hasToString("0 flushes of 0 lines, 0 fences, 0 bytes non-temporal");
    }

    @Test
    void aCheckpointWithRetainedRecordsCostsNoMoreFences() {
        MemorySegment payload = MemorySegment.ofArray(new byte[40]);
        for (int i = 0; i < 3; i++) {
            transaction(1);
            LogRecord r = log.begin(2).updateLong(target, i).payload(1, payload, 0, 40);
            log.retain(log.commit(r));
            log.apply(r);
        }
        counters.reset();
        log.checkpoint();
        assertThat(counters).hasToString("2 flushes of 2 lines, 2 fences, 384 bytes non-temporal");
    }

    /** On the medium of production, checkpoints included; what is left is less than one small object per hundred transactions. */
    @Test
    void theSteadyStateAllocatesNothing() throws IOException {
        Path path =
                Path.of("/dev/shm/octofs-cost-test-" + ProcessHandle.current().pid());
        try (PmemMedium file = Media.create(path, 1 << 20, MediumKind.LLPL, MediumOptions.defaults())) {
            PoolFormatter.format(file, IDENTITY, GeometryOptions.tinyDefaults(), 1, Progress.NONE);
            pool = PmemPool.open(new Unclosed(file), PoolExpectation.ANY);
            log = pool.redoLog();
            log.replay(ReplayVisitor.NONE);
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            for (int i = 0; i < 100_000; i++) {
                transaction(4);
            }
            long before = threads.getCurrentThreadAllocatedBytes();
            int count = 20_000;
            for (int i = 0; i < count; i++) {
                transaction(4);
            }
            long allocated = threads.getCurrentThreadAllocatedBytes() - before;
            assertThat(log.checkpointCount()).isGreaterThan(100);
            assertThat(allocated / (double) count).as("bytes per transaction").isLessThan(1);
        } finally {
            Files.deleteIfExists(path);
        }
    }
}
