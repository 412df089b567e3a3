package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.ProtocolException;

/**
 * RETURN_BLOCKS: gives lent blocks back unused.
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class ReturnBlocksRequest {
    /** u64, inode number. */
    public static final int INO_OFFSET = 0;

    /** u32, elements of grants. */
    public static final int GRANTS_COUNT_OFFSET = INO_OFFSET + Long.BYTES;

    /** Bytes of the fixed part. */
    public static final int FIXED_BYTES = GRANTS_COUNT_OFFSET + Integer.BYTES;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public ReturnBlocksRequest wrap(MessageBuffer body) {
        this.buffer = body;
        return this;
    }

    /** Inode number. */
    public long ino() {
        return buffer.getU64(INO_OFFSET);
    }

    /** Sets inode number. */
    public ReturnBlocksRequest ino(long value) {
        buffer.putU64(INO_OFFSET, value);
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
    public ReturnBlocksRequest grantsCount(int count) {
        buffer.putU32(GRANTS_COUNT_OFFSET, count);
        return this;
    }

    /** Where element {@code index} of grants is in the body; checked against the body's limit. */
    public int grants(int index) {
        int offset = grantsOffset() + index * 16;
        if (index < 0 || offset + 16 > buffer.lengthBytes()) {
            throw new ProtocolException(
                    "ReturnBlocksRequest.grants: element " + index + " outside a body of " + buffer.lengthBytes());
        }
        return offset;
    }

    /** Bytes of the whole body as set so far. */
    public int bodyBytes() {
        return grantsOffset() + grantsCount() * 16;
    }
}
