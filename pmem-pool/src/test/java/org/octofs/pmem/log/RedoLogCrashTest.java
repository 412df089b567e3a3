package org.octofs.pmem.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.octofs.pmem.layout.LogHeadLayout;
import org.octofs.pmem.medium.RecordingMedium;

/**
 * Goal: whatever a crash leaves of the log, recovery gives the state before or after the transaction that was under way, after
 * if it was acknowledged, with every retained record, and a log that works. Method: run, stop at every fence, make the contents
 * that the medium may then have, recover each; and prove the method by leaving out each flush and fence in turn.
 */
class RedoLogCrashTest {
    private static final int TRANSACTIONS = 26;
    private static final int RETAIN_EVERY = 5;

    /** What went wrong first, or null; checks crashes at the events given and at the end. */
    private static String firstProblem(
            int retainEvery, List<Long> events, int limit, int recoveryLimit, UnaryOperator<RecordingMedium> fault) {
        List<String> problems = new ArrayList<>();
        for (int i = 0; i <= events.size() && problems.isEmpty(); i++) {
            long event = i < events.size() ? events.get(i) : Long.MAX_VALUE;
            CrashWorkload workload = new CrashWorkload(TRANSACTIONS, retainEvery);
            RecordingMedium medium =
                    fault.apply(CrashWorkload.formatted().startRecording().stopAt(event));
            boolean finished = workload.run(medium);
            assertThat(finished).isEqualTo(event == Long.MAX_VALUE);
            medium.crashImages(limit, event).forEach(image -> {
                if (problems.isEmpty()) {
                    String problem = recoveryLimit == 0
                            ? workload.checkAfterCrash(image)
                            : workload.checkAfterCrashInRecovery(image, recoveryLimit);
                    if (problem != null) {
                        problems.add("crash at event " + event + ": " + problem);
                    }
                }
            });
        }
        return problems.isEmpty() ? null : problems.getFirst();
    }

    private static RecordingMedium wholeRun(int retainEvery) {
        RecordingMedium medium = CrashWorkload.formatted().startRecording();
        assertThat(new CrashWorkload(TRANSACTIONS, retainEvery).run(medium)).isTrue();
        return medium;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, RETAIN_EVERY})
    void theWorkloadGoesRoundTheRingAndCheckpointsSeveralTimes(int retainEvery) {
        RecordingMedium medium = wholeRun(retainEvery);
        assertThat(medium.counters().nonTemporalBytes()).isGreaterThan(2 * RedoLog.CAPACITY_BYTES_MIN);
        // One per commit, two per checkpoint.
        assertThat(medium.fenceCount()).isGreaterThanOrEqualTo(TRANSACTIONS + 2 * 2);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, RETAIN_EVERY})
    void aCrashAtAnyFenceLeavesBeforeOrAfter(int retainEvery) {
        assertThat(firstProblem(retainEvery, wholeRun(retainEvery).fenceEvents(), 300, 0, medium -> medium))
                .isNull();
    }

    @Test
    void soDoesACrashInTheRecoveryFromACrash() {
        assertThat(firstProblem(RETAIN_EVERY, wholeRun(RETAIN_EVERY).fenceEvents(), 40, 12, medium -> medium))
                .isNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, RETAIN_EVERY})
    @Tag("slow")
    void aCrashAtAnyEventLeavesBeforeOrAfter(int retainEvery) {
        List<Long> events = new ArrayList<>();
        for (long event = 1; event <= wholeRun(retainEvery).eventCount(); event++) {
            events.add(event);
        }
        assertThat(firstProblem(retainEvery, events, 300, 0, medium -> medium)).isNull();
        assertThat(firstProblem(retainEvery, events, 60, 20, medium -> medium)).isNull();
    }

    private static List<Long> unnoticedFences(int retainEvery, RecordingMedium whole) {
        List<Long> unnoticed = new ArrayList<>();
        for (long n = 0; n < whole.fenceCount(); n++) {
            long dropped = n;
            // Before that fence nothing can be wrong yet.
            List<Long> events = whole.fenceEvents().subList((int) n, (int) whole.fenceCount());
            if (firstProblem(retainEvery, events, 300, 0, medium -> medium.dropFence(dropped)) == null) {
                unnoticed.add(n);
            }
        }
        return unnoticed;
    }

    @Test
    void leavingOutAnyFenceIsNoticed() {
        assertThat(unnoticedFences(0, wholeRun(0)))
                .as("fences that nobody needs")
                .isEmpty();
    }

    /**
     * With retained records the ring keeps so much space free that the first records after a checkpoint do not touch what the
     * old head points to; so here, and only here, the fence behind a head goes unmissed.
     */
    @Test
    void leavingOutAnyFenceButThoseOfHeadsIsNoticedWithRetainedRecordsToo() {
        RecordingMedium whole = wholeRun(RETAIN_EVERY);
        List<Long> events = whole.fenceEvents();
        assertThat(unnoticedFences(RETAIN_EVERY, whole)).allSatisfy(n -> {
            long since = events.get(n.intValue()) - events.get(n.intValue() - 1);
            assertThat(since)
                    .as("events of fence %d: the pieces of a head, a flush, the fence", n)
                    .isEqualTo(LogHeadLayout.SIZE_BYTES / Long.BYTES + 2);
        });
    }

    @Test
    void leavingOutAnyFlushIsNoticed() {
        RecordingMedium whole = wholeRun(0);
        List<Long> unnoticed = new ArrayList<>();
        for (long n = 0; n < whole.flushCount(); n++) {
            long dropped = n;
            if (firstProblem(0, whole.fenceEvents(), 300, 0, medium -> medium.dropFlush(dropped)) == null) {
                unnoticed.add(n);
            }
        }
        assertThat(whole.flushCount()).isPositive();
        assertThat(unnoticed).as("flushes that nobody needs").isEmpty();
    }
}
