package org.octofs.pmem.layout;

/**
 * One entry of the zone table in the superblock: where a zone lies. Little-endian, 24 bytes, 8-byte aligned; covered by the
 * superblock's checksum; written once, by the formatter.
 *
 * <pre>
 *  0   4   8        16       24
 *  |kind|0 | offset | length |
 * </pre>
 */
public final class ZoneTableLayout {
    /** u32, {@link ZoneKind#code}; entry i holds kind i. */
    public static final int KIND_OFFSET = 0;
    /** u32, zero. */
    public static final int RESERVED_OFFSET = KIND_OFFSET + Integer.BYTES;
    /** u64, pool offset in bytes, a multiple of {@link #ALIGNMENT_BYTES}. */
    public static final int ZONE_OFFSET_OFFSET = RESERVED_OFFSET + Integer.BYTES;
    /** u64, bytes, a multiple of {@link #ALIGNMENT_BYTES}. */
    public static final int LENGTH_BYTES_OFFSET = ZONE_OFFSET_OFFSET + Long.BYTES;

    public static final int SIZE_BYTES = LENGTH_BYTES_OFFSET + Long.BYTES;

    public static final int ALIGNMENT_BYTES = 4096;
    public static final int ENTRY_COUNT = ZoneKind.values().length;

    private ZoneTableLayout() {}
}
