package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.ProtocolException;

/**
 * Answer of RESERVE: lent blocks, at least one, perhaps fewer than asked.
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class GrantReply {
    /** u64, zero. */
    public static final int RESERVED_OFFSET = 0;

    /** u32, elements of grants. */
    public static final int GRANTS_COUNT_OFFSET = RESERVED_OFFSET + Long.BYTES;

    /** Bytes of the fixed part. */
    public static final int FIXED_BYTES = GRANTS_COUNT_OFFSET + Integer.BYTES;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public GrantReply wrap(MessageBuffer body) {
        this.buffer = body;
        return this;
    }

    /** Zero. */
    public long reserved() {
        return buffer.getU64(RESERVED_OFFSET);
    }

    /** Sets zero. */
    public GrantReply reserved(long value) {
        buffer.putU64(RESERVED_OFFSET, value);
        return this;
    }

    /** Elements of grants. */
    public int grantsCount() {
        return buffer.getI32(GRANTS_COUNT_OFFSET);
    }

    /** Where grants begin in the body: grants {u64 location of the first block, u32 blockCount, u32 reserved}. */
    public int grantsOffset() {
        return FIXED_BYTES;
    }

    /** Sets the number of grants; the elements are written in place. */
    public GrantReply grantsCount(int count) {
        buffer.putU32(GRANTS_COUNT_OFFSET, count);
        return this;
    }

    /** Where element {@code index} of grants is in the body; checked against the body's limit. */
    public int grants(int index) {
        int offset = grantsOffset() + index * 16;
        if (index < 0 || offset + 16 > buffer.lengthBytes()) {
            throw new ProtocolException(
                    "GrantReply.grants: element " + index + " outside a body of " + buffer.lengthBytes());
        }
        return offset;
    }

    /** Bytes of the whole body as set so far. */
    public int bodyBytes() {
        return grantsOffset() + grantsCount() * 16;
    }
}
