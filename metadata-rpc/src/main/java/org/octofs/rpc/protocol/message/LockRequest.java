package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.MessageBuffer;

/**
 * LOCK: sets, clears or tests an advisory lock; never waits (EAGAIN).
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class LockRequest {
    /** u64, inode number. */
    public static final int INO_OFFSET = 0;

    /** u64, lock owner within the client. */
    public static final int OWNER_OFFSET = INO_OFFSET + Long.BYTES;

    /** u64, first byte. */
    public static final int START_OFFSET = OWNER_OFFSET + Long.BYTES;

    /** u64, last byte, 2^63-1 for the end of the file. */
    public static final int END_OFFSET = START_OFFSET + Long.BYTES;

    /** u32, F_RDLCK 0, F_WRLCK 1, F_UNLCK 2. */
    public static final int TYPE_OFFSET = END_OFFSET + Long.BYTES;

    /** u32, bit 0 flock (else POSIX), bit 1 test only. */
    public static final int FLAGS_OFFSET = TYPE_OFFSET + Integer.BYTES;

    /** u32, process for F_GETLK. */
    public static final int PID_OFFSET = FLAGS_OFFSET + Integer.BYTES;

    /** u32, zero. */
    public static final int RESERVED_OFFSET = PID_OFFSET + Integer.BYTES;

    /** Bytes of the fixed part. */
    public static final int FIXED_BYTES = RESERVED_OFFSET + Integer.BYTES;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public LockRequest wrap(MessageBuffer body) {
        this.buffer = body;
        return this;
    }

    /** Inode number. */
    public long ino() {
        return buffer.getU64(INO_OFFSET);
    }

    /** Sets inode number. */
    public LockRequest ino(long value) {
        buffer.putU64(INO_OFFSET, value);
        return this;
    }

    /** Lock owner within the client. */
    public long owner() {
        return buffer.getU64(OWNER_OFFSET);
    }

    /** Sets lock owner within the client. */
    public LockRequest owner(long value) {
        buffer.putU64(OWNER_OFFSET, value);
        return this;
    }

    /** First byte. */
    public long start() {
        return buffer.getU64(START_OFFSET);
    }

    /** Sets first byte. */
    public LockRequest start(long value) {
        buffer.putU64(START_OFFSET, value);
        return this;
    }

    /** Last byte, 2^63-1 for the end of the file. */
    public long end() {
        return buffer.getU64(END_OFFSET);
    }

    /** Sets last byte, 2^63-1 for the end of the file. */
    public LockRequest end(long value) {
        buffer.putU64(END_OFFSET, value);
        return this;
    }

    /** F_RDLCK 0, F_WRLCK 1, F_UNLCK 2. */
    public int type() {
        return buffer.getI32(TYPE_OFFSET);
    }

    /** Sets F_RDLCK 0, F_WRLCK 1, F_UNLCK 2. */
    public LockRequest type(int value) {
        buffer.putU32(TYPE_OFFSET, value);
        return this;
    }

    /** Bit 0 flock (else POSIX), bit 1 test only. */
    public int flags() {
        return buffer.getI32(FLAGS_OFFSET);
    }

    /** Sets bit 0 flock (else POSIX), bit 1 test only. */
    public LockRequest flags(int value) {
        buffer.putU32(FLAGS_OFFSET, value);
        return this;
    }

    /** Process for F_GETLK. */
    public int pid() {
        return buffer.getI32(PID_OFFSET);
    }

    /** Sets process for F_GETLK. */
    public LockRequest pid(int value) {
        buffer.putU32(PID_OFFSET, value);
        return this;
    }

    /** Zero. */
    public int reserved() {
        return buffer.getI32(RESERVED_OFFSET);
    }

    /** Sets zero. */
    public LockRequest reserved(int value) {
        buffer.putU32(RESERVED_OFFSET, value);
        return this;
    }

    /** Bytes of the whole body as set so far. */
    public int bodyBytes() {
        return FIXED_BYTES;
    }
}
