package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.MessageBuffer;

/**
 * Answer of LOOKUP, CREATE, MKDIR and LINK. With ENOENT the fields of the parent are valid, so that the absence can be cached.
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class EntryReply {
    /** u64, inode number of the entry. */
    public static final int INO_OFFSET = 0;

    /** u64, pool offset, at the inode's home, of its slot; 0 if the image is absent. */
    public static final int SLOT_OFFSET_OFFSET = INO_OFFSET + Long.BYTES;

    /** u64, version word of the directory when this held. */
    public static final int PARENT_VERSION_OFFSET = SLOT_OFFSET_OFFSET + Long.BYTES;

    /** u64, pool offset of the directory's slot at its home. */
    public static final int PARENT_SLOT_OFFSET_OFFSET = PARENT_VERSION_OFFSET + Long.BYTES;

    /** u32, bit 0: the image is present (else ask the inode's home); bit 1: the entry existed before. */
    public static final int FLAGS_OFFSET = PARENT_SLOT_OFFSET_OFFSET + Long.BYTES;

    /** u32, file type, S_IFMT bits of mode. */
    public static final int TYPE_OFFSET = FLAGS_OFFSET + Integer.BYTES;

    /** The inode's image, {@link InodeLayout#SIZE_BYTES} bytes. */
    public static final int IMAGE_OFFSET = TYPE_OFFSET + Integer.BYTES;

    /** Bytes of the fixed part. */
    public static final int FIXED_BYTES = IMAGE_OFFSET + InodeLayout.SIZE_BYTES;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public EntryReply wrap(MessageBuffer body) {
        this.buffer = body;
        return this;
    }

    /** Inode number of the entry. */
    public long ino() {
        return buffer.getU64(INO_OFFSET);
    }

    /** Sets inode number of the entry. */
    public EntryReply ino(long value) {
        buffer.putU64(INO_OFFSET, value);
        return this;
    }

    /** Pool offset, at the inode's home, of its slot; 0 if the image is absent. */
    public long slotOffset() {
        return buffer.getU64(SLOT_OFFSET_OFFSET);
    }

    /** Sets pool offset, at the inode's home, of its slot; 0 if the image is absent. */
    public EntryReply slotOffset(long value) {
        buffer.putU64(SLOT_OFFSET_OFFSET, value);
        return this;
    }

    /** Version word of the directory when this held. */
    public long parentVersion() {
        return buffer.getU64(PARENT_VERSION_OFFSET);
    }

    /** Sets version word of the directory when this held. */
    public EntryReply parentVersion(long value) {
        buffer.putU64(PARENT_VERSION_OFFSET, value);
        return this;
    }

    /** Pool offset of the directory's slot at its home. */
    public long parentSlotOffset() {
        return buffer.getU64(PARENT_SLOT_OFFSET_OFFSET);
    }

    /** Sets pool offset of the directory's slot at its home. */
    public EntryReply parentSlotOffset(long value) {
        buffer.putU64(PARENT_SLOT_OFFSET_OFFSET, value);
        return this;
    }

    /** Bit 0: the image is present (else ask the inode's home); bit 1: the entry existed before. */
    public int flags() {
        return buffer.getI32(FLAGS_OFFSET);
    }

    /** Sets bit 0: the image is present (else ask the inode's home); bit 1: the entry existed before. */
    public EntryReply flags(int value) {
        buffer.putU32(FLAGS_OFFSET, value);
        return this;
    }

    /** File type, S_IFMT bits of mode. */
    public int type() {
        return buffer.getI32(TYPE_OFFSET);
    }

    /** Sets file type, S_IFMT bits of mode. */
    public EntryReply type(int value) {
        buffer.putU32(TYPE_OFFSET, value);
        return this;
    }

    /** Bytes of the whole body as set so far. */
    public int bodyBytes() {
        return FIXED_BYTES;
    }
}
