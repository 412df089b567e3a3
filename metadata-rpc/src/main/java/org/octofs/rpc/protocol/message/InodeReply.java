package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.MessageBuffer;

/**
 * Answer of GETATTR, OPEN, SETATTR, SETXATTR, REMOVEXATTR: the inode's image.
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class InodeReply {
    /** u64, pool offset of the slot at the inode's home. */
    public static final int SLOT_OFFSET_OFFSET = 0;

    /** In flags: this request has changed the inode, and the image is the one that it has made. Not in an answer that is given again. */
    public static final int FLAG_CHANGED = 1;

    /** u32, bits FLAG_*. */
    public static final int FLAGS_OFFSET = SLOT_OFFSET_OFFSET + Long.BYTES;

    /** u32, zero. */
    public static final int RESERVED_OFFSET = FLAGS_OFFSET + Integer.BYTES;

    /** The inode's image, {@link InodeLayout#SIZE_BYTES} bytes. */
    public static final int IMAGE_OFFSET = RESERVED_OFFSET + Integer.BYTES;

    /** Bytes of the fixed part. */
    public static final int FIXED_BYTES = IMAGE_OFFSET + InodeLayout.SIZE_BYTES;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public InodeReply wrap(MessageBuffer body) {
        this.buffer = body;
        return this;
    }

    /** Pool offset of the slot at the inode's home. */
    public long slotOffset() {
        return buffer.getU64(SLOT_OFFSET_OFFSET);
    }

    /** Sets pool offset of the slot at the inode's home. */
    public InodeReply slotOffset(long value) {
        buffer.putU64(SLOT_OFFSET_OFFSET, value);
        return this;
    }

    /** Bits FLAG_*. */
    public int flags() {
        return buffer.getI32(FLAGS_OFFSET);
    }

    /** Sets bits FLAG_*. */
    public InodeReply flags(int value) {
        buffer.putU32(FLAGS_OFFSET, value);
        return this;
    }

    /** Zero. */
    public int reserved() {
        return buffer.getI32(RESERVED_OFFSET);
    }

    /** Sets zero. */
    public InodeReply reserved(int value) {
        buffer.putU32(RESERVED_OFFSET, value);
        return this;
    }

    /** Bytes of the whole body as set so far. */
    public int bodyBytes() {
        return FIXED_BYTES;
    }
}
