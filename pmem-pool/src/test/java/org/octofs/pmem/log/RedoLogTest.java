package org.octofs.pmem.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.octofs.pmem.PoolCorruptException;
import org.octofs.pmem.PoolFullException;
import org.octofs.pmem.layout.LogHeadLayout;
import org.octofs.pmem.layout.Zone;
import org.octofs.pmem.layout.ZoneKind;
import org.octofs.pmem.medium.RecordingMedium;

/** What the log promises without crashes in the middle of its own steps. */
class RedoLogTest {
    private static final long RING_BYTES = 4096;
    private static final Zone ZONE = new Zone(ZoneKind.REDO_LOG, 8192, LogHeadLayout.RING_START + RING_BYTES);
    private static final long TARGET = 32 << 10;

    private final RecordingMedium medium = new RecordingMedium(64 << 10);
    private int incarnation;
    private RedoLog log;

    @BeforeEach
    void formatAndOpen() {
        RedoLog.format(medium, ZONE);
        log = reopen();
    }

    private RedoLog reopen() {
        return reopen(ReplayVisitor.NONE);
    }

    private RedoLog reopen(ReplayVisitor visitor) {
        RedoLog opened = new RedoLog(medium, ZONE, ++incarnation);
        opened.replay(visitor);
        return opened;
    }

    private static MemorySegment bytes(String text) {
        return MemorySegment.ofArray(text.getBytes(StandardCharsets.UTF_8));
    }

    private long longAt(long offset) {
        return medium.memory().get(ValueLayout.JAVA_LONG_UNALIGNED, offset);
    }

    private long commitAndApply(long offset, long value) {
        LogRecord r = log.begin(1).updateLong(offset, value);
        long sequence = log.commit(r);
        log.apply(r);
        return sequence;
    }

    private long commitPayload(int type, String text) {
        MemorySegment source = bytes(text);
        return log.commit(log.begin(type).shard(5).txnId(77).payload(9, source, 0, (int) source.byteSize()));
    }

    @Test
    void updatesAreInPlaceAfterApplyAndNotBefore() {
        LogRecord r = log.begin(3).updateLong(TARGET, 42).update(TARGET + 100, bytes("hello"), 1, 3);
        assertThat(log.commit(r)).isEqualTo(1);
        assertThat(longAt(TARGET)).isZero();
        log.apply(r);
        assertThat(longAt(TARGET)).isEqualTo(42);
        assertThat(medium.memory().asSlice(TARGET + 100, 4).toArray(ValueLayout.JAVA_BYTE))
                .containsExactly('e', 'l', 'l', 0);
    }

    @Test
    void replayStoresWhatWasCommittedButNotApplied() {
        log.commit(log.begin(1).updateLong(TARGET, 1).updateLong(TARGET + 8, 2));
        log = reopen();
        assertThat(longAt(TARGET)).isEqualTo(1);
        assertThat(longAt(TARGET + 8)).isEqualTo(2);
    }

    @Test
    void anAbandonedRecordLeavesNoTrace() {
        log.begin(1).updateLong(TARGET, 1);
        commitAndApply(TARGET + 8, 2);
        log = reopen();
        assertThat(longAt(TARGET)).isZero();
        assertThat(longAt(TARGET + 8)).isEqualTo(2);
    }

    @Test
    void replayShowsTypeShardTransactionAndPayloads() {
        MemorySegment source = bytes("image for another node");
        log.commit(log.begin(0xFFFF)
                .shard(-1)
                .txnId(Long.MIN_VALUE)
                .updateLong(TARGET, 5)
                .payload(0xFFFE, source, 0, (int) source.byteSize())
                .payload(1, source, 0, 0));
        List<String> seen = new ArrayList<>();
        log = reopen(view -> {
            seen.add(view.type() + " " + view.shard() + " " + view.txnId() + " " + view.sequence() + " "
                    + view.entryCount());
            while (view.next()) {
                seen.add(
                        view.isPayload()
                                ? view.tag() + "="
                                        + StandardCharsets.UTF_8.decode(
                                                view.data().asByteBuffer())
                                : "update " + view.poolOffset() + "+" + view.lengthBytes());
            }
        });
        assertThat(seen)
                .containsExactly(
                        "65535 -1 -9223372036854775808 1 3",
                        "update " + TARGET + "+8",
                        "65534=image for another node",
                        "1=");
        assertThat(reopenAndCount())
                .as("replayed records are gone after their checkpoint")
                .isZero();
    }

