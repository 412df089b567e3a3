package org.octofs.pmem.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.octofs.pmem.PoolMismatchException;
import org.octofs.pmem.PoolMismatchException.Reason;
import org.octofs.pmem.layout.SuperblockLayout;
import org.octofs.pmem.layout.Zone;
import org.octofs.pmem.layout.ZoneKind;
import org.octofs.pmem.log.LogRecord;
import org.octofs.pmem.log.ReplayVisitor;
import org.octofs.pmem.medium.Progress;
import org.octofs.pmem.medium.RecordingMedium;
import org.octofs.pmem.segment.SegmentTable;

/** Formatting, opening and refusing pools, on memory. */
class PmemPoolTest {
    private static final UUID CLUSTER = new UUID(0x0123456789ABCDEFL, 0x0FEDCBA987654321L);
    private static final PoolIdentity IDENTITY = new PoolIdentity(CLUSTER, 3, 4, 16);
    private static final PoolExpectation EXPECTED = new PoolExpectation(CLUSTER, 3);
    private static final long SIZE = 1 << 20;

    private final RecordingMedium medium = formatted();

    private static RecordingMedium formatted() {
        RecordingMedium fresh = new RecordingMedium(SIZE);
        // Nothing of an earlier life may shine through.
        fresh.memory().fill((byte) 0xA5);
        PoolFormatter.format(fresh, IDENTITY, GeometryOptions.tinyDefaults(), 1234, Progress.NONE);
        return fresh;
    }

    /** The same contents on a medium that is not closed. */
    private RecordingMedium again(RecordingMedium before) {
        return RecordingMedium.of(before.memory());
    }

    private static void assertRefused(RecordingMedium bad, PoolExpectation expected, Reason reason, String... words) {
        MemorySegment before = RecordingMedium.of(bad.memory()).memory();
        assertThatThrownBy(() -> PmemPool.open(bad, expected))
                .isInstanceOfSatisfying(
                        PoolMismatchException.class, e -> assertThat(e.reason()).isEqualTo(reason))
                .hasMessageContainingAll(words);
        assertThat(bad.memory().mismatch(before)).as("first byte changed").isEqualTo(-1);
        assertThat(bad.isClosed()).isTrue();
    }

    @Test
    void whatWasFormattedIsWhatOpens() throws IOException {
        try (PmemPool pool = PmemPool.open(medium, EXPECTED)) {
            assertThat(pool.identity()).isEqualTo(IDENTITY);
            assertThat(pool.createdMillis()).isEqualTo(1234);
            assertThat(pool.geometry()).isEqualTo(PoolGeometry.forPool(SIZE, GeometryOptions.tinyDefaults()));
            assertThat(pool.openedIncarnation()).isEqualTo(1);
            assertThat(pool.wasCleanShutdown()).isTrue();
            assertThat(pool.notes()).isEmpty();
            for (ZoneKind kind : ZoneKind.values()) {
                Zone zone = pool.zone(kind);
                boolean ours = kind == ZoneKind.SUPERBLOCK || kind == ZoneKind.REDO_LOG || kind == ZoneKind.DATA;
                MemorySegment zeros = MemorySegment.ofArray(new byte[(int) zone.lengthBytes()]);
                long mismatch = medium.memory()
                        .asSlice(zone.offset(), zone.lengthBytes())
                        .mismatch(zeros);
                assertThat(mismatch)
                        .as("first byte of %s that is not zero", kind)
                        .matches(at -> ours || at == -1);
            }
        }
        assertThat(medium.isClosed()).isTrue();
    }

    @Test
    void eachOpenIsANewIncarnationAndOnlyAnOrderlyCloseIsClean() throws IOException {
        RecordingMedium second = again(medium);
        PmemPool crashed = PmemPool.open(second, EXPECTED);
        crashed.redoLog().replay(ReplayVisitor.NONE);
        crashed.abandon();
        RecordingMedium third = again(second);
        PmemPool pool = PmemPool.open(third, EXPECTED);
        assertThat(pool.wasCleanShutdown()).isFalse();
        assertThat(pool.openedIncarnation()).isEqualTo(2);
        pool.redoLog().replay(ReplayVisitor.NONE);
        pool.close();
        pool.close();
        RecordingMedium fourth = again(third);
        try (PmemPool last = PmemPool.open(fourth, EXPECTED)) {
            assertThat(last.wasCleanShutdown()).isTrue();
            assertThat(last.openedIncarnation()).isEqualTo(3);
        }
        try (PmemPool unreplayed = PmemPool.open(again(fourth), EXPECTED)) {
            assertThat(unreplayed.wasCleanShutdown())
                    .as("clean flag of a pool that was closed without replay")
                    .isFalse();
        }
    }

    @Test
    void anythingElseIsRefusedInClearWordsAndLeftAsItWas() {
        assertRefused(new RecordingMedium(SIZE), EXPECTED, Reason.NOT_A_POOL, "never completely formatted");
        assertRefused(new RecordingMedium(4096), EXPECTED, Reason.NOT_A_POOL, "too small");
        assertRefused(
                again(medium),
                new PoolExpectation(new UUID(1, 2), 3),
                Reason.OTHER_CLUSTER,
                CLUSTER.toString(),
                new UUID(1, 2).toString());
        assertRefused(again(medium), new PoolExpectation(CLUSTER, 2), Reason.OTHER_NODE, "node 3", "node 2");
        assertRefused(
                again(medium),
                new PoolExpectation(CLUSTER, 3, IDENTITY.nodeCount(), IDENTITY.shardCount() + 1),
                Reason.OTHER_NODE,
                IDENTITY.shardCount() + " shards",
                (IDENTITY.shardCount() + 1) + " shards");
        assertRefused(
                again(medium),
                new PoolExpectation(CLUSTER, 3, IDENTITY.nodeCount() + 1, IDENTITY.shardCount()),
                Reason.OTHER_NODE,
                (IDENTITY.nodeCount() + 1) + " nodes");
        assertRefused(
                RecordingMedium.of(medium.memory().asSlice(0, SIZE - 4096)),
                EXPECTED,
                Reason.SIZE_DIFFERS,
                "truncated");
    }

