package org.octofs.tests.simulation.mutation;

import java.util.function.LongFunction;
import org.octofs.tests.simulation.Simulation;
import org.octofs.tests.simulation.world.Trace;

/** Runs simulations inside of {@link MutatedClasses}. */
public final class MutantRun implements LongFunction<Throwable> {
    @Override
    public Throwable apply(long seed) {
        try {
            new Simulation(seed, new Trace(null, false)).run();
            return null;
        } catch (RuntimeException | Error e) {
            return e;
        }
    }
}