    private long reopenAndCount() {
        return new RedoLog(medium, ZONE, ++incarnation).replay(ReplayVisitor.NONE);
    }

    @Test
    void numbersGoOnOverRestarts() {
        assertThat(commitAndApply(TARGET, 1)).isEqualTo(1);
        assertThat(commitAndApply(TARGET, 2)).isEqualTo(2);
        log = reopen();
        assertThat(commitAndApply(TARGET, 3)).isEqualTo(3);
    }

    @Test
    void theRingIsUsedManyTimesOver() {
        Random random = new Random(0x0C70);
        long[] model = new long[64];
        for (int i = 1; i <= 5000; i++) {
            LogRecord r = log.begin(1);
            int updates = 1 + random.nextInt(30);
            for (int u = 0; u < updates; u++) {
                int word = random.nextInt(model.length);
                model[word] = i * 100L + u;
                r.updateLong(TARGET + 8L * word, model[word]);
            }
            log.commit(r);
            if (random.nextInt(50) == 0) {
                log = reopen();
            } else {
                log.apply(r);
            }
        }
        log = reopen();
        for (int word = 0; word < model.length; word++) {
            assertThat(longAt(TARGET + 8L * word)).isEqualTo(model[word]);
        }
        assertThat(log.usedBytes()).isZero();
    }

    @Test
    void aRetainedRecordOutlivesReclaimAndRestartsUntilReleased() {
        long kept = commitPayload(7, "kept");
        log.retain(kept);
        long dropped = commitPayload(8, "dropped");
        for (int i = 0; i < 500; i++) {
            commitAndApply(TARGET, i);
        }
        assertThat(log.checkpointCount()).isGreaterThan(3);
        for (int restart = 0; restart < 3; restart++) {
            List<String> seen = new ArrayList<>();
            log = new RedoLog(medium, ZONE, ++incarnation);
            RedoLog opened = log;
            opened.replay(view -> {
                if (view.type() == 7) {
                    assertThat(view.next()).isTrue();
                    seen.add(view.shard() + " " + view.txnId() + " " + view.tag() + " "
                            + StandardCharsets.UTF_8.decode(view.data().asByteBuffer()));
                    opened.retain(view.sequence());
                    assertThat(view.sequence()).isEqualTo(kept).isNotEqualTo(dropped);
                }
            });
            assertThat(seen).containsExactly("5 77 9 kept");
            commitAndApply(TARGET, -restart);
        }
        log.release(kept);
        log.checkpoint();
        assertThat(log.usedBytes()).isZero();
        assertThat(reopenAndCount()).isZero();
    }

    /** A carried copy comes after newer records; were its updates carried too, replay would undo those. */
    @Test
    void carryingForwardDoesNotUndoNewerUpdates() {
        MemorySegment empty = bytes("");
        LogRecord r = log.begin(7).updateLong(TARGET, 1).payload(1, empty, 0, 0);
        log.retain(log.commit(r));
        log.apply(r);
        commitAndApply(TARGET, 2);
        log.checkpoint();
        log = reopen();
        assertThat(longAt(TARGET)).isEqualTo(2);
    }

