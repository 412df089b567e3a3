package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.MessageBuffer;

/**
 * READDIR: entries after a cookie.
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class ReadDirectoryRequest {
    /** u64, inode number. */
    public static final int INO_OFFSET = 0;

    /** u64, 0, or the cookie of the last entry seen. */
    public static final int COOKIE_OFFSET = INO_OFFSET + Long.BYTES;

    /** u32, most bytes of entries wanted. */
    public static final int MAX_BYTES_OFFSET = COOKIE_OFFSET + Long.BYTES;

    /** u32, {@link #IMAGES} or zero. */
    public static final int FLAGS_OFFSET = MAX_BYTES_OFFSET + Integer.BYTES;

    /** Bytes of the fixed part. */
    public static final int FIXED_BYTES = FLAGS_OFFSET + Integer.BYTES;

    /** Of the flags: entries whose inodes are here come with their images. */
    public static final int IMAGES = 1;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public ReadDirectoryRequest wrap(MessageBuffer body) {
        this.buffer = body;
        return this;
    }

    /** Inode number. */
    public long ino() {
        return buffer.getU64(INO_OFFSET);
    }

    /** Sets inode number. */
    public ReadDirectoryRequest ino(long value) {
        buffer.putU64(INO_OFFSET, value);
        return this;
    }

    /** 0, or the cookie of the last entry seen. */
    public long cookie() {
        return buffer.getU64(COOKIE_OFFSET);
    }

    /** Sets 0, or the cookie of the last entry seen. */
    public ReadDirectoryRequest cookie(long value) {
        buffer.putU64(COOKIE_OFFSET, value);
        return this;
    }

    /** Most bytes of entries wanted. */
    public int maxBytes() {
        return buffer.getI32(MAX_BYTES_OFFSET);
    }

    /** Sets most bytes of entries wanted. */
    public ReadDirectoryRequest maxBytes(int value) {
        buffer.putU32(MAX_BYTES_OFFSET, value);
        return this;
    }

    /** {@link #IMAGES} or zero. */
    public int flags() {
        return buffer.getI32(FLAGS_OFFSET);
    }

    /** Sets {@link #IMAGES} or zero. */
    public ReadDirectoryRequest flags(int value) {
        buffer.putU32(FLAGS_OFFSET, value);
        return this;
    }

    /** Bytes of the whole body as set so far. */
    public int bodyBytes() {
        return FIXED_BYTES;
    }
}
