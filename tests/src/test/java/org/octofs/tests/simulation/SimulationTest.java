package org.octofs.tests.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.security.SecureRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.octofs.tests.simulation.world.Trace;

/** The same seed twice, and a bounded share of fresh seeds, which are printed; see docs/testing.md for more. */
@Timeout(300)
class SimulationTest {
    private static final long BUDGET_NANOS = 30_000_000_000L;

    @Test
    @Tag("slow")
    void freshSeedsShowNoViolation() {
        SecureRandom random = new SecureRandom();
        long end = System.nanoTime() + BUDGET_NANOS;
        int runs = 0;
        while (System.nanoTime() < end) {
            long seed = random.nextLong() >>> 16;
            System.out.println("simulation, seed " + seed);
            Simulation simulation = new Simulation(seed, new Trace(null, false));
            assertThatCode(simulation::run)
                    .as("seed %d; replay it with tests/simulate --seed %d --trace", seed, seed)
                    .doesNotThrowAnyException();
            runs++;
        }
        assertThat(runs).isPositive();
    }

    @ParameterizedTest
    @ValueSource(longs = {3, 8, 20})
    void theSameSeedGivesTheSameTrace(long seed) {
        Trace first = new Trace(null, false);
        new Simulation(seed, first).run();
        Trace second = new Trace(null, false);
        new Simulation(seed, second).run();
        assertThat(second.hash()).isEqualTo(first.hash());
    }
}
