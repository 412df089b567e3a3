package org.octofs.rpc.fabric.transport;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Who waits for short times looks long, who waits for long times parks soon. */
class SpinBudgetTest {
    private static final long BRIEF = 20_000;
    private static final long LONG = BRIEF * SpinBudget.LONG_FACTOR;

    private final SpinBudget budget = new SpinBudget(BRIEF);

    private void wait(int times, long nanos) {
        for (int i = 0; i < times; i++) {
            budget.waited(nanos);
        }
    }

    @Test
    void shortWaitsAreSpunThrough() {
        assertThat(budget.nanos()).as("nothing is known yet").isEqualTo(BRIEF);
        wait(20, LONG);
        assertThat(budget.nanos()).isEqualTo(LONG);
    }

    @Test
    void aPauseNowAndThenDoesNotEndIt() {
        for (int i = 0; i < 100; i++) {
            wait(7, BRIEF * 10);
            budget.waited(LONG * 1000);
        }
        wait(7, BRIEF * 10);
        assertThat(budget.nanos()).isEqualTo(LONG);
    }

    @Test
    void idleThreadsParkSoon() {
        wait(1000, BRIEF);
        wait(3, LONG + 1);
        assertThat(budget.nanos()).isEqualTo(BRIEF);
        wait(1000, LONG + 1);
        wait(7, BRIEF);
        assertThat(budget.nanos()).as("a few arrivals prove nothing").isEqualTo(BRIEF);
    }

    @Test
    void whoTakesTheProcessorFromOthersParks() {
        wait(1000, BRIEF);
        assertThat(budget.isCrowded(BRIEF * SpinBudget.ASIDE_FACTOR))
                .as("an interrupt or a kernel thread")
                .isFalse();
        assertThat(budget.isCrowded(BRIEF * SpinBudget.ASIDE_FACTOR + 1))
                .as("somebody worked")
                .isTrue();
        assertThat(budget.nanos()).as("but not for long").isEqualTo(LONG);
        assertThat(budget.isCrowded(BRIEF * SpinBudget.SLICE_FACTOR + 1))
                .as("somebody had a slice")
                .isTrue();
        assertThat(budget.nanos()).isEqualTo(BRIEF);
        wait(7, BRIEF);
        assertThat(budget.nanos()).as("long looks are earned anew").isEqualTo(BRIEF);
    }

    @Test
    void whoWasPutAsideUntilSomethingArrivedParksTheNextTime() {
        wait(1000, BRIEF);
        budget.arrivedAfter(BRIEF * SpinBudget.ASIDE_FACTOR);
        assertThat(budget.mayLook()).as("an interrupt or a kernel thread").isTrue();
        budget.arrivedAfter(BRIEF * SpinBudget.ASIDE_FACTOR + 1);
        assertThat(budget.mayLook()).as("somebody worked").isFalse();
        assertThat(budget.mayLook()).as("once").isTrue();
        assertThat(budget.nanos()).isEqualTo(LONG);
    }

    /** A wait during which others work for a moment each, this often. Answers whether it looked. */
    private boolean waitWithTurns(int turns) {
        boolean looks = budget.mayLook();
        boolean crowded = false;
        for (int i = 0; looks && i < turns; i++) {
            assertThat(crowded).as("parks when it is told to").isFalse();
            assertThat(budget.isCrowded(budget.quietNanos()))
                    .as("a yield to nobody")
                    .isFalse();
            crowded = budget.isCrowded(budget.quietNanos() + 1);
        }
        assertThat(crowded).isEqualTo(looks && turns > SpinBudget.TURNS);
        budget.waited(BRIEF);
        return looks;
    }

    @Test
    void whoIsInTheWayOfOthersTurnsParksAtOnce() {
        for (int i = 0; i < 100; i++) {
            assertThat(waitWithTurns(SpinBudget.TURNS))
                    .as("those who are waited for work too")
                    .isTrue();
        }
        for (int i = 0; i < 4; i++) {
            assertThat(waitWithTurns(SpinBudget.TURNS + 1)).as("wait %d", i).isTrue();
        }
        int looks = 0;
        for (int i = 0; i < 10 * SpinBudget.PARKS; i++) {
            looks += waitWithTurns(SpinBudget.TURNS + 1) ? 1 : 0;
        }
        assertThat(looks).as("it looks whether it is still so").isEqualTo(10);
        for (int i = 0; i < 10 * SpinBudget.PARKS; i++) {
            waitWithTurns(1);
        }
        assertThat(waitWithTurns(1)).as("and when it is not, it looks again").isTrue();
        assertThat(waitWithTurns(1)).isTrue();
    }

    @Test
    void whoIsNotToSpinNeverDoes() {
        SpinBudget none = new SpinBudget(0);
        for (int i = 0; i < 100; i++) {
            none.waited(0);
        }
        assertThat(none.nanos()).isZero();
    }
}
