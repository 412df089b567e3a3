package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.ProtocolException;

/**
 * RECALLS: what the client has dropped, and the wish to hear what else it has to drop; {u64 number of a recall} each.
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class RecallsRequest {
    /** u32, {@link RecallFlags}. */
    public static final int FLAGS_OFFSET = 0;

    /** u32, how long the answer may take if there is nothing to tell; 0 = only acknowledge. */
    public static final int WAIT_MILLIS_OFFSET = FLAGS_OFFSET + Integer.BYTES;

    /** u32, elements of dropped. */
    public static final int DROPPED_COUNT_OFFSET = WAIT_MILLIS_OFFSET + Integer.BYTES;

    /** Bytes of the fixed part. */
    public static final int FIXED_BYTES = DROPPED_COUNT_OFFSET + Integer.BYTES;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public RecallsRequest wrap(MessageBuffer body) {
        this.buffer = body;
        return this;
    }

    /** {@link RecallFlags}. */
    public int flags() {
        return buffer.getI32(FLAGS_OFFSET);
    }

    /** Sets {@link RecallFlags}. */
    public RecallsRequest flags(int value) {
        buffer.putU32(FLAGS_OFFSET, value);
        return this;
    }

    /** How long the answer may take if there is nothing to tell; 0 = only acknowledge. */
    public int waitMillis() {
        return buffer.getI32(WAIT_MILLIS_OFFSET);
    }

    /** Sets how long the answer may take if there is nothing to tell; 0 = only acknowledge. */
    public RecallsRequest waitMillis(int value) {
        buffer.putU32(WAIT_MILLIS_OFFSET, value);
        return this;
    }

    /** Elements of dropped. */
    public int droppedCount() {
        return buffer.getI32(DROPPED_COUNT_OFFSET);
    }

    /** Where dropped begins in the body: dropped. */
    public int droppedOffset() {
        return FIXED_BYTES;
    }

    /** Sets the number of dropped; the elements are written in place. */
    public RecallsRequest droppedCount(int count) {
        buffer.putU32(DROPPED_COUNT_OFFSET, count);
        return this;
    }

    /** Where element {@code index} of dropped is in the body; checked against the body's limit. */
    public int dropped(int index) {
        int offset = droppedOffset() + index * 8;
        if (index < 0 || offset + 8 > buffer.lengthBytes()) {
            throw new ProtocolException(
                    "RecallsRequest.dropped: element " + index + " outside a body of " + buffer.lengthBytes());
        }
        return offset;
    }

    /** Bytes of the whole body as set so far. */
    public int bodyBytes() {
        return droppedOffset() + droppedCount() * 8;
    }
}
