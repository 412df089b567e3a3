package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.MessageBuffer;

/**
 * GETATTR, READLINK and LISTXATTR: one inode.
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class InodeRequest {
    /** u64, inode number. */
    public static final int INO_OFFSET = 0;

    /** Bytes of the fixed part. */
    public static final int FIXED_BYTES = INO_OFFSET + Long.BYTES;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public InodeRequest wrap(MessageBuffer body) {
        this.buffer = body;
        return this;
    }

    /** Inode number. */
    public long ino() {
        return buffer.getU64(INO_OFFSET);
    }

    /** Sets inode number. */
    public InodeRequest ino(long value) {
        buffer.putU64(INO_OFFSET, value);
        return this;
    }

    /** Bytes of the whole body as set so far. */
    public int bodyBytes() {
        return FIXED_BYTES;
    }
}
