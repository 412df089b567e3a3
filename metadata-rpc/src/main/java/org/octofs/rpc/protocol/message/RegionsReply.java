package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.ProtocolException;

/**
 * Answer of REGIONS: exported memory, elements {u64 poolOffset, u64 lengthBytes, u64 rkey, u32 kind (0 METADATA read-only, 1 DATA read-write), u32 reserved}.
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class RegionsReply {
    /** u64, of the server. */
    public static final int INCARNATION_OFFSET = 0;

    /** u32, node. */
    public static final int NODE_ID_OFFSET = INCARNATION_OFFSET + Long.BYTES;

    /** u32, segment size. */
    public static final int SEGMENT_BYTES_OFFSET = NODE_ID_OFFSET + Integer.BYTES;

    /** u32, elements of regions. */
    public static final int REGIONS_COUNT_OFFSET = SEGMENT_BYTES_OFFSET + Integer.BYTES;

    /** Bytes of the fixed part. */
    public static final int FIXED_BYTES = REGIONS_COUNT_OFFSET + Integer.BYTES;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public RegionsReply wrap(MessageBuffer body) {
        this.buffer = body;
        return this;
    }

    /** Of the server. */
    public long incarnation() {
        return buffer.getU64(INCARNATION_OFFSET);
    }

    /** Sets of the server. */
    public RegionsReply incarnation(long value) {
        buffer.putU64(INCARNATION_OFFSET, value);
        return this;
    }

    /** Node. */
    public int nodeId() {
        return buffer.getI32(NODE_ID_OFFSET);
    }

    /** Sets node. */
    public RegionsReply nodeId(int value) {
        buffer.putU32(NODE_ID_OFFSET, value);
        return this;
    }

    /** Segment size. */
    public int segmentBytes() {
        return buffer.getI32(SEGMENT_BYTES_OFFSET);
    }

    /** Sets segment size. */
    public RegionsReply segmentBytes(int value) {
        buffer.putU32(SEGMENT_BYTES_OFFSET, value);
        return this;
    }

    /** Elements of regions. */
    public int regionsCount() {
        return buffer.getI32(REGIONS_COUNT_OFFSET);
    }

    /** Where regions begin in the body: regions. */
    public int regionsOffset() {
        return FIXED_BYTES;
    }

    /** Sets the number of regions; the elements are written in place. */
    public RegionsReply regionsCount(int count) {
        buffer.putU32(REGIONS_COUNT_OFFSET, count);
        return this;
    }

    /** Where element {@code index} of regions is in the body; checked against the body's limit. */
    public int regions(int index) {
        int offset = regionsOffset() + index * 32;
        if (index < 0 || offset + 32 > buffer.lengthBytes()) {
            throw new ProtocolException(
                    "RegionsReply.regions: element " + index + " outside a body of " + buffer.lengthBytes());
        }
        return offset;
    }

    /** Bytes of the whole body as set so far. */
    public int bodyBytes() {
        return regionsOffset() + regionsCount() * 32;
    }
}
