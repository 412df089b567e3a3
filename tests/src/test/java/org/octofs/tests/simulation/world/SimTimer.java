package org.octofs.tests.simulation.world;

import java.util.concurrent.Delayed;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Something that happens at a moment of the simulated clock; of the same moment, in the order made. */
final class SimTimer implements ScheduledFuture<Object> {
    final long atNanos;
    private final long number;
    private Runnable action;

    SimTimer(long atNanos, long number, Runnable action) {
        this.atNanos = atNanos;
        this.number = number;
        this.action = action;
    }

    void run() {
        Runnable todo = action;
        action = null;
        if (todo != null) {
            todo.run();
        }
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
        boolean was = action != null;
        action = null;
        return was;
    }

    @Override
    public boolean isCancelled() {
        return action == null;
    }

    @Override
    public boolean isDone() {
        return action == null;
    }

    @Override
    public Object get() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Object get(long timeout, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long getDelay(TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int compareTo(Delayed other) {
        SimTimer that = (SimTimer) other;
        int byTime = Long.compare(atNanos, that.atNanos);
        return byTime != 0 ? byTime : Long.compare(number, that.number);
    }
}
