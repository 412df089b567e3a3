package org.octofs.pmem.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.octofs.pmem.layout.LogEntryLayout;
import org.octofs.pmem.layout.LogHeadLayout;
import org.octofs.pmem.layout.LogRecordLayout;
import org.octofs.pmem.layout.SegmentTableLayout;
import org.octofs.pmem.layout.SuperblockLayout;
import org.octofs.pmem.layout.ZoneKind;
import org.octofs.pmem.layout.ZoneTableLayout;
import org.octofs.pmem.log.LogRecord;
import org.octofs.pmem.log.ReplayVisitor;
import org.octofs.pmem.medium.Progress;
import org.octofs.pmem.medium.RecordingMedium;

/**
 * The bytes of a pool made by this version, as they were when the format was fixed. A change here is a change of format: it needs
 * a version or a feature bit.
 */
class GoldenBytesTest {
    private final RecordingMedium medium = new RecordingMedium(1 << 20);

    private String hex(long offset, int length) {
        return HexFormat.of().formatHex(medium.memory().asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE));
    }

    @Test
    void sizesAndAlignments() {
        assertThat(SuperblockLayout.SIZE_BYTES).isEqualTo(4096);
        assertThat(SuperblockLayout.ZONE_TABLE_OFFSET % 8).isZero();
        assertThat(ZoneTableLayout.SIZE_BYTES).isEqualTo(24);
        assertThat(SegmentTableLayout.SIZE_BYTES).isEqualTo(8);
        assertThat(LogHeadLayout.RESERVED_OFFSET).isLessThan(LogHeadLayout.SIZE_BYTES);
        assertThat(LogRecordLayout.RESERVED_OFFSET).isLessThan(LogRecordLayout.HEADER_BYTES);
        assertThat(LogEntryLayout.HEADER_BYTES % LogEntryLayout.ALIGNMENT_BYTES).isZero();
        assertThat(SuperblockLayout.MAGIC).isEqualTo(0x01005346_4F54434FL);
    }

    @Test
    void aPoolWithOneRecord() throws IOException {
        PoolIdentity identity =
                new PoolIdentity(new UUID(0x1112131415161718L, 0x2122232425262728L), 0x3132, 0x4142, 0x51);
        PoolFormatter.format(medium, identity, GeometryOptions.tinyDefaults(), 0x6162636465666768L, Progress.NONE);
        PmemPool pool = PmemPool.open(new Unclosed(medium), PoolExpectation.ANY);
        pool.redoLog().replay(ReplayVisitor.NONE);
        MemorySegment text = MemorySegment.ofArray("payload".getBytes(StandardCharsets.UTF_8));
        LogRecord r = pool.redoLog().begin(0x7172).shard(0x51).txnId(0x8182838485868788L);
        pool.segmentTable().stageAssign(r, 1, 2);
        r.payload(0x9192, text, 0, 7);
        pool.redoLog().commit(r);
        pool.redoLog().apply(r);
        pool.abandon();

        assertThat(hex(0, 8)).isEqualTo("4f43544f46530001");
        assertThat(hex(0, 120)).as("superblock").isEqualTo(SUPERBLOCK);
        assertThat(medium.memory().asSlice(0, 4096).mismatch(medium.memory().asSlice(4096, 4096)))
                .as("the two superblocks")
                .isEqualTo(-1);
        assertThat(hex(pool.zone(ZoneKind.SEGMENT_TABLE).offset(), 24))
                .as("segment table")
                .isEqualTo("000000000000000003000000010000000000000000000000");
        long log = pool.zone(ZoneKind.REDO_LOG).offset();
        assertThat(hex(log, 64)).as("head").isEqualTo(HEAD);
        assertThat(hex(log + LogHeadLayout.RING_START, 128)).as("record").isEqualTo(RECORD);
    }

    private static final String SUPERBLOCK = ""
            + "4f43544f465300017d2dea3c0100000000000000000000000000000000000000"
            + "1817161514131211282726252423222132314241510000000000100000000000"
            + "0000010000000000686766656463626102000000000000000100000000000000"
            + "000000000000000000000000000000000020000000000000";
    private static final String HEAD = ""
            + "34d55b7f00000000020000000000000001000000000000000000000000000000"
            + "0000000000000000000000000000000000000000000000000000000000000000";
    private static final String RECORD = ""
            + "96dd9e4480000000010000000000000001000000727102008887868584838281"
            + "5100000000000000010000000000000000000000000000000000000000000000"
            + "0100000008000000082000000000000003000000010000000200929107000000"
            + "00000000000000007061796c6f61640000000000000000000000000000000000";
}
