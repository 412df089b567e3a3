package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.ProtocolException;

/**
 * COPY_BLOCKS: copies whole blocks within the asked node's DATA zone, ranges {u64 sourceOffset, u64 targetOffset, u64 lengthBytes} of
 * pool offsets, one after the other.
 *
 * <p>The request names the life of the server that it is meant for. Any other refuses it: what is lent to a client that was away
 * may be others' by then, and only a connection tells a client so.
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class CopyBlocksRequest {
    /** Most bytes of all ranges together: the server does nothing else meanwhile. */
    public static final int COPY_BYTES_MAX = 256 << 10;

    /** Most ranges: blocks that lie apart. */
    public static final int RANGES_MAX = COPY_BYTES_MAX / BlockLocation.BLOCK_BYTES;

    /** Bytes of a range. */
    public static final int RANGE_BYTES = 24;

    /** u64, incarnation in the answer to REGIONS. */
    public static final int INCARNATION_OFFSET = 0;

    /** u32, elements of ranges. */
    public static final int RANGES_COUNT_OFFSET = INCARNATION_OFFSET + Long.BYTES;

    /** Bytes of the fixed part. */
    public static final int FIXED_BYTES = RANGES_COUNT_OFFSET + Integer.BYTES;

    private static final int TARGET_OFFSET = Long.BYTES;
    private static final int LENGTH_OFFSET = TARGET_OFFSET + Long.BYTES;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public CopyBlocksRequest wrap(MessageBuffer body) {
        this.buffer = body;
        return this;
    }

    /** The life of the server. */
    public long incarnation() {
        return buffer.getU64(INCARNATION_OFFSET);
    }

    /** Sets the life of the server. */
    public CopyBlocksRequest incarnation(long value) {
        buffer.putU64(INCARNATION_OFFSET, value);
        return this;
    }

    /** Elements of ranges. */
    public int rangesCount() {
        return buffer.getI32(RANGES_COUNT_OFFSET);
    }

    /** Sets the number of ranges; the elements are written in place. */
    public CopyBlocksRequest rangesCount(int count) {
        buffer.putU32(RANGES_COUNT_OFFSET, count);
        return this;
    }

    /** Writes a range. */
    public CopyBlocksRequest range(int index, long sourceOffset, long targetOffset, long lengthBytes) {
        int at = ranges(index);
        buffer.putU64(at, sourceOffset);
        buffer.putU64(at + TARGET_OFFSET, targetOffset);
        buffer.putU64(at + LENGTH_OFFSET, lengthBytes);
        return this;
    }

    /** Pool offset that a range is copied from. */
    public long sourceOffset(int index) {
        return buffer.getU64(ranges(index));
    }

    /** Pool offset that a range is copied to. */
    public long targetOffset(int index) {
        return buffer.getU64(ranges(index) + TARGET_OFFSET);
    }

    /** Bytes of a range. */
    public long lengthBytes(int index) {
        return buffer.getU64(ranges(index) + LENGTH_OFFSET);
    }

    /** Where element {@code index} of ranges is in the body; checked against the body's limit. */
    private int ranges(int index) {
        int offset = FIXED_BYTES + index * RANGE_BYTES;
        if (index < 0 || offset + RANGE_BYTES > buffer.lengthBytes()) {
            throw new ProtocolException(
                    "CopyBlocksRequest.ranges: element " + index + " outside a body of " + buffer.lengthBytes());
        }
        return offset;
    }

    /** Bytes of the whole body as set so far. */
    public int bodyBytes() {
        return FIXED_BYTES + rangesCount() * RANGE_BYTES;
    }
}
