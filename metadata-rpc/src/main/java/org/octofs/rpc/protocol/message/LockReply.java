package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.MessageBuffer;

/**
 * Answer of LOCK: the conflicting lock with EAGAIN or a test, else type F_UNLCK.
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class LockReply {
    /** u64, first byte. */
    public static final int START_OFFSET = 0;

    /** u64, last byte. */
    public static final int END_OFFSET = START_OFFSET + Long.BYTES;

    /** u32, lock type. */
    public static final int TYPE_OFFSET = END_OFFSET + Long.BYTES;

    /** u32, process. */
    public static final int PID_OFFSET = TYPE_OFFSET + Integer.BYTES;

    /** Bytes of the fixed part. */
    public static final int FIXED_BYTES = PID_OFFSET + Integer.BYTES;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public LockReply wrap(MessageBuffer body) {
        this.buffer = body;
        return this;
    }

    /** First byte. */
    public long start() {
        return buffer.getU64(START_OFFSET);
    }

    /** Sets first byte. */
    public LockReply start(long value) {
        buffer.putU64(START_OFFSET, value);
        return this;
    }

    /** Last byte. */
    public long end() {
        return buffer.getU64(END_OFFSET);
    }

    /** Sets last byte. */
    public LockReply end(long value) {
        buffer.putU64(END_OFFSET, value);
        return this;
    }

    /** Lock type. */
    public int type() {
        return buffer.getI32(TYPE_OFFSET);
    }

    /** Sets lock type. */
    public LockReply type(int value) {
        buffer.putU32(TYPE_OFFSET, value);
        return this;
    }

    /** Process. */
    public int pid() {
        return buffer.getI32(PID_OFFSET);
    }

    /** Sets process. */
    public LockReply pid(int value) {
        buffer.putU32(PID_OFFSET, value);
        return this;
    }

    /** Bytes of the whole body as set so far. */
    public int bodyBytes() {
        return FIXED_BYTES;
    }
}
