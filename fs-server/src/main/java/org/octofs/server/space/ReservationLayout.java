package org.octofs.server.space;

/**
 * One entry of the RESERVATION_TABLE zone: a run of blocks that is lent to a client. Little-endian, 32 bytes, 32-byte
 * aligned; written only inside a redo-log record.
 *
 * <pre>
 * | location u64 | blockCount u32 | check u32 | clientId u64 | tag u64 |
 * </pre>
 *
 * The entry is free when its second word (blockCount and check) is 0; freeing stores that one word.
 */
public final class ReservationLayout {
    /** u64, location of the first block, no flags. */
    public static final int LOCATION_OFFSET = 0;

    /** u32, blocks, 1 to 256; the run does not cross a MiB of the pool. 0 = the entry is free. */
    public static final int BLOCK_COUNT_OFFSET = LOCATION_OFFSET + Long.BYTES;

    /** u32, CRC32C of the other 28 bytes in order. */
    public static final int CHECK_OFFSET = BLOCK_COUNT_OFFSET + Integer.BYTES;

    /** u64, client that may write the blocks. */
    public static final int CLIENT_ID_OFFSET = CHECK_OFFSET + Integer.BYTES;

    /** u64, {shard:16 | slot:8 | low bits of the request id:40} of the request that lent the run. */
    public static final int TAG_OFFSET = CLIENT_ID_OFFSET + Long.BYTES;

    /** Bytes of an entry. */
    public static final int SIZE_BYTES = TAG_OFFSET + Long.BYTES;

    private static final int SHARD_SHIFT = 48;
    private static final int SLOT_SHIFT = 40;

    private ReservationLayout() {}

    /** The tag of blocks of {@code shard} lent by request {@code requestId} of RPC slot {@code slot}. */
    public static long tag(int shard, int slot, long requestId) {
        return ((long) shard << SHARD_SHIFT)
                | ((long) (slot & 0xFF) << SLOT_SHIFT)
                | (requestId & ((1L << SLOT_SHIFT) - 1));
    }

    /** The shard that the blocks belong to. */
    public static int shardOfTag(long tag) {
        return (int) (tag >>> SHARD_SHIFT);
    }
}
