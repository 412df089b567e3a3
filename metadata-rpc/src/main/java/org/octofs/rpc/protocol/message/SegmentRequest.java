package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.ProtocolException;

/**
 * SEGMENT_ACQUIRE, SEGMENT_RELEASE and SEGMENT_LIST between servers; elements {u32 segmentIndex, u32 shard}.
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class SegmentRequest {
    /** u32, shard that wants or gives. */
    public static final int SHARD_OFFSET = 0;

    /** u32, segments wanted. */
    public static final int COUNT_OFFSET = SHARD_OFFSET + Integer.BYTES;

    /** u64, zero. */
    public static final int RESERVED_OFFSET = COUNT_OFFSET + Integer.BYTES;

    /** u32, elements of segments. */
    public static final int SEGMENTS_COUNT_OFFSET = RESERVED_OFFSET + Long.BYTES;

    /** Bytes of the fixed part. */
    public static final int FIXED_BYTES = SEGMENTS_COUNT_OFFSET + Integer.BYTES;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public SegmentRequest wrap(MessageBuffer body) {
        this.buffer = body;
        return this;
    }

    /** Shard that wants or gives. */
    public int shard() {
        return buffer.getI32(SHARD_OFFSET);
    }

    /** Sets shard that wants or gives. */
    public SegmentRequest shard(int value) {
        buffer.putU32(SHARD_OFFSET, value);
        return this;
    }

    /** Segments wanted. */
    public int count() {
        return buffer.getI32(COUNT_OFFSET);
    }

    /** Sets segments wanted. */
    public SegmentRequest count(int value) {
        buffer.putU32(COUNT_OFFSET, value);
        return this;
    }

    /** Zero. */
    public long reserved() {
        return buffer.getU64(RESERVED_OFFSET);
    }

    /** Sets zero. */
    public SegmentRequest reserved(long value) {
        buffer.putU64(RESERVED_OFFSET, value);
        return this;
    }

    /** Elements of segments. */
    public int segmentsCount() {
        return buffer.getI32(SEGMENTS_COUNT_OFFSET);
    }

    /** Where segments begin in the body: segments. */
    public int segmentsOffset() {
        return FIXED_BYTES;
    }

    /** Sets the number of segments; the elements are written in place. */
    public SegmentRequest segmentsCount(int count) {
        buffer.putU32(SEGMENTS_COUNT_OFFSET, count);
        return this;
    }

    /** Where element {@code index} of segments is in the body; checked against the body's limit. */
    public int segments(int index) {
        int offset = segmentsOffset() + index * 8;
        if (index < 0 || offset + 8 > buffer.lengthBytes()) {
            throw new ProtocolException(
                    "SegmentRequest.segments: element " + index + " outside a body of " + buffer.lengthBytes());
        }
        return offset;
    }

    /** Bytes of the whole body as set so far. */
    public int bodyBytes() {
        return segmentsOffset() + segmentsCount() * 8;
    }
}
