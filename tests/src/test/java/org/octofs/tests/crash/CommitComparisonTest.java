package org.octofs.tests.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Goal: collect-dispatch answers sooner than two-phase commit would. Method: see {@link CommitComparison}. */
class CommitComparisonTest {
    static List<CommitComparison.Row> rows() {
        return CommitComparison.rows();
    }

    @ParameterizedTest
    @MethodSource("rows")
    void collectDispatchNeedsFewerMessagesAndFencesUntilTheAnswer(CommitComparison.Row row) {
        CommitComparison.Cost ours = CommitComparison.collectDispatch(row);
        CommitComparison.Cost theirs = CommitComparison.twoPhaseCommit(row);
        assertThat(ours.calls()).isLessThan(theirs.calls());
        assertThat(ours.fences()).isLessThan(theirs.fences());
        assertThat(ours.nanos()).isLessThanOrEqualTo(theirs.nanos() * 3 / 4);
    }
}
