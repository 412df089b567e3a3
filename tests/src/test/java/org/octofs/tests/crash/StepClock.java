package org.octofs.tests.crash;

import org.octofs.server.ServerClock;

/** A clock that moves when told. */
final class StepClock implements ServerClock {
    private static final long WALL_START = 1_800_000_000_000_000_000L;

    private long nanos;

    StepClock(long nanos) {
        this.nanos = nanos;
    }

    @Override
    public long monotonicNanos() {
        return nanos;
    }

    @Override
    public long wallNanos() {
        return WALL_START + nanos;
    }

    void advance(long byNanos) {
        nanos += byNanos;
    }
}
