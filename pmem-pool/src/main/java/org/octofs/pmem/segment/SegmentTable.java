package org.octofs.pmem.segment;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;
import org.octofs.pmem.PoolCorruptException;
import org.octofs.pmem.layout.SegmentTableLayout;
import org.octofs.pmem.layout.Zone;
import org.octofs.pmem.log.LogRecord;
import org.octofs.pmem.medium.PmemMedium;

/**
 * Ownership of the segments, read straight from the medium: there is no second copy in DRAM.
 * Threading:  the pool's worker.
 * Ownership:  owns the segment-table zone.
 * Durability: a change is staged into a log record; it is durable when that is committed and visible here when applied. Two
 *             changes of one segment may not be staged at once: the second would not see the first.
 * Limits:     segments are indexed 0..{@link #segmentCount} - 1 ({@link IndexOutOfBoundsException}).
 */
public final class SegmentTable {
    /** Owner of a free segment. */
    public static final int NO_OWNER = SegmentTableLayout.NO_OWNER;

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final MemorySegment memory;
    private final long tableOffset;
    private final long dataOffset;
    private final long segmentSizeBytes;
    private final int segmentCount;
    private final int shardCount;
    private int searchStart;

    /**
     * @param table the segment-table zone
     * @param data the data zone, a whole number of segments
     */
    public SegmentTable(PmemMedium medium, Zone table, Zone data, long segmentSizeBytes, int shardCount) {
        this.memory = medium.memory();
        this.tableOffset = table.offset();
        this.dataOffset = data.offset();
        this.segmentSizeBytes = segmentSizeBytes;
        this.segmentCount = Math.toIntExact(data.lengthBytes() / segmentSizeBytes);
        this.shardCount = shardCount;
        if ((long) segmentCount * SegmentTableLayout.SIZE_BYTES > table.lengthBytes()) {
            throw new PoolCorruptException(
                    "segment table too small for " + segmentCount + " segments, length",
                    tableOffset,
                    (long) segmentCount * SegmentTableLayout.SIZE_BYTES,
                    table.lengthBytes());
        }
    }

    public int segmentCount() {
        return segmentCount;
    }

    public long segmentSizeBytes() {
        return segmentSizeBytes;
    }

    /** Pool offset of the first byte of a segment. */
    public long segmentOffset(int segmentIndex) {
        return dataOffset + Objects.checkIndex(segmentIndex, segmentCount) * segmentSizeBytes;
    }

    /** The segment that holds a pool offset of the data zone. */
    public int segmentIndexOf(long poolOffset) {
        long index = Math.floorDiv(poolOffset - dataOffset, segmentSizeBytes);
        return (int) Objects.checkIndex(index, (long) segmentCount);
    }

    private long wordOffset(int segmentIndex) {
        return tableOffset + (long) Objects.checkIndex(segmentIndex, segmentCount) * SegmentTableLayout.SIZE_BYTES;
    }

    private long word(int segmentIndex) {
        return memory.get(WORD, wordOffset(segmentIndex));
    }

    /**
     * The shard that owns the segment, or {@link #NO_OWNER}.
     *
     * @throws PoolCorruptException when the table names a shard that does not exist
     */
    public int ownerOf(int segmentIndex) {
        int owner = SegmentTableLayout.ownerShard(word(segmentIndex));
        if (owner < NO_OWNER || owner >= shardCount) {
            throw new PoolCorruptException(
                    "owner in the segment table", wordOffset(segmentIndex), shardCount - 1L, owner);
        }
        return owner;
    }

    /** How often the segment has changed hands (wraps at 32 bits). */
    public int changeCount(int segmentIndex) {
        return SegmentTableLayout.changeCount(word(segmentIndex));
    }

    /** Counts the free segments by reading the table: 8 bytes each, so about a microsecond per thousand. */
    public int freeCount() {
        int free = 0;
        for (int i = 0; i < segmentCount; i++) {
            if (SegmentTableLayout.ownerShard(word(i)) == NO_OWNER) {
                free++;
            }
        }
        return free;
    }

    /**
     * Finds free segments, at most {@code into.length}, taking up where the last search ended so that freed ones rest longest.
     *
     * @return how many were found; fewer than asked for means there are no more
     */
    public int findFree(int[] into) {
        int found = 0;
        int at = searchStart;
        for (int i = 0; i < segmentCount && found < into.length; i++) {
            if (SegmentTableLayout.ownerShard(word(at)) == NO_OWNER) {
                into[found++] = at;
            }
            at = at + 1 == segmentCount ? 0 : at + 1;
        }
        searchStart = at;
        return found;
    }

    /** As {@link #findFree(int[])} into a new array, which is shorter than {@code count} when there are no more. */
    public int[] findFree(int count) {
        int[] found = new int[count];
        return Arrays.copyOf(found, findFree(found));
    }

    /** Stages giving a free segment to a shard. */
    public void stageAssign(LogRecord record, int segmentIndex, int shard) {
        Objects.checkIndex(shard, shardCount);
        int owner = ownerOf(segmentIndex);
        if (owner != NO_OWNER) {
            throw new IllegalStateException("segment " + segmentIndex + " belongs to shard " + owner);
        }
        stage(record, segmentIndex, shard);
    }

    /** Stages freeing a segment that a shard owns. */
    public void stageFree(LogRecord record, int segmentIndex) {
        if (ownerOf(segmentIndex) == NO_OWNER) {
            throw new IllegalStateException("segment " + segmentIndex + " is free");
        }
        stage(record, segmentIndex, NO_OWNER);
    }

    private void stage(LogRecord record, int segmentIndex, int shard) {
        record.updateLong(wordOffset(segmentIndex), SegmentTableLayout.successor(word(segmentIndex), shard));
    }
}
