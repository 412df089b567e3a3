package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.MessageBuffer;

/**
 * Answer of ANCESTORS.
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class AncestorsReply {
    /** u64, where to go on, at another server; the sought directory if it was met; 0 if the root was. */
    public static final int NEXT_OFFSET = 0;

    /** Bytes of the body. */
    public static final int FIXED_BYTES = NEXT_OFFSET + Long.BYTES;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public AncestorsReply wrap(MessageBuffer body) {
        buffer = body;
        return this;
    }

    public long next() {
        return buffer.getU64(NEXT_OFFSET);
    }

    public AncestorsReply next(long value) {
        buffer.putU64(NEXT_OFFSET, value);
        return this;
    }
}
