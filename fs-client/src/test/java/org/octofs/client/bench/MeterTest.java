package org.octofs.client.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.octofs.client.bench.Meter.Measurement;

/** Goal: times are those of what is measured, and of nothing else. Method: a clock that the operations move. */
class MeterTest {
    private long now;

    @Test
    void undoingIsNotMeasured() throws Exception {
        Meter meter = new Meter(() -> now, 1_000, 100_000);
        long[] balance = new long[1];
        Measurement[] measured = meter.measure(10, _ -> now += 50, new Meter.Undone() {
            @Override
            public void run(long index) {
                now += 100;
                balance[0]++;
            }

            @Override
            public void undo(long index) {
                now += 900;
                balance[0]--;
            }
        });
        assertThat(balance[0]).isZero();
        assertThat(measured[0].medianMicros()).isEqualTo(0.05);
        assertThat(measured[1].medianMicros()).isEqualTo(0.1);
        assertThat(measured[1].megabytesPerSecond()).isEqualTo(100);
        assertThat(measured[1].nanos().getTotalCount()).isEqualTo(100);
    }

    @Test
    void aCrewCountsAllCallersAndTheirEnds() throws Exception {
        AtomicLong clock = new AtomicLong();
        AtomicLong ends = new AtomicLong();
        Crew.Work work = new Crew.Work() {
            @Override
            public void run(long index) {
                clock.addAndGet(10);
            }

            @Override
            public void finish() {
                ends.incrementAndGet();
            }
        };
        try (Crew crew = new Crew(3, clock::get)) {
            Crew.Result result = crew.times(Collections.nCopies(3, work), 7);
            assertThat(result.count()).isEqualTo(21);
            assertThat(result.nanos().getTotalCount()).isEqualTo(21);
            assertThat(ends).hasValue(3);
            assertThat(result.perSecond()).isEqualTo(21e9 / 210);
            List<Crew.Result> both =
                    crew.measure(100, 1000, Collections.nCopies(3, work), Collections.nCopies(3, work));
            assertThat(both).hasSize(2).allMatch(r -> r.count() >= 15);
        }
    }

    @Test
    void whatACallerThrowsIsThrown() {
        try (Crew crew = new Crew(2, System::nanoTime)) {
            Crew.Work failing = _ -> {
                throw new IOException("no");
            };
            assertThatThrownBy(() -> crew.times(List.of(failing, _ -> {}), 2)).isInstanceOf(IOException.class);
        }
    }

    /** The clock moves by what an operation takes, and by 1 each time somebody waits. */
    @Test
    void whoWaitsForASlowOneHasWaited() throws Exception {
        OpenLoop loop = new OpenLoop(() -> now++, 7);
        Histogram latency = loop.run(i -> now += i == 0 ? 1_000_000 : 10, 0, 1_000, 1_000);
        // About a thousand became due while the first one ran, spread over its time: half of them waited longer than
        // half of it.
        assertThat(latency.getTotalCount()).isEqualTo(1_000);
        assertThat(latency.getMaxValue()).isBetween(999_000L, 1_010_000L);
        assertThat(latency.getValueAtPercentile(50)).isBetween(400_000L, 600_000L);
    }
}
