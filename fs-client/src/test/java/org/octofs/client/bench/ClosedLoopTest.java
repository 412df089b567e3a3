package org.octofs.client.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: every call is counted once, with its own time, and none is left over. Method: a clock that the wires move. */
class ClosedLoopTest {
    private long now;

    /** Answers calls in order, each after so many nanoseconds. */
    private final class SlowWire implements CallWire {
        private final Deque<Integer> waiting = new ArrayDeque<>();
        private final long nanos;
        private long calls;
        private int awake;

        SlowWire(long nanos) {
            this.nanos = nanos;
        }

        @Override
        public void call(int client) {
            assertThat(awake).isEqualTo(1);
            assertThat(waiting).doesNotContain(client);
            waiting.add(client);
            calls++;
        }

        @Override
        public void poll(Answers answers) throws Exception {
            now += nanos;
            answers.answered(waiting.remove());
        }

        @Override
        public void wake() {
            awake++;
        }

        @Override
        public void rest() {
            awake--;
        }

        @Override
        public long serverCpuNanos() {
            return calls * 7_000;
        }

        @Override
        public void close() {}
    }

    @Test
    void callsWaitForThoseOfOtherClients() throws Exception {
        SlowWire slow = new SlowWire(200);
        SlowWire fast = new SlowWire(100);
        List<ClosedLoop.Result> results = new ClosedLoop(10, () -> now).measure(10_000, 100_000, List.of(slow, fast));
        assertThat(slow.waiting).isEmpty();
        assertThat(slow.awake).isZero();
        assertThat(results.get(0).perSecond()).isEqualTo(5e6);
        assertThat(results.get(1).perSecond()).isEqualTo(1e7);
        assertThat(results.get(1).nanos().getValueAtPercentile(50)).isEqualTo(1_000);
        assertThat(results.get(1).serverMicros()).isEqualTo(7);
        // Five turns, and what was under way at the end of each.
        assertThat(results.get(1).nanos().getTotalCount()).isBetween(1_000L, 1_050L);
    }

    @Test
    void aServerThatDoesNotAnswerEndsIt() {
        CallWire silent = new CallWire() {
            @Override
            public void call(int client) {}

            @Override
            public void poll(Answers answers) {
                now += 1_000_000_000L;
            }

            @Override
            public long serverCpuNanos() {
                return 0;
            }

            @Override
            public void close() {}
        };
        assertThatThrownBy(() -> new ClosedLoop(1, () -> now).measure(1, 1, List.of(silent)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("does not answer");
    }
}
