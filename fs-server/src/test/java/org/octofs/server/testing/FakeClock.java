package org.octofs.server.testing;

import org.octofs.server.ServerClock;

/** A clock that moves when told. */
public final class FakeClock implements ServerClock {
    private static final long WALL_START = 1_800_000_000_000_000_000L;

    private long nanos = 1_000_000_000L;

    @Override
    public long monotonicNanos() {
        return nanos;
    }

    @Override
    public long wallNanos() {
        return WALL_START + nanos;
    }

    /** Lets time pass. */
    public void advance(long byNanos) {
        nanos += byNanos;
    }
}
