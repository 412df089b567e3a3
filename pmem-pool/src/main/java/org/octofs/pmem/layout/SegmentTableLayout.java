package org.octofs.pmem.layout;

/**
 * One word of the segment table: who owns a segment of the data zone. Little-endian u64, changed as a whole by one aligned
 * store, only through the redo log. A word of 0 is a segment that never had an owner.
 *
 * <pre>
 *  63         32 31          0
 *  |  changes   |  shard + 1 |
 * </pre>
 */
public final class SegmentTableLayout {
    /** u32: the owning shard plus one; 0 when the segment is free. */
    public static final int OWNER_OFFSET = 0;
    /** u32: how often the owner has changed (wraps), so that a reference to an earlier ownership can be told. */
    public static final int CHANGE_COUNT_OFFSET = OWNER_OFFSET + Integer.BYTES;

    public static final int SIZE_BYTES = CHANGE_COUNT_OFFSET + Integer.BYTES;

    /** Owner of a free segment, as {@link #ownerShard} gives it. */
    public static final int NO_OWNER = -1;

    private SegmentTableLayout() {}

    /** The owning shard, or {@link #NO_OWNER}. */
    public static int ownerShard(long word) {
        return (int) word - 1;
    }

    /** The change count of a word. */
    public static int changeCount(long word) {
        return (int) (word >>> Integer.SIZE);
    }

    /** The word that gives a segment to {@code shard}, or frees it for {@link #NO_OWNER}. */
    public static long successor(long word, int shard) {
        return ((long) (changeCount(word) + 1) << Integer.SIZE) | ((shard + 1) & 0xFFFF_FFFFL);
    }
}
