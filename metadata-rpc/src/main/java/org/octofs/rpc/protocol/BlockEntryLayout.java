package org.octofs.rpc.protocol;

/**
 * One block of a file in its block map, on media and on the wire. Little-endian, 16 bytes, 8-byte aligned:
 * {@code | location u64 | checksum u32 | reserved u32 |}. On media an entry changes only inside a redo-log record.
 */
public final class BlockEntryLayout {
    /** u64, {@link BlockLocation}; 0 is a hole. */
    public static final int LOCATION_OFFSET = 0;

    /** u32, CRC32C of the block's 4096 bytes; 0 for holes and unwritten blocks. */
    public static final int CHECKSUM_OFFSET = LOCATION_OFFSET + Long.BYTES;

    /** u32, zero. */
    public static final int RESERVED_OFFSET = CHECKSUM_OFFSET + Integer.BYTES;

    /** Bytes of an entry. */
    public static final int SIZE_BYTES = RESERVED_OFFSET + Integer.BYTES;

    private BlockEntryLayout() {}
}
