package org.octofs.client.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Goal: one order with the stamps of servers. Method: the clock is read between two looks at theirs. */
class RealTimeClockTest {
    private static final int ROUNDS = 10_000;

    private static long now() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000_000L + now.getNano();
    }

    @Test
    void isTheClockThatServersReadToTheNanosecond() {
        RealTimeClock clock = new RealTimeClock();
        long before = now();
        for (int i = 0; i < ROUNDS; i++) {
            long here = clock.getAsLong();
            long after = now();
            assertThat(here).isBetween(before, after);
            before = after;
        }
    }
}
