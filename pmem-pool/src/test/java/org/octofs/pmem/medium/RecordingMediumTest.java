package org.octofs.pmem.medium;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The medium that proves others right is itself right: exactly the contents that the rules allow. */
class RecordingMediumTest extends PmemMediumContract {
    @Override
    PmemMedium create() {
        return new RecordingMedium(SIZE);
    }

    private static RecordingMedium recording() {
        return new RecordingMedium(4096).startRecording();
    }

    /** Each image as the longs at the given offsets. */
    private static Set<String> images(RecordingMedium medium, long... offsets) {
        Set<String> seen = new TreeSet<>();
        medium.crashImages(1000, 1).forEach(image -> {
            StringBuilder text = new StringBuilder();
            for (long offset : offsets) {
                text.append(image.get(ValueLayout.JAVA_LONG_UNALIGNED, offset)).append(' ');
            }
            seen.add(text.toString().trim());
        });
        return seen;
    }

    @Test
    void storesOfOneLineKeepTheirOrder() {
        RecordingMedium medium = recording();
        medium.putLong(0, 1);
        medium.putLong(8, 2);
        medium.putLong(0, 3);
        assertThat(images(medium, 0, 8)).containsExactly("0 0", "1 0", "1 2", "3 2");
    }

    @Test
    void linesAreIndependent() {
        RecordingMedium medium = recording();
        medium.putLong(0, 1);
        medium.putLong(64, 2);
        assertThat(images(medium, 0, 64)).containsExactly("0 0", "0 2", "1 0", "1 2");
    }

    @Test
    void onlyAFlushWithAFenceIsDurable() {
        RecordingMedium medium = recording();
        medium.putLong(0, 1);
        medium.flush(0, 8);
        assertThat(images(medium, 0)).containsExactly("0", "1");
        medium.fence();
        assertThat(images(medium, 0)).containsExactly("1");
        medium.putLong(0, 2);
        medium.fence();
        assertThat(images(medium, 0)).containsExactly("1", "2");
    }

    @Test
    void aStoreAfterTheFlushIsNotCovered() {
        RecordingMedium medium = recording();
        medium.putLong(0, 1);
        medium.flush(0, 8);
        medium.putLong(8, 2);
        medium.fence();
        assertThat(images(medium, 0, 8)).containsExactly("1 0", "1 2");
    }

    @Test
    void nonTemporalPiecesComeInAnyOrderAndNeedOnlyAFence() {
        RecordingMedium medium = recording();
        medium.copyNonTemporal(0, MemorySegment.ofArray(new long[] {1, 2}), 0, 16);
        assertThat(images(medium, 0, 8)).containsExactly("0 0", "0 2", "1 0", "1 2");
        medium.fence();
        assertThat(images(medium, 0, 8)).containsExactly("1 2");
    }

    @Test
    void storesOfOthersComeInAnyOrderAndNeedFlushAndFence() {
        RecordingMedium medium = recording();
        medium.memory().set(ValueLayout.JAVA_LONG, 0, 1);
        medium.memory().set(ValueLayout.JAVA_LONG, 8, 2);
        medium.recordRemoteWrite(0, 16);
        medium.fence();
        assertThat(images(medium, 0, 8)).containsExactly("0 0", "0 2", "1 0", "1 2");
        medium.persist(0, 16);
        assertThat(images(medium, 0, 8)).containsExactly("1 2");
    }

    @Test
    void unalignedStoresTearAtEightBytes() {
        RecordingMedium medium = recording();
        medium.putLong(4, 0x0000_0001_0000_0002L);
        assertThat(images(medium, 4)).containsExactly("0", "2", Long.toString(0x0000_0001_0000_0002L));
    }

    @Test
    void stopsInsideACopyAndStaysStopped() {
        RecordingMedium medium = recording().stopAt(3);
        MemorySegment source = MemorySegment.ofArray(new long[] {1, 2, 3});
        assertThatThrownBy(() -> medium.copy(0, source, 0, 24)).isInstanceOf(CrashPoint.class);
        assertThat(images(medium, 0, 8, 16)).containsExactly("0 0 0", "1 0 0", "1 2 0");
        assertThatThrownBy(medium::fence).isInstanceOf(CrashPoint.class);
    }

    @Test
    void aDroppedFlushOrFenceDoesNothing() {
        RecordingMedium medium = recording().dropFence(0).dropFlush(1);
        medium.putLong(0, 1);
        medium.persist(0, 8);
        assertThat(images(medium, 0)).containsExactly("0", "1");
        medium.putLong(64, 2);
        medium.persist(64, 8);
        assertThat(images(medium, 0, 64)).containsExactly("1 0", "1 2");
    }

    @Test
    void aboveTheLimitItTakesTheEndsEachAloneEachMissingAndASample() {
        RecordingMedium medium = recording();
        for (int line = 0; line < 20; line++) {
            medium.putLong(64L * line, 1);
        }
        CrashImages images = medium.crashImages(100, 7);
        assertThat(images.possibleCount()).isEqualTo(1 << 20);
        Set<Integer> counts = new TreeSet<>();
        int made = images.forEach(image -> {
            int there = 0;
            for (int line = 0; line < 20; line++) {
                there += (int) image.get(ValueLayout.JAVA_LONG, 64L * line);
            }
            counts.add(there);
        });
        assertThat(made).isEqualTo(100);
        assertThat(counts).contains(0, 1, 19, 20, 10);
    }
}
