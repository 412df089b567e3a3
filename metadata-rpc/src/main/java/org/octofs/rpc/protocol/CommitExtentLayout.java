package org.octofs.rpc.protocol;

/** One extent of a COMMIT. Little-endian, 32 bytes. Its blocks' checksums follow all extents, in order. */
public final class CommitExtentLayout {
    /** u64, first block of the file. */
    public static final int FILE_BLOCK_OFFSET = 0;

    /** u64, {@link BlockLocation} of the first block, the others follow it; 0 punches a hole, or zeroes: see {@link #FLAG_UNWRITTEN}. */
    public static final int LOCATION_OFFSET = FILE_BLOCK_OFFSET + Long.BYTES;

    /** u64, with {@link #FLAG_MERGED}: the location that must still be mapped at the file block, else conflict. */
    public static final int EXPECTED_LOCATION_OFFSET = LOCATION_OFFSET + Long.BYTES;

    /** u32, blocks; 0xFFFFFFFF with a hole means to the end of the file's map. */
    public static final int BLOCK_COUNT_OFFSET = EXPECTED_LOCATION_OFFSET + Long.BYTES;

    /** u32, bits FLAG_*. */
    public static final int FLAGS_OFFSET = BLOCK_COUNT_OFFSET + Integer.BYTES;

    /** Bytes of an extent. */
    public static final int SIZE_BYTES = FLAGS_OFFSET + Integer.BYTES;

    /** The block was merged from the one at the expected location; blockCount is 1. */
    public static final int FLAG_MERGED = 1;

    /**
     * The blocks are allocated but read as zeros; no checksums follow. With a location of 0: so do those that are mapped there, which
     * stay where they are, and holes stay holes.
     */
    public static final int FLAG_UNWRITTEN = 2;

    private CommitExtentLayout() {}
}
