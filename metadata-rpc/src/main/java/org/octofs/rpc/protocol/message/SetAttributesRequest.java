package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.MessageBuffer;

/**
 * SETATTR. Sizes change by COMMIT, not here.
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class SetAttributesRequest {
    /** u64, inode number. */
    public static final int INO_OFFSET = 0;

    /** u32, which fields are meant, bits of AttributeMask. */
    public static final int VALID_OFFSET = INO_OFFSET + Long.BYTES;

    /** u32, permission bits. */
    public static final int MODE_OFFSET = VALID_OFFSET + Integer.BYTES;

    /** u32, new owner. */
    public static final int UID_OFFSET = MODE_OFFSET + Integer.BYTES;

    /** u32, new group. */
    public static final int GID_OFFSET = UID_OFFSET + Integer.BYTES;

    /** i64, seconds. */
    public static final int ATIME_SEC_OFFSET = GID_OFFSET + Integer.BYTES;

    /** i64, seconds. */
    public static final int MTIME_SEC_OFFSET = ATIME_SEC_OFFSET + Long.BYTES;

    /** u32, nanoseconds. */
    public static final int ATIME_NSEC_OFFSET = MTIME_SEC_OFFSET + Long.BYTES;

    /** u32, nanoseconds. */
    public static final int MTIME_NSEC_OFFSET = ATIME_NSEC_OFFSET + Integer.BYTES;

    /** Bytes of the fixed part. */
    public static final int FIXED_BYTES = MTIME_NSEC_OFFSET + Integer.BYTES;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public SetAttributesRequest wrap(MessageBuffer body) {
        this.buffer = body;
        return this;
    }

    /** Inode number. */
    public long ino() {
        return buffer.getU64(INO_OFFSET);
    }

    /** Sets inode number. */
    public SetAttributesRequest ino(long value) {
        buffer.putU64(INO_OFFSET, value);
        return this;
    }

    /** Which fields are meant, bits of AttributeMask. */
    public int valid() {
        return buffer.getI32(VALID_OFFSET);
    }

    /** Sets which fields are meant, bits of AttributeMask. */
    public SetAttributesRequest valid(int value) {
        buffer.putU32(VALID_OFFSET, value);
        return this;
    }

    /** Permission bits. */
    public int mode() {
        return buffer.getI32(MODE_OFFSET);
    }

    /** Sets permission bits. */
    public SetAttributesRequest mode(int value) {
        buffer.putU32(MODE_OFFSET, value);
        return this;
    }

    /** New owner. */
    public int uid() {
        return buffer.getI32(UID_OFFSET);
    }

    /** Sets new owner. */
    public SetAttributesRequest uid(int value) {
        buffer.putU32(UID_OFFSET, value);
        return this;
    }

    /** New group. */
    public int gid() {
        return buffer.getI32(GID_OFFSET);
    }

    /** Sets new group. */
    public SetAttributesRequest gid(int value) {
        buffer.putU32(GID_OFFSET, value);
        return this;
    }

    /** Seconds. */
    public long atimeSec() {
        return buffer.getU64(ATIME_SEC_OFFSET);
    }

    /** Sets seconds. */
    public SetAttributesRequest atimeSec(long value) {
        buffer.putU64(ATIME_SEC_OFFSET, value);
        return this;
    }

    /** Seconds. */
    public long mtimeSec() {
        return buffer.getU64(MTIME_SEC_OFFSET);
    }

    /** Sets seconds. */
    public SetAttributesRequest mtimeSec(long value) {
        buffer.putU64(MTIME_SEC_OFFSET, value);
        return this;
    }

    /** Nanoseconds. */
    public int atimeNsec() {
        return buffer.getI32(ATIME_NSEC_OFFSET);
    }

    /** Sets nanoseconds. */
    public SetAttributesRequest atimeNsec(int value) {
        buffer.putU32(ATIME_NSEC_OFFSET, value);
        return this;
    }

    /** Nanoseconds. */
    public int mtimeNsec() {
        return buffer.getI32(MTIME_NSEC_OFFSET);
    }

    /** Sets nanoseconds. */
    public SetAttributesRequest mtimeNsec(int value) {
        buffer.putU32(MTIME_NSEC_OFFSET, value);
        return this;
    }

    /** Bytes of the whole body as set so far. */
    public int bodyBytes() {
        return FIXED_BYTES;
    }
}
