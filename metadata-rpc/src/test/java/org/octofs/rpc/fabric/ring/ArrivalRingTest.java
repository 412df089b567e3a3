package org.octofs.rpc.fabric.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.octofs.rpc.fabric.host.Futex;

/** The ring alone: order, fullness, laps, producers that die between two instructions, lost wake-ups. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ArrivalRingTest {
    private static final int ENTRIES = 8;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate(ArrivalRingLayout.sizeBytes(ENTRIES), 64);
    private final ArrivalRing owner = ArrivalRing.create(memory, ENTRIES);
    private final ArrivalRing producer = ArrivalRing.open(memory);

    @AfterEach
    void free() {
        arena.close();
    }

    private void assertNext(int connectionIndex, int immediate) {
        long word = owner.pollWord();
        assertThat(word).isNotEqualTo(ArrivalRing.NOTHING);
        assertThat(ArrivalRing.connectionIndexOf(word)).isEqualTo(connectionIndex);
        assertThat(ArrivalRing.immediateOf(word)).isEqualTo(immediate);
    }

    @Test
    void keepsOrderAndAllBitsOverManyLaps() {
        // More than 2^15 laps, so that the lap number itself wraps.
        for (int i = 0; i < ENTRIES * 40_000; i += 3) {
            assertThat(producer.push(i & 0xFFFF, i)).isTrue();
            assertThat(producer.push(0, -1 - i)).isTrue();
            assertThat(producer.push(0xFFFF, 0)).isTrue();
            assertThat(owner.hasArrival()).isTrue();
            assertNext(i & 0xFFFF, i);
            assertNext(0, -1 - i);
            assertNext(0xFFFF, 0);
            assertThat(owner.hasArrival()).isFalse();
            assertThat(owner.pollWord()).isEqualTo(ArrivalRing.NOTHING);
        }
    }

    @Test
    void fullRingTakesNothingUntilOneIsConsumed() {
        for (int lap = 0; lap < 3; lap++) {
            for (int i = 0; i < ENTRIES; i++) {
                assertThat(producer.push(1, i)).isTrue();
            }
            assertThat(producer.push(1, 99)).isFalse();
            assertThat(owner.publishedCount() - owner.head()).isEqualTo(ENTRIES);
            assertNext(1, 0);
            assertThat(producer.push(1, 100)).isTrue();
            assertThat(producer.push(1, 101)).isFalse();
            for (int i = 1; i < ENTRIES; i++) {
                assertNext(1, i);
            }
            assertNext(1, 100);
            assertThat(owner.pollWord()).isEqualTo(ArrivalRing.NOTHING);
        }
    }

    @Test
    void producerThatDiesBeforeItMovesTheTailStopsNobody() {
        assertThat(producer.push(1, 10)).isTrue();
        // Published by compare-and-swap, then killed: the tail still names this slot.
        memory.set(
                ValueLayout.JAVA_LONG,
                ArrivalRingLayout.ENTRIES_OFFSET + ArrivalRingLayout.ENTRY_BYTES,
                ArrivalRingLayout.fullWord(0, 2, 20));
        assertThat(owner.publishedCount()).isEqualTo(2);
        assertThat(producer.push(3, 30)).isTrue();
        assertNext(1, 10);
        assertNext(2, 20);
        assertNext(3, 30);

        // The same, and the owner consumes it before anybody helps.
        memory.set(
                ValueLayout.JAVA_LONG,
                ArrivalRingLayout.ENTRIES_OFFSET + 3 * ArrivalRingLayout.ENTRY_BYTES,
                ArrivalRingLayout.fullWord(0, 4, 40));
        assertNext(4, 40);
        assertThat(producer.push(5, 50)).isTrue();
        assertNext(5, 50);
    }

    @Test
    void nonsenseInASlotIsMendedAndCounted() {
        memory.set(ValueLayout.JAVA_LONG, ArrivalRingLayout.ENTRIES_OFFSET, 0x0123_4567_89AB_CDEFL);
        assertThat(owner.hasArrival()).isTrue();
        assertThat(owner.pollWord()).isEqualTo(ArrivalRing.NOTHING);
        assertThat(owner.damagedCount()).isEqualTo(1);
        assertThat(producer.push(1, 1)).isTrue();
        assertNext(1, 1);
    }

    @Test
    void nonsenseInTheTailEndsThePushAndNotTheProcess() {
        memory.set(ValueLayout.JAVA_LONG, ArrivalRingLayout.TAIL_OFFSET, Long.MAX_VALUE - 3);
        producer.push(1, 1);
        memory.set(ValueLayout.JAVA_LONG, ArrivalRingLayout.TAIL_OFFSET, 5_000_000_000L);
        assertThat(producer.push(1, 1)).isFalse();
    }

    @Test
    void otherMemoryIsNotTakenForARing() {
        assertThatThrownBy(() -> ArrivalRing.open(arena.allocate(8192, 64)))
                .isInstanceOf(IllegalArgumentException.class);
        memory.set(ValueLayout.JAVA_INT, ArrivalRingLayout.ENTRY_COUNT_OFFSET, 1 << 20);
        assertThatThrownBy(() -> ArrivalRing.open(memory)).isInstanceOf(IllegalArgumentException.class);
        memory.set(ValueLayout.JAVA_INT, ArrivalRingLayout.ENTRY_COUNT_OFFSET, ENTRIES);
        memory.set(ValueLayout.JAVA_INT, ArrivalRingLayout.VERSION_OFFSET, 2);
        assertThatThrownBy(() -> ArrivalRing.open(memory)).isInstanceOf(IllegalArgumentException.class);
    }

    /**
     * Four producers, an owner that sleeps whenever it finds nothing: every arrival comes once, in the order of its
     * producer, and no wake-up is lost (a lost one would end the sleep by its time-out, which fails the test).
     */
    @Test
    void manyProducersAndASleepingOwner() throws Exception {
        int producers = 4;
        int perProducer = 30_000;
        List<Thread> threads = new ArrayList<>();
        for (int p = 0; p < producers; p++) {
            int index = p;
            ArrivalRing own = ArrivalRing.open(memory);
            threads.add(Thread.ofPlatform().daemon().start(() -> {
                for (int i = 0; i < perProducer; i++) {
                    while (!own.push(index, i)) {
                        LockSupport.parkNanos(1000);
                    }
                    if (i % 64 == 0) {
                        LockSupport.parkNanos(1000); // lets the owner run dry
                    }
                }
            }));
        }
        int[] next = new int[producers];
        int sleeps = 0;
        MemorySegment timeout = arena.allocate(Futex.TIMEOUT_BYTES, 8);
        for (int received = 0; received < producers * perProducer; ) {
            long word = owner.pollWord();
            if (word != ArrivalRing.NOTHING) {
                int index = ArrivalRing.connectionIndexOf(word);
                assertThat(ArrivalRing.immediateOf(word)).isEqualTo(next[index]++);
                received++;
                continue;
            }
            int wakeCount = owner.prepareToSleep();
            if (!owner.hasArrival()) {
                long start = System.nanoTime();
                owner.sleep(wakeCount, timeout, TimeUnit.SECONDS.toNanos(20));
                assertThat(System.nanoTime() - start).as("sleep").isLessThan(TimeUnit.SECONDS.toNanos(19));
                sleeps++;
            }
            owner.awake();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(sleeps).isPositive();
        assertThat(owner.pollWord()).isEqualTo(ArrivalRing.NOTHING);
        assertThat(owner.damagedCount()).isZero();
    }

    /** The layout is shared between processes that may be of different builds: change it only with its version. */
    @Test
    void layoutIsAsDocumented() {
        assertThat(ArrivalRingLayout.TAIL_OFFSET).isEqualTo(64);
        assertThat(ArrivalRingLayout.HEAD_OFFSET).isEqualTo(128);
        assertThat(ArrivalRingLayout.SLEEPING_OFFSET).isEqualTo(192);
        assertThat(ArrivalRingLayout.WAKE_COUNT_OFFSET).isEqualTo(256);
        assertThat(ArrivalRingLayout.ENTRIES_OFFSET).isEqualTo(4096);
        assertThat(ArrivalRingLayout.fullWord(0x7FFF + 2, 0xABCD, 0x1234_5678)).isEqualTo(0x8001_ABCD_1234_5678L);
        assertThat(ArrivalRingLayout.emptyWord(3)).isEqualTo(0x0003_0000_0000_0000L);
        assertThat(memory.asSlice(0, 16).toArray(ValueLayout.JAVA_BYTE))
                .isEqualTo(new byte[] {'O', 'C', 'T', 'O', 'R', 'I', 'N', 'G', 1, 0, 0, 0, ENTRIES, 0, 0, 0});
    }
}
