package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.ProtocolException;

/**
 * CLOSE: takes back opens, one per element {u64 ino}.
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class CloseRequest {
    /** u64, zero. */
    public static final int RESERVED_OFFSET = 0;

    /** u32, elements of inodes. */
    public static final int INODES_COUNT_OFFSET = RESERVED_OFFSET + Long.BYTES;

    /** Bytes of the fixed part. */
    public static final int FIXED_BYTES = INODES_COUNT_OFFSET + Integer.BYTES;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public CloseRequest wrap(MessageBuffer body) {
        this.buffer = body;
        return this;
    }

    /** Zero. */
    public long reserved() {
        return buffer.getU64(RESERVED_OFFSET);
    }

    /** Sets zero. */
    public CloseRequest reserved(long value) {
        buffer.putU64(RESERVED_OFFSET, value);
        return this;
    }

    /** Elements of inodes. */
    public int inodesCount() {
        return buffer.getI32(INODES_COUNT_OFFSET);
    }

    /** Where inodes begin in the body: inode numbers. */
    public int inodesOffset() {
        return FIXED_BYTES;
    }

    /** Sets the number of inodes; the elements are written in place. */
    public CloseRequest inodesCount(int count) {
        buffer.putU32(INODES_COUNT_OFFSET, count);
        return this;
    }

    /** Where element {@code index} of inodes is in the body; checked against the body's limit. */
    public int inodes(int index) {
        int offset = inodesOffset() + index * 8;
        if (index < 0 || offset + 8 > buffer.lengthBytes()) {
            throw new ProtocolException(
                    "CloseRequest.inodes: element " + index + " outside a body of " + buffer.lengthBytes());
        }
        return offset;
    }

    /** Bytes of the whole body as set so far. */
    public int bodyBytes() {
        return inodesOffset() + inodesCount() * 8;
    }
}
