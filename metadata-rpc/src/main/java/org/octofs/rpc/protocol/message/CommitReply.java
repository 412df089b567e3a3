package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.ProtocolException;

/**
 * Answer of COMMIT; also with EAGAIN (conflict: nothing was changed) carries the present image.
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class CommitReply {
    /** u64, pool offset of the inode's slot. */
    public static final int SLOT_OFFSET_OFFSET = 0;

    /** u32, elements of grants. */
    public static final int GRANTS_COUNT_OFFSET = SLOT_OFFSET_OFFSET + Long.BYTES;

    /** The inode's image, {@link InodeLayout#SIZE_BYTES} bytes. */
    public static final int IMAGE_OFFSET = GRANTS_COUNT_OFFSET + Integer.BYTES;

    /** Bytes of the fixed part. */
    public static final int FIXED_BYTES = IMAGE_OFFSET + InodeLayout.SIZE_BYTES;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public CommitReply wrap(MessageBuffer body) {
        this.buffer = body;
        return this;
    }

    /** Pool offset of the inode's slot. */
    public long slotOffset() {
        return buffer.getU64(SLOT_OFFSET_OFFSET);
    }

    /** Sets pool offset of the inode's slot. */
    public CommitReply slotOffset(long value) {
        buffer.putU64(SLOT_OFFSET_OFFSET, value);
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
    public CommitReply grantsCount(int count) {
        buffer.putU32(GRANTS_COUNT_OFFSET, count);
        return this;
    }

    /** Where element {@code index} of grants is in the body; checked against the body's limit. */
    public int grants(int index) {
        int offset = grantsOffset() + index * 16;
        if (index < 0 || offset + 16 > buffer.lengthBytes()) {
            throw new ProtocolException(
                    "CommitReply.grants: element " + index + " outside a body of " + buffer.lengthBytes());
        }
        return offset;
    }

    /** Bytes of the whole body as set so far. */
    public int bodyBytes() {
        return grantsOffset() + grantsCount() * 16;
    }
}
