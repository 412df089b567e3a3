package org.octofs.tests.simulation;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.octofs.tests.simulation.world.Trace;

/**
 * Runs simulations. Arguments: {@code [--seed N] [--seeds N] [--seconds T] [--trace] [--steps]}. With a seed and no number it runs that
 * one; else as many from there on, or fresh ones, until the number or the time is over. A failure prints its seed; the status is 1 then.
 */
public final class SimulationMain {
    private SimulationMain() {}

    /** See the class. */
    public static void main(String[] arguments) {
        long seeds = Long.MAX_VALUE;
        long seconds = -1;
        Long seed = null;
        boolean trace = false;
        boolean steps = false;
        for (int i = 0; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "--seed" -> seed = Long.decode(arguments[++i]);
                case "--seeds" -> seeds = Long.parseLong(arguments[++i]);
                case "--seconds" -> seconds = Long.parseLong(arguments[++i]);
                case "--trace" -> trace = true;
                case "--steps" -> steps = true;
                default ->
                    throw new IllegalArgumentException("unknown argument " + arguments[i]
                            + "; use --seed N, --seeds N, --seconds T, --trace, --steps");
            }
        }
        if (seconds < 0) {
            seconds = seeds == Long.MAX_VALUE ? 60 : Integer.MAX_VALUE;
        }
        boolean one = seed != null && seeds == Long.MAX_VALUE;
        boolean good = one ? run(seed, trace, steps) : runMany(seed, seeds, seconds);
        System.exit(good ? 0 : 1);
    }

    private static boolean runMany(Long first, long seeds, long seconds) {
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        SecureRandom random = new SecureRandom();
        List<Long> failed = new ArrayList<>();
        long runs = 0;
        long calls = 0;
        long steps = 0;
        Map<String, Integer> faults = new TreeMap<>();
        for (; runs < seeds && System.nanoTime() < end; runs++) {
            long seed = first == null ? random.nextLong() >>> 16 : first + runs;
            Simulation simulation = new Simulation(seed, new Trace(null, false));
            if (!runOne(simulation, seed)) {
                failed.add(seed);
            }
            calls += simulation.calls();
            steps += simulation.steps();
            simulation.faultCounts().forEach((kind, count) -> faults.merge(kind, count, Integer::sum));
        }
        faults.forEach((kind, count) -> System.out.println(kind + ": " + count));
        System.out.println(runs + " seeds, " + calls + " calls, " + steps + " steps, failed: " + failed);
        return failed.isEmpty();
    }

    private static boolean run(long seed, boolean trace, boolean steps) {
        return runOne(new Simulation(seed, new Trace(trace ? System.out::println : null, steps)), seed);
    }

    private static boolean runOne(Simulation simulation, long seed) {
        try {
            simulation.run();
            System.out.println(simulation);
            return true;
        } catch (RuntimeException | Error e) {
            System.out.println("FAILED seed " + seed + " (run again with --seed " + seed + " --trace)");
            System.out.println(simulation);
            e.printStackTrace(System.out);
            return false;
        }
    }
}
