package org.octofs.pmem.medium;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every medium does alike. */
abstract class PmemMediumContract {
    static final long SIZE = 1 << 20;

    private PmemMedium medium;

    abstract PmemMedium create() throws IOException;

    @BeforeEach
    void open() throws IOException {
        medium = create();
    }

    @AfterEach
    void close() throws IOException {
        medium.close();
        afterClose();
    }

    void afterClose() throws IOException {}

    final PmemMedium medium() {
        return medium;
    }

    private byte[] at(long offset, int length) {
        return medium.memory().asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
    }

    @Test
    void startsAsZeros() {
        assertThat(medium.sizeBytes()).isEqualTo(SIZE);
        assertThat(medium.memory().byteSize()).isEqualTo(SIZE);
        assertThat(medium.memory().mismatch(MemorySegment.ofArray(new byte[(int) SIZE])))
                .isEqualTo(-1);
    }

    @Test
    void storesAreLittleEndianAndVisibleAtOnce() {
        medium.putByte(3, (byte) 0x11);
        medium.putShort(5, (short) 0x2221);
        medium.putInt(9, 0x34333231);
        medium.putLong(17, 0x4847464544434241L);
        medium.putLong(32, 0x5857565554535251L);
        byte[] expected = new byte[40];
        expected[3] = 0x11;
        for (int i = 0; i < 2; i++) {
            expected[5 + i] = (byte) (0x21 + i);
        }
        for (int i = 0; i < 4; i++) {
            expected[9 + i] = (byte) (0x31 + i);
        }
        for (int i = 0; i < 8; i++) {
            expected[17 + i] = (byte) (0x41 + i);
            expected[32 + i] = (byte) (0x51 + i);
        }
        assertThat(at(0, 40)).isEqualTo(expected);
    }

    @Test
    void copiesOfAllLengthsAlignmentsAndSources() {
        Random random = new Random(0x5EED);
        byte[] model = new byte[(int) SIZE];
        byte[] source = new byte[300 << 10];
        random.nextBytes(source);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment heap = MemorySegment.ofArray(source);
            MemorySegment direct = arena.allocate(source.length).copyFrom(heap);
            for (int i = 0; i < 400; i++) {
                int length = random.nextInt(10) == 0 ? random.nextInt(source.length) : random.nextInt(600);
                int from = random.nextInt(source.length - length + 1);
                int to = random.nextInt((int) SIZE - length + 1);
                MemorySegment segment = random.nextBoolean() ? heap : direct;
                if (random.nextBoolean()) {
                    medium.copy(to, segment, from, length);
                    medium.persist(to, length);
                } else {
                    medium.copyNonTemporal(to, segment, from, length);
                    medium.fence();
                }
                System.arraycopy(source, from, model, to, length);
            }
        }
        assertThat(medium.memory().mismatch(MemorySegment.ofArray(model))).isEqualTo(-1);
    }

    @Test
    void fillsRangesOfAllLengths() {
        byte[] model = new byte[(int) SIZE];
        int[][] ranges = {{0, 0}, {1, 1}, {63, 2}, {4095, 4098}, {100_001, 300_007}, {(int) SIZE - 5, 5}};
        for (int i = 0; i < ranges.length; i++) {
            medium.fill(ranges[i][0], ranges[i][1], (byte) (i + 1));
            medium.flush(ranges[i][0], ranges[i][1]);
            Arrays.fill(model, ranges[i][0], ranges[i][0] + ranges[i][1], (byte) (i + 1));
        }
        medium.fence();
        assertThat(medium.memory().mismatch(MemorySegment.ofArray(model))).isEqualTo(-1);
    }

    @Test
    void nothingReachesOutside() {
        MemorySegment source = MemorySegment.ofArray(new byte[128]);
        Class<IndexOutOfBoundsException> outside = IndexOutOfBoundsException.class;
        for (long offset : new long[] {-1, SIZE - 7, SIZE, Long.MAX_VALUE - 3, Long.MIN_VALUE}) {
            assertThatThrownBy(() -> medium.putLong(offset, 1)).isInstanceOf(outside);
            assertThatThrownBy(() -> medium.copy(offset, source, 0, 8)).isInstanceOf(outside);
            assertThatThrownBy(() -> medium.copyNonTemporal(offset, source, 0, 8))
                    .isInstanceOf(outside);
            assertThatThrownBy(() -> medium.flush(offset, 8)).isInstanceOf(outside);
            assertThatThrownBy(() -> medium.fill(offset, 8, (byte) 1)).isInstanceOf(outside);
        }
        assertThatThrownBy(() -> medium.copyNonTemporal(0, source, 121, 8)).isInstanceOf(outside);
        assertThatThrownBy(() -> medium.copyNonTemporal(0, source, -1, 8)).isInstanceOf(outside);
        assertThatThrownBy(() -> medium.copyNonTemporal(0, source, 0, -1)).isInstanceOf(outside);
        assertThatThrownBy(() -> medium.flush(0, -1)).isInstanceOf(outside);
        assertThat(medium.memory().mismatch(MemorySegment.ofArray(new byte[(int) SIZE])))
                .isEqualTo(-1);
    }

    @Test
    void countersCountLines() {
        MediumCounters counters = medium.counters();
        counters.reset();
        medium.flush(63, 2);
        medium.flush(128, 64);
        medium.flush(128, 0);
        medium.fence();
        medium.copyNonTemporal(0, MemorySegment.ofArray(new byte[100]), 0, 100);
        assertThat(counters.flushCalls()).isEqualTo(3);
        assertThat(counters.flushedLines()).isEqualTo(3);
        assertThat(counters.fences()).isEqualTo(1);
        assertThat(counters.nonTemporalBytes()).isEqualTo(100);
    }

    @Test
    void closingTwiceIsHarmless() {
        medium.close();
        medium.close();
        assertThat(medium.path() == null || Files.exists(medium.path())).isTrue();
    }
}