    @Test
    void retainingTooMuchIsRefusedBeforeAnythingIsWritten() {
        String text = "x".repeat(100);
        long kept = 0;
        while (log.retainedBytes() + 192 <= log.retainedBytesMax()) {
            kept = commitPayload(7, text);
            log.retain(kept);
        }
        long next = kept + 1;
        assertThatThrownBy(() -> commitPayload(7, text)).isInstanceOf(PoolFullException.class);
        assertThat(commitAndApply(TARGET, 1))
                .as("records without payload still go")
                .isEqualTo(next);
        log.release(kept);
        assertThat(commitPayload(7, text)).isEqualTo(next + 1);
    }

    /** After a crash the visitor may retain everything that has a payload: that has to fit, and work has to go on. */
    @Test
    void everythingWithPayloadMayBeRetainedAfterACrash() {
        Random random = new Random(0x8E7A);
        for (int round = 0; round < 200; round++) {
            for (int i = 0; i < random.nextInt(60); i++) {
                if (random.nextBoolean()) {
                    commitPayload(7, "p".repeat(random.nextInt(160)));
                } else {
                    commitAndApply(TARGET, i);
                }
            }
            List<Long> kept = new ArrayList<>();
            RedoLog opened = new RedoLog(medium, ZONE, ++incarnation);
            opened.replay(view -> {
                if (view.type() == 7) {
                    opened.retain(view.sequence());
                    kept.add(view.sequence());
                }
            });
            log = opened;
            LogRecord large = log.begin(1);
            while (large.lengthBytes() + 24 <= log.maxRecordBytes()) {
                large.updateLong(TARGET, round);
            }
            for (int i = 0; i < 10; i++) {
                commitAndApply(TARGET + 8, i);
            }
            assertThat(log.retainedCount()).isEqualTo(kept.size());
            kept.forEach(log::release);
        }
    }

    @Test
    void limitsAreKept() {
        MemorySegment big = Arena.ofAuto().allocate(RING_BYTES);
        int header = 64 + 16;
        assertThat(log.commit(log.begin(1).update(TARGET, big, 0, log.maxRecordBytes() - header)))
                .isEqualTo(1);
        log = reopen();
        assertThatThrownBy(() -> log.begin(1).update(TARGET, big, 0, log.maxRecordBytes() - header + 1))
                .isInstanceOf(LogRecordTooLargeException.class);
        assertThatThrownBy(() -> log.begin(1).payload(1, big, 0, log.maxPayloadBytes() - 15))
                .isInstanceOf(LogRecordTooLargeException.class);
        assertThat(log.commit(log.begin(1).payload(1, big, 0, log.maxPayloadBytes() - 16)))
                .isEqualTo(2);
    }

