package org.octofs.server.txn;

import org.octofs.server.ServerClock;

/** Time that moves only when told to. */
final class TestClock implements ServerClock {
    private long nanos = 1_000_000_000L;

    void advance(long by) {
        nanos += by;
    }

    @Override
    public long monotonicNanos() {
        return nanos;
    }

    @Override
    public long wallNanos() {
        return 1_700_000_000_000_000_000L + nanos;
    }
}
