package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.ProtocolException;

/**
 * Answer of COLLECT: everything is locked, durably; one element per item, in their order. Images are those that were current
 * when the lock was taken, with the even version word.
 *
 * <pre>
 * | release word's pool offset u64 | participant's incarnation u32 | element count u32 | elements |
 * element: | ino u64 | slot u64 | entry slot u64 | cookie u64 | child u64 | child slot u64 | flags u32 | child type u32 | image 256 | child's image 256 |
 * </pre>
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class CollectReply {
    /** u64, pool offset at the participant of the word that releases the lock. */
    public static final int RELEASE_OFFSET_OFFSET = 0;

    /** u32, of the participant; part of what has to be written into the release word. */
    public static final int INCARNATION_OFFSET = RELEASE_OFFSET_OFFSET + Long.BYTES;

    /** u32, elements. */
    public static final int COUNT_OFFSET = INCARNATION_OFFSET + Integer.BYTES;

    /** Bytes before the elements. */
    public static final int FIXED_BYTES = COUNT_OFFSET + Integer.BYTES;

    /** u64, the inode or directory; the number given to a new inode. */
    public static final int INO_OFFSET = 0;

    /** u64, pool offset of its slot. */
    public static final int SLOT_OFFSET = INO_OFFSET + Long.BYTES;

    /** u64, pool offset of the entry's slot, present or to be filled; 0 for none. */
    public static final int ENTRY_SLOT_OFFSET = SLOT_OFFSET + Long.BYTES;

    /** u64, place of the entry in its directory. */
    public static final int COOKIE_OFFSET = ENTRY_SLOT_OFFSET + Long.BYTES;

    /** u64, inode that the entry stands for; 0 if there is no entry. */
    public static final int CHILD_OFFSET = COOKIE_OFFSET + Long.BYTES;

    /** u64, slot of the child's inode if it was locked too, else 0. */
    public static final int CHILD_SLOT_OFFSET = CHILD_OFFSET + Long.BYTES;

    /** u32, reserved, zero. */
    public static final int FLAGS_OFFSET = CHILD_SLOT_OFFSET + Long.BYTES;

    /** u32, S_IFMT bits of the entry's child. */
    public static final int CHILD_TYPE_OFFSET = FLAGS_OFFSET + Integer.BYTES;

    /** Image of the inode. */
    public static final int IMAGE_OFFSET = CHILD_TYPE_OFFSET + Integer.BYTES;

    /** Image of the child, if its slot is given. */
    public static final int CHILD_IMAGE_OFFSET = IMAGE_OFFSET + InodeLayout.SIZE_BYTES;

    /** Bytes of an element. */
    public static final int ELEMENT_BYTES = CHILD_IMAGE_OFFSET + InodeLayout.SIZE_BYTES;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public CollectReply wrap(MessageBuffer body) {
        buffer = body;
        return this;
    }

    /** Writes the fixed part; elements are written in place and are to be zeroed first. */
    public CollectReply set(long releaseOffset, int incarnation, int count) {
        buffer.putU64(RELEASE_OFFSET_OFFSET, releaseOffset);
        buffer.putU32(INCARNATION_OFFSET, incarnation);
        buffer.putU32(COUNT_OFFSET, count);
        return this;
    }

    public long releaseOffset() {
        return buffer.getU64(RELEASE_OFFSET_OFFSET);
    }

    public int incarnation() {
        return buffer.getI32(INCARNATION_OFFSET);
    }

    public int count() {
        return buffer.getI32(COUNT_OFFSET);
    }

    /** Where an element is in the body; its fields are at the offsets above. */
    public int element(int index) {
        int at = FIXED_BYTES + index * ELEMENT_BYTES;
        if (index < 0 || index >= CollectRequest.ITEMS_MAX || at + ELEMENT_BYTES > buffer.lengthBytes()) {
            throw new ProtocolException(
                    "CollectReply: element " + index + " outside a body of " + buffer.lengthBytes());
        }
        return at;
    }

    /** Bytes of a body with {@code count} elements. */
    public static int bodyBytes(int count) {
        return FIXED_BYTES + count * ELEMENT_BYTES;
    }
}
