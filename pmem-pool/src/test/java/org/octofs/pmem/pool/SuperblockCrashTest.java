package org.octofs.pmem.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.octofs.pmem.layout.SuperblockLayout;
import org.octofs.pmem.log.ReplayVisitor;
import org.octofs.pmem.medium.CrashPoint;
import org.octofs.pmem.medium.Progress;
import org.octofs.pmem.medium.RecordingMedium;

/**
 * Goal: a crash while a pool is opened or closed leaves one that opens, with an incarnation never used before. Method: as in the
 * log's crash test, and likewise proved by leaving out each flush and fence.
 */
class SuperblockCrashTest {
    private static final PoolIdentity IDENTITY = new PoolIdentity(new UUID(5, 6), 0, 1, 4);
    private static final GeometryOptions SMALL = new GeometryOptions(0, 16 << 10, 8 << 10, 4 << 10, true);
    private static final long SIZE = 256 << 10;

    private long lastIncarnation;
    private boolean closed;

    private static RecordingMedium formatted() {
        RecordingMedium medium = new RecordingMedium(SIZE);
        PoolFormatter.format(medium, IDENTITY, SMALL, 1, Progress.NONE);
        return medium.startRecording();
    }

    /** Opens and closes twice; the second round meets what the first has left. */
    private void run(RecordingMedium medium) throws IOException {
        lastIncarnation = 0;
        for (int i = 0; i < 2; i++) {
            closed = false;
            PmemPool pool = PmemPool.open(new Unclosed(medium), PoolExpectation.ANY);
            lastIncarnation = pool.openedIncarnation();
            pool.redoLog().replay(ReplayVisitor.NONE);
            pool.close();
            closed = true;
        }
    }

    /** The copy that is good must not be touched before the other one is. */
    @ParameterizedTest
    @ValueSource(longs = {SuperblockLayout.PRIMARY_OFFSET, SuperblockLayout.BACKUP_OFFSET})
    void aCrashWhileMendingOneCopyLeavesTheOther(long bad) throws IOException {
        assertThat(firstProblem(wholeRun(this).fenceEvents().subList(0, 2), medium -> {
                    medium.putByte(bad + 100, (byte) 0x77);
                    return medium.startRecording();
                }))
                .isNull();
    }

    private String firstProblem(List<Long> events, UnaryOperator<RecordingMedium> fault) throws IOException {
        List<String> problems = new ArrayList<>();
        for (int i = 0; i <= events.size() && problems.isEmpty(); i++) {
            long event = i < events.size() ? events.get(i) : Long.MAX_VALUE;
            RecordingMedium medium = fault.apply(formatted()).stopAt(event);
            try {
                run(medium);
            } catch (CrashPoint e) {
                assertThat(i).isLessThan(events.size());
            }
            medium.crashImages(250, event).forEach(image -> {
                try (PmemPool pool = PmemPool.open(RecordingMedium.of(image), PoolExpectation.ANY)) {
                    if (pool.openedIncarnation() <= lastIncarnation) {
                        problems.add("incarnation " + pool.openedIncarnation() + " again, event " + event);
                    }
                    if (closed && !pool.wasCleanShutdown()) {
                        problems.add("not clean though closed, event " + event);
                    }
                } catch (IOException | RuntimeException e) {
                    problems.add(e + ", event " + event);
                }
            });
        }
        return problems.isEmpty() ? null : problems.getFirst();
    }

    private static RecordingMedium wholeRun(SuperblockCrashTest test) throws IOException {
        RecordingMedium medium = formatted();
        test.run(medium);
        return medium;
    }

    @Test
    void aCrashInOpenOrCloseLeavesAPoolThatOpens() throws IOException {
        assertThat(firstProblem(wholeRun(this).fenceEvents(), medium -> medium)).isNull();
    }

    @Test
    void leavingOutAFenceOrFlushIsNoticed() throws IOException {
        RecordingMedium whole = wholeRun(this);
        List<String> unnoticed = new ArrayList<>();
        // The very last one makes only the second copy durable, and nothing comes after it that needs two.
        for (long n = 0; n < whole.fenceCount() - 1; n++) {
            long dropped = n;
            if (firstProblem(whole.fenceEvents(), medium -> medium.dropFence(dropped)) == null) {
                unnoticed.add("fence " + n);
            }
            if (firstProblem(whole.fenceEvents(), medium -> medium.dropFlush(dropped)) == null) {
                unnoticed.add("flush " + n);
            }
        }
        assertThat(whole.fenceCount()).isEqualTo(8);
        assertThat(unnoticed).isEmpty();
    }
}
