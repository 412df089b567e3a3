package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.MessageBuffer;

/**
 * OPEN: registers one open of a file at its home and answers its inode ({@link InodeReply}).
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class OpenRequest {
    /** u64, inode number. */
    public static final int INO_OFFSET = 0;

    /** u32, open flags as of open(2). */
    public static final int FLAGS_OFFSET = INO_OFFSET + Long.BYTES;

    /** u32, zero. */
    public static final int RESERVED_OFFSET = FLAGS_OFFSET + Integer.BYTES;

    /** Bytes of the fixed part. */
    public static final int FIXED_BYTES = RESERVED_OFFSET + Integer.BYTES;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public OpenRequest wrap(MessageBuffer body) {
        this.buffer = body;
        return this;
    }

    /** Inode number. */
    public long ino() {
        return buffer.getU64(INO_OFFSET);
    }

    /** Sets inode number. */
    public OpenRequest ino(long value) {
        buffer.putU64(INO_OFFSET, value);
        return this;
    }

    /** Open flags as of open(2). */
    public int flags() {
        return buffer.getI32(FLAGS_OFFSET);
    }

    /** Sets open flags as of open(2). */
    public OpenRequest flags(int value) {
        buffer.putU32(FLAGS_OFFSET, value);
        return this;
    }

    /** Zero. */
    public int reserved() {
        return buffer.getI32(RESERVED_OFFSET);
    }

    /** Sets zero. */
    public OpenRequest reserved(int value) {
        buffer.putU32(RESERVED_OFFSET, value);
        return this;
    }

    /** Bytes of the whole body as set so far. */
    public int bodyBytes() {
        return FIXED_BYTES;
    }
}
