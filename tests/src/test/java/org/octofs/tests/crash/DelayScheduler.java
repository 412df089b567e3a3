package org.octofs.tests.crash;

import java.util.ArrayDeque;
import org.octofs.rpc.fabric.loopback.LoopbackConnection;
import org.octofs.rpc.fabric.loopback.LoopbackScheduler;

/** Lets every verb take effect a fixed time after it was posted, on a clock that only tests move. */
final class DelayScheduler implements LoopbackScheduler {
    private record Posted(LoopbackConnection connection, long dueNanos) {}

    private final StepClock clock;
    private final long delayNanos;
    private final ArrayDeque<Posted> pending = new ArrayDeque<>();
    private long executed;

    DelayScheduler(StepClock clock, long delayNanos) {
        this.clock = clock;
        this.delayNanos = delayNanos;
    }

    @Override
    public void posted(LoopbackConnection connection) {
        pending.add(new Posted(connection, clock.monotonicNanos() + delayNanos));
    }

    @Override
    public boolean step() {
        Posted next = pending.peek();
        if (next == null || next.dueNanos - clock.monotonicNanos() > 0) {
            return false;
        }
        pending.poll();
        executed++;
        next.connection.executeNext();
        return true;
    }

    /** Verbs that have taken effect so far. */
    long executed() {
        return executed;
    }

    /** How long until something takes effect; 0 if nothing is under way. */
    long nanosToNext() {
        Posted next = pending.peek();
        return next == null ? 0 : Math.max(1, next.dueNanos - clock.monotonicNanos());
    }
}
