package org.octofs.tests.simulation.mutation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Goal: the simulation sees it when a safety mechanism is missing. Method: one after the other is left out. */
class MutationTest {
    private static final long FIRST_SEED = 1000;
    private static final int SEEDS = 400;

    private static List<Mutation> mechanisms() {
        return SafetyMechanisms.ALL;
    }

    @ParameterizedTest
    @MethodSource("mechanisms")
    @Tag("slow")
    @Timeout(1800)
    void withoutOneOfThemTheSimulationTurnsRed(Mutation mutation) {
        LongFunction<Throwable> simulation = new MutatedClasses(mutation).simulation();
        Throwable wrong = null;
        long seed = FIRST_SEED;
        while (wrong == null && seed < FIRST_SEED + SEEDS) {
            wrong = simulation.apply(seed++);
            assertThat(wrong).as("seed %d", seed - 1).isNotInstanceOf(VirtualMachineError.class);
        }
        assertThat(wrong)
                .as("what %d seeds see when %s", SEEDS, mutation.what())
                .isNotNull();
        System.out.println(mutation.what() + ": seed " + (seed - 1) + ", " + MutationMain.brief(wrong));
    }

    /** What the others rest on: the program as it is, loaded once more, and one mutation that any run sees. */
    @Test
    @Timeout(120)
    void theProgramOnceMoreIsGreenAndWithoutReplayRed() {
        assertThat(new MutatedClasses(null).simulation().apply(3)).isNull();
        Mutation noReplay = Mutation.withoutCall("records are not replayed", "pmem.log.RedoLog", "replayOne", "store");
        LongFunction<Throwable> simulation = new MutatedClasses(noReplay).simulation();
        boolean red = false;
        for (long seed = 1; !red && seed <= 10; seed++) {
            red = simulation.apply(seed) != null;
        }
        assertThat(red).isTrue();
    }
}
