package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.MessageBuffer;

/**
 * LEASE: the client's kernel is going to keep something of an inode, and the client wants to be told before others change it.
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class LeaseRequest {
    /** u64, the inode; a directory for its names. */
    public static final int INO_OFFSET = 0;

    /** u32, {@link LeaseKind}. */
    public static final int KIND_OFFSET = INO_OFFSET + Long.BYTES;

    /** u32, zero. */
    public static final int RESERVED_OFFSET = KIND_OFFSET + Integer.BYTES;

    /** Bytes of the fixed part. */
    public static final int FIXED_BYTES = RESERVED_OFFSET + Integer.BYTES;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public LeaseRequest wrap(MessageBuffer body) {
        this.buffer = body;
        return this;
    }

    /** The inode; a directory for its names. */
    public long ino() {
        return buffer.getU64(INO_OFFSET);
    }

    /** Sets the inode; a directory for its names. */
    public LeaseRequest ino(long value) {
        buffer.putU64(INO_OFFSET, value);
        return this;
    }

    /** {@link LeaseKind}. */
    public int kind() {
        return buffer.getI32(KIND_OFFSET);
    }

    /** Sets {@link LeaseKind}. */
    public LeaseRequest kind(int value) {
        buffer.putU32(KIND_OFFSET, value);
        return this;
    }

    /** Zero. */
    public int reserved() {
        return buffer.getI32(RESERVED_OFFSET);
    }

    /** Sets zero. */
    public LeaseRequest reserved(int value) {
        buffer.putU32(RESERVED_OFFSET, value);
        return this;
    }

    /** Bytes of the whole body as set so far. */
    public int bodyBytes() {
        return FIXED_BYTES;
    }
}
