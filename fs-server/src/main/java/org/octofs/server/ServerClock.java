package org.octofs.server;

import java.time.Instant;

/** Time as the server sees it: a constructor argument wherever it is needed, so that tests can move it. */
public interface ServerClock {
    /** For deadlines and leases; the same clock as the fabric's. */
    long monotonicNanos();

    /** For time stamps: nanoseconds since 1970, good until 2262. */
    long wallNanos();

    /** The machine's clocks. */
    static ServerClock system() {
        return new ServerClock() {
            @Override
            public long monotonicNanos() {
                return System.nanoTime();
            }

            @Override
            public long wallNanos() {
                Instant now = Instant.now();
                return now.getEpochSecond() * 1_000_000_000L + now.getNano();
            }
        };
    }
}
