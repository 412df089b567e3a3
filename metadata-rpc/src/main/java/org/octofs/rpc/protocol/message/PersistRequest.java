package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.ProtocolException;

/**
 * PERSIST: makes pushed data durable, ranges {u64 poolOffset, u64 lengthBytes} of the asked node's DATA zone.
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class PersistRequest {
    /** u64, zero. */
    public static final int RESERVED_OFFSET = 0;

    /** u32, elements of ranges. */
    public static final int RANGES_COUNT_OFFSET = RESERVED_OFFSET + Long.BYTES;

    /** Bytes of the fixed part. */
    public static final int FIXED_BYTES = RANGES_COUNT_OFFSET + Integer.BYTES;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public PersistRequest wrap(MessageBuffer body) {
        this.buffer = body;
        return this;
    }

    /** Zero. */
    public long reserved() {
        return buffer.getU64(RESERVED_OFFSET);
    }

    /** Sets zero. */
    public PersistRequest reserved(long value) {
        buffer.putU64(RESERVED_OFFSET, value);
        return this;
    }

    /** Elements of ranges. */
    public int rangesCount() {
        return buffer.getI32(RANGES_COUNT_OFFSET);
    }

    /** Where ranges begin in the body: {u64 poolOffset, u64 lengthBytes}. */
    public int rangesOffset() {
        return FIXED_BYTES;
    }

    /** Sets the number of ranges; the elements are written in place. */
    public PersistRequest rangesCount(int count) {
        buffer.putU32(RANGES_COUNT_OFFSET, count);
        return this;
    }

    /** Where element {@code index} of ranges is in the body; checked against the body's limit. */
    public int ranges(int index) {
        int offset = rangesOffset() + index * 16;
        if (index < 0 || offset + 16 > buffer.lengthBytes()) {
            throw new ProtocolException(
                    "PersistRequest.ranges: element " + index + " outside a body of " + buffer.lengthBytes());
        }
        return offset;
    }

    /** Bytes of the whole body as set so far. */
    public int bodyBytes() {
        return rangesOffset() + rangesCount() * 16;
    }
}
