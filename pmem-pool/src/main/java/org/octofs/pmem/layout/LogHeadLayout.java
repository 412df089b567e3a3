package org.octofs.pmem.layout;

/**
 * One of the two head slots at the start of the redo-log zone: where replay begins. Little-endian, 64 bytes, one cache line.
 * The slots are written in turn, so a torn write spoils only the older head, while everything from the other one on is
 * still in the log. Covered by its own checksum.
 *
 * <pre>
 *  0        4           8             16         24            32       64
 *  |checksum|incarnation|write count  | sequence | ring offset | zero   |
 * </pre>
 */
public final class LogHeadLayout {
    /** u32, CRC32C of the rest of the slot. */
    public static final int CHECKSUM_OFFSET = 0;
    /** u32, incarnation that wrote the head; no record from here on is older. */
    public static final int INCARNATION_OFFSET = CHECKSUM_OFFSET + Integer.BYTES;
    /** u64, counts head writes from 1; the slot with the higher count is the newer, and count modulo 2 is the slot index. */
    public static final int WRITE_COUNT_OFFSET = INCARNATION_OFFSET + Integer.BYTES;
    /** u64, sequence number of the first record to replay. */
    public static final int SEQUENCE_OFFSET = WRITE_COUNT_OFFSET + Long.BYTES;
    /** u64, where that record is or will be, in bytes from the start of the ring, a multiple of 64. */
    public static final int RING_OFFSET_OFFSET = SEQUENCE_OFFSET + Long.BYTES;
    /** Zero. */
    public static final int RESERVED_OFFSET = RING_OFFSET_OFFSET + Long.BYTES;

    public static final int SIZE_BYTES = 64;
    public static final int SLOT_COUNT = 2;
    /** Offset of the ring in the redo-log zone; the ring goes on to the end of the zone. */
    public static final int RING_START = 4096;

    private LogHeadLayout() {}
}
