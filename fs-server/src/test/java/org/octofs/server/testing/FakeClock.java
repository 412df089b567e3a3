package org.octofs.server.testing;

import org.octofs.server.ServerClock;

/** A clock that moves when told. */
public final class FakeClock implements ServerClock {
    private static final long WALL_START = 1_800_000_000_000_000_000L;

    private long nanos = 1_000_000_000L;
    private long questions;

    @Override
    public long monotonicNanos() {
        questions++;
        return nanos;
    }

    @Override
    public long wallNanos() {
        return WALL_START + nanos;
    }

    /** How often it was asked. */
    public long questions() {
        return questions;
    }

    /** Lets time pass. */
    public void advance(long byNanos) {
        nanos += byNanos;
    }
}
