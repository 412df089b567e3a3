package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.ProtocolException;

/**
 * RECLAIM, the first call of a session after the server restarted: the client's opens {u64 ino, u64 count} and locks {u64 ino, u64 owner, u64 start, u64 end, u32 type, u32 flags, u32 pid, u32 0}.
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class ReclaimRequest {
    /** u32, 1 if this is the last part. */
    public static final int LAST_OFFSET = 0;

    /** u32, zero. */
    public static final int RESERVED_OFFSET = LAST_OFFSET + Integer.BYTES;

    /** u32, elements of opens. */
    public static final int OPENS_COUNT_OFFSET = RESERVED_OFFSET + Integer.BYTES;

    /** u32, elements of locks. */
    public static final int LOCKS_COUNT_OFFSET = OPENS_COUNT_OFFSET + Integer.BYTES;

    /** Bytes of the fixed part. */
    public static final int FIXED_BYTES = LOCKS_COUNT_OFFSET + Integer.BYTES;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public ReclaimRequest wrap(MessageBuffer body) {
        this.buffer = body;
        return this;
    }

    /** 1 if this is the last part. */
    public int last() {
        return buffer.getI32(LAST_OFFSET);
    }

    /** Sets 1 if this is the last part. */
    public ReclaimRequest last(int value) {
        buffer.putU32(LAST_OFFSET, value);
        return this;
    }

    /** Zero. */
    public int reserved() {
        return buffer.getI32(RESERVED_OFFSET);
    }

    /** Sets zero. */
    public ReclaimRequest reserved(int value) {
        buffer.putU32(RESERVED_OFFSET, value);
        return this;
    }

    /** Elements of opens. */
    public int opensCount() {
        return buffer.getI32(OPENS_COUNT_OFFSET);
    }

    /** Elements of locks. */
    public int locksCount() {
        return buffer.getI32(LOCKS_COUNT_OFFSET);
    }

    /** Where opens begin in the body: opens. */
    public int opensOffset() {
        return FIXED_BYTES;
    }

    /** Sets the number of opens; the elements are written in place. */
    public ReclaimRequest opensCount(int count) {
        buffer.putU32(OPENS_COUNT_OFFSET, count);
        return this;
    }

    /** Where element {@code index} of opens is in the body; checked against the body's limit. */
    public int opens(int index) {
        int offset = opensOffset() + index * 16;
        if (index < 0 || offset + 16 > buffer.lengthBytes()) {
            throw new ProtocolException(
                    "ReclaimRequest.opens: element " + index + " outside a body of " + buffer.lengthBytes());
        }
        return offset;
    }

    /** Where locks begin in the body: locks. */
    public int locksOffset() {
        return opensOffset() + opensCount() * 16;
    }

    /** Sets the number of locks; the elements are written in place. */
    public ReclaimRequest locksCount(int count) {
        buffer.putU32(LOCKS_COUNT_OFFSET, count);
        return this;
    }

    /** Where element {@code index} of locks is in the body; checked against the body's limit. */
    public int locks(int index) {
        int offset = locksOffset() + index * 48;
        if (index < 0 || offset + 48 > buffer.lengthBytes()) {
            throw new ProtocolException(
                    "ReclaimRequest.locks: element " + index + " outside a body of " + buffer.lengthBytes());
        }
        return offset;
    }

    /** Bytes of the whole body as set so far. */
    public int bodyBytes() {
        return locksOffset() + locksCount() * 48;
    }
}
