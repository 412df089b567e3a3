package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.MessageBuffer;

/**
 * MAP: the block map of a range of a file.
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class MapRequest {
    /** u64, inode number. */
    public static final int INO_OFFSET = 0;

    /** u64, file block. */
    public static final int FIRST_BLOCK_OFFSET = INO_OFFSET + Long.BYTES;

    /** u32, blocks wanted. */
    public static final int BLOCK_COUNT_OFFSET = FIRST_BLOCK_OFFSET + Long.BYTES;

    /** u32, zero. */
    public static final int RESERVED_OFFSET = BLOCK_COUNT_OFFSET + Integer.BYTES;

    /** Bytes of the fixed part. */
    public static final int FIXED_BYTES = RESERVED_OFFSET + Integer.BYTES;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public MapRequest wrap(MessageBuffer body) {
        this.buffer = body;
        return this;
    }

    /** Inode number. */
    public long ino() {
        return buffer.getU64(INO_OFFSET);
    }

    /** Sets inode number. */
    public MapRequest ino(long value) {
        buffer.putU64(INO_OFFSET, value);
        return this;
    }

    /** File block. */
    public long firstBlock() {
        return buffer.getU64(FIRST_BLOCK_OFFSET);
    }

    /** Sets file block. */
    public MapRequest firstBlock(long value) {
        buffer.putU64(FIRST_BLOCK_OFFSET, value);
        return this;
    }

    /** Blocks wanted. */
    public int blockCount() {
        return buffer.getI32(BLOCK_COUNT_OFFSET);
    }

    /** Sets blocks wanted. */
    public MapRequest blockCount(int value) {
        buffer.putU32(BLOCK_COUNT_OFFSET, value);
        return this;
    }

    /** Zero. */
    public int reserved() {
        return buffer.getI32(RESERVED_OFFSET);
    }

    /** Sets zero. */
    public MapRequest reserved(int value) {
        buffer.putU32(RESERVED_OFFSET, value);
        return this;
    }

    /** Bytes of the whole body as set so far. */
    public int bodyBytes() {
        return FIXED_BYTES;
    }
}
