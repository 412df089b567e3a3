package org.octofs.rpc.fabric.loopback;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * Holds every request back until it is stepped, and then takes a connection by a choice function, so that a seed
 * determines the whole order. Connections can be held back entirely. Threading: one thread.
 */
public final class SteppedScheduler implements LoopbackScheduler {
    private final IntUnaryOperator choice;
    private final List<LoopbackConnection> pending = new ArrayList<>();
    private final List<LoopbackConnection> held = new ArrayList<>();
    private long stepCount;

    /**
     * A scheduler.
     *
     * @param choice given n, answers which of n connections with pending requests is next, 0 to n - 1
     */
    public SteppedScheduler(IntUnaryOperator choice) {
        this.choice = choice;
    }

    @Override
    public void posted(LoopbackConnection connection) {
        pending.add(connection);
    }

    @Override
    public boolean step() {
        List<LoopbackConnection> eligible = new ArrayList<>();
        for (LoopbackConnection connection : pending) {
            if (!held.contains(connection)) {
                eligible.add(connection);
            }
        }
        if (eligible.isEmpty()) {
            return false;
        }
        LoopbackConnection chosen = eligible.get(choice.applyAsInt(eligible.size()));
        pending.remove(chosen);
        stepCount++;
        chosen.executeNext();
        return true;
    }

    /** Steps until nothing is pending that is not held; at most {@code limit} times. */
    public int stepAll(int limit) {
        int steps = 0;
        while (steps < limit && step()) {
            steps++;
        }
        return steps;
    }

    /** Delays what is posted on a connection until {@link #release}. */
    public void hold(LoopbackConnection connection) {
        held.add(connection);
    }

    /** Ends a delay. */
    public void release(LoopbackConnection connection) {
        held.remove(connection);
    }

    /** Requests posted and not yet executed. */
    public int pendingCount() {
        return pending.size();
    }

    /** Requests executed so far. */
    public long stepCount() {
        return stepCount;
    }
}
