package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.ProtocolException;

/**
 * Answer of SEGMENT_ACQUIRE and SEGMENT_LIST; elements {u32 segmentIndex, u32 shard}.
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class SegmentReply {
    /** u64, still free at this node. */
    public static final int FREE_SEGMENTS_OFFSET = 0;

    /** u64, pool offset of segment 0. */
    public static final int DATA_OFFSET_OFFSET = FREE_SEGMENTS_OFFSET + Long.BYTES;

    /** u64, bytes of a segment of this node. */
    public static final int SEGMENT_BYTES_OFFSET = DATA_OFFSET_OFFSET + Long.BYTES;

    /** u32, elements of segments. */
    public static final int SEGMENTS_COUNT_OFFSET = SEGMENT_BYTES_OFFSET + Long.BYTES;

    /** Bytes of the fixed part. */
    public static final int FIXED_BYTES = SEGMENTS_COUNT_OFFSET + Integer.BYTES;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public SegmentReply wrap(MessageBuffer body) {
        this.buffer = body;
        return this;
    }

    /** Still free at this node. */
    public long freeSegments() {
        return buffer.getU64(FREE_SEGMENTS_OFFSET);
    }

    /** Sets still free at this node. */
    public SegmentReply freeSegments(long value) {
        buffer.putU64(FREE_SEGMENTS_OFFSET, value);
        return this;
    }

    /** Pool offset of segment 0. */
    public long dataOffset() {
        return buffer.getU64(DATA_OFFSET_OFFSET);
    }

    /** Sets pool offset of segment 0. */
    public SegmentReply dataOffset(long value) {
        buffer.putU64(DATA_OFFSET_OFFSET, value);
        return this;
    }

    /** Bytes of a segment of this node. */
    public long segmentBytes() {
        return buffer.getU64(SEGMENT_BYTES_OFFSET);
    }

    /** Sets bytes of a segment of this node. */
    public SegmentReply segmentBytes(long value) {
        buffer.putU64(SEGMENT_BYTES_OFFSET, value);
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
    public SegmentReply segmentsCount(int count) {
        buffer.putU32(SEGMENTS_COUNT_OFFSET, count);
        return this;
    }

    /** Where element {@code index} of segments is in the body; checked against the body's limit. */
    public int segments(int index) {
        int offset = segmentsOffset() + index * 8;
        if (index < 0 || offset + 8 > buffer.lengthBytes()) {
            throw new ProtocolException(
                    "SegmentReply.segments: element " + index + " outside a body of " + buffer.lengthBytes());
        }
        return offset;
    }

    /** Bytes of the whole body as set so far. */
    public int bodyBytes() {
        return segmentsOffset() + segmentsCount() * 8;
    }
}