    private RecordingMedium edited(long blockOffset, int field, long value) {
        return edited(again(medium), blockOffset, field, value);
    }

    /** Sets a u32 of a superblock and makes its checksum right again. */
    private RecordingMedium edited(RecordingMedium target, long blockOffset, int field, long value) {
        target.putInt(blockOffset + field, (int) value);
        CRC32C crc = new CRC32C();
        crc.update(target.memory()
                .asSlice(
                        blockOffset + SuperblockLayout.VERSION_OFFSET,
                        SuperblockLayout.SIZE_BYTES - SuperblockLayout.VERSION_OFFSET)
                .asByteBuffer());
        target.putInt(blockOffset + SuperblockLayout.CHECKSUM_OFFSET, (int) crc.getValue());
        return target;
    }

    @Test
    void otherVersionsAndUnknownFeaturesAreRefused() {
        assertRefused(edited(0, SuperblockLayout.VERSION_OFFSET, 2), EXPECTED, Reason.OTHER_VERSION, "version 2");
        assertRefused(
                edited(0, SuperblockLayout.INCOMPATIBLE_FEATURES_OFFSET, 8), EXPECTED, Reason.UNKNOWN_FEATURE, "0x8");
    }

    @Test
    void compatibleFeaturesAreIgnored() throws IOException {
        RecordingMedium newer = edited(0, SuperblockLayout.COMPATIBLE_FEATURES_OFFSET, 8);
        PmemPool.open(newer, EXPECTED).close();
        assertThat(newer.memory().get(ValueLayout.JAVA_INT, SuperblockLayout.COMPATIBLE_FEATURES_OFFSET))
                .as("kept when the block is rewritten")
                .isEqualTo(8);
    }

    @Test
    void oneBadSuperblockIsMendedFromTheOther() throws IOException {
        for (long bad : new long[] {SuperblockLayout.PRIMARY_OFFSET, SuperblockLayout.BACKUP_OFFSET}) {
            RecordingMedium damaged = again(medium);
            damaged.putByte(bad + 100, (byte) 0x77);
            try (PmemPool pool = PmemPool.open(damaged, EXPECTED)) {
                assertThat(pool.notes()).singleElement().asString().contains(bad == 0 ? "primary" : "backup");
            }
            try (PmemPool pool = PmemPool.open(again(damaged), EXPECTED)) {
                assertThat(pool.notes()).isEmpty();
                assertThat(pool.openedIncarnation()).isEqualTo(2);
            }
        }
    }

    @Test
    void bothSuperblocksBadIsTheEnd() {
        RecordingMedium damaged = again(medium);
        damaged.putByte(SuperblockLayout.PRIMARY_OFFSET + 100, (byte) 0x77);
        damaged.putByte(SuperblockLayout.BACKUP_OFFSET + 4095, (byte) 0x77);
        assertRefused(damaged, EXPECTED, Reason.BOTH_SUPERBLOCKS_BAD, "both superblocks");
    }

    @Test
    void segmentsChangeOwnerThroughTheLog() throws IOException {
        PmemPool pool = PmemPool.open(medium, EXPECTED);
        pool.redoLog().replay(ReplayVisitor.NONE);
        SegmentTable segments = pool.segmentTable();
        int all = segments.segmentCount();
        assertThat(all).isGreaterThan(4);
        assertThat(segments.freeCount()).isEqualTo(all);
        int[] found = segments.findFree(3);
        assertThat(found).hasSize(3).doesNotHaveDuplicates();

        LogRecord r = pool.redoLog().begin(1);
        segments.stageAssign(r, found[0], 0);
        segments.stageAssign(r, found[1], 15);
        assertThatThrownBy(() -> segments.stageAssign(r, found[2], 16)).isInstanceOf(IndexOutOfBoundsException.class);
        pool.redoLog().commit(r);
        assertThat(segments.ownerOf(found[0])).isEqualTo(SegmentTable.NO_OWNER);
        pool.redoLog().apply(r);
        assertThat(segments.ownerOf(found[0])).isZero();
        assertThat(segments.ownerOf(found[1])).isEqualTo(15);
        assertThat(segments.freeCount()).isEqualTo(all - 2);
        assertThat(segments.findFree(all)).hasSize(all - 2).doesNotContain(found[0], found[1]);

        LogRecord back = pool.redoLog().begin(1);
        segments.stageFree(back, found[0]);
        assertThatThrownBy(() -> segments.stageFree(back, found[2])).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> segments.stageAssign(back, found[1], 2)).isInstanceOf(IllegalStateException.class);
        pool.redoLog().commit(back);
        pool.redoLog().apply(back);
        assertThat(segments.ownerOf(found[0])).isEqualTo(SegmentTable.NO_OWNER);
        assertThat(segments.changeCount(found[0])).isEqualTo(2);
        long offset = segments.segmentOffset(found[1]);
        assertThat(pool.zone(ZoneKind.DATA).contains(offset, segments.segmentSizeBytes()))
                .isTrue();
        assertThat(segments.segmentIndexOf(offset + segments.segmentSizeBytes() - 1))
                .isEqualTo(found[1]);
        pool.close();
    }
}