    @Test
    void updatesMayNotTouchSuperblockLogOrWhatIsOutside() {
        for (long offset : new long[] {
            0,
            8191,
            ZONE.offset(),
            ZONE.endOffset() - 1,
            ZONE.offset() - 7,
            medium.sizeBytes() - 7,
            -8,
            Long.MAX_VALUE - 3
        }) {
            assertThatThrownBy(() -> log.begin(1).updateLong(offset, 1))
                    .as("offset %d", offset)
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
        log.begin(1).updateLong(ZONE.endOffset(), 1).updateLong(medium.sizeBytes() - 8, 1);
    }

    @Test
    void misuseIsRefused() {
        RedoLog fresh = new RedoLog(medium, ZONE, ++incarnation);
        assertThatThrownBy(() -> fresh.begin(1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> log.begin(0)).isInstanceOf(IllegalArgumentException.class);
        LogRecord r = log.begin(1).updateLong(TARGET, 1);
        assertThatThrownBy(() -> log.apply(r)).isInstanceOf(IllegalStateException.class);
        long sequence = log.commit(r);
        assertThatThrownBy(() -> log.commit(r)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> log.begin(1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(log::checkpoint).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> log.retain(sequence)).as("no payload").isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> r.updateLong(TARGET, 1)).isInstanceOf(IllegalStateException.class);
        log.apply(r);
        log.begin(1);
    }

    @Test
    void aSpoiledRecordBeforeIntactOnesIsCorruptionNotTheEnd() {
        commitAndApply(TARGET, 1);
        commitAndApply(TARGET, 2);
        commitAndApply(TARGET, 3);
        long second = ZONE.offset() + LogHeadLayout.RING_START + 128;
        medium.putByte(second + 80, (byte) 0x55);
        RedoLog opened = new RedoLog(medium, ZONE, ++incarnation);
        assertThatThrownBy(() -> opened.replay(ReplayVisitor.NONE))
                .isInstanceOf(PoolCorruptException.class)
                .hasMessageContaining("record 2");
    }

    @Test
    void aSpoiledLastRecordIsWhereTheLogEnds() {
        commitAndApply(TARGET, 1);
        log.commit(log.begin(1).updateLong(TARGET, 2));
        medium.putByte(ZONE.offset() + LogHeadLayout.RING_START + 128 + 80, (byte) 0x55);
        log = reopen();
        assertThat(longAt(TARGET)).isEqualTo(1);
        assertThat(commitAndApply(TARGET, 7)).isEqualTo(2);
    }

    /**
     * A wrap record is lost, the record behind it (under the same fence, never acknowledged) is not. Later the chain happens to
     * reach that remnant with just its number: the incarnation tells that it is none of it.
     */
    @Test
    void aRemnantOfAnAbandonedTailNeverContinuesALaterChain() {
        for (int i = 0; i < 30; i++) {
            commitAndApply(TARGET, 1);
        }
        log.commit(log.begin(1).update(TARGET + 64, Arena.ofAuto().allocate(432).fill((byte) 9), 0, 432));
        long wrapOffset = ZONE.offset() + LogHeadLayout.RING_START + 30 * 128;
        assertThat(medium.memory().get(ValueLayout.JAVA_LONG, wrapOffset + 8))
                .as("number of the wrap record")
                .isEqualTo(31);
        medium.fill(wrapOffset, 64, (byte) 0);

        log = reopen();
        assertThat(longAt(TARGET + 64)).isZero();
        LogRecord r = log.begin(1);
        for (int i = 0; i < 8; i++) {
            r.updateLong(TARGET, 2);
        }
        assertThat(r.lengthBytes()).as("fills the ring to its end").isEqualTo(256);
        assertThat(log.commit(r)).isEqualTo(31);
        log = reopen();
        assertThat(longAt(TARGET)).isEqualTo(2);
        assertThat(longAt(TARGET + 64)).isZero();
        assertThat(commitAndApply(TARGET, 3)).isEqualTo(32);
    }

    @Test
    void oneBadHeadIsSurvivedTwoAreNot() {
        commitAndApply(TARGET, 1);
        log.checkpoint();
        commitAndApply(TARGET, 2);
        // The third write of a head went to slot 1; the other one is the older.
        medium.putByte(ZONE.offset() + 16, (byte) 0x55);
        assertThat(reopenAndCount()).isEqualTo(1);
        medium.putByte(ZONE.offset() + 16, (byte) 0x44);
        medium.putByte(ZONE.offset() + 64 + 16, (byte) 0x55);
        assertThatThrownBy(() -> new RedoLog(medium, ZONE, ++incarnation)).isInstanceOf(PoolCorruptException.class);
    }

    /** The newer head spoiled, not torn: the older one points at space that has been written over. */
    @Test
    void aLostNewerHeadIsNoticed() {
        commitAndApply(TARGET, 1);
        log.checkpoint();
        for (int i = 0; i < 32; i++) {
            commitAndApply(TARGET, 2);
        }
        medium.putByte(ZONE.offset() + 64 + 16, (byte) 0x55);
        RedoLog opened = new RedoLog(medium, ZONE, ++incarnation);
        assertThatThrownBy(() -> opened.replay(ReplayVisitor.NONE)).isInstanceOf(PoolCorruptException.class);
    }
}
