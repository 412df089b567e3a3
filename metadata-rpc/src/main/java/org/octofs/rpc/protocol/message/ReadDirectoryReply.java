package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.ProtocolException;

/**
 * Answer of READDIR; each entry is {u64 ino, u64 cookie, u32 type, u32 nameLength, name, padding to 8 bytes}. "." and ".." are not among them.
 * If the type has {@link #HAS_IMAGE}, {u64 slot offset, image of the inode} follow.
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class ReadDirectoryReply {
    /** u64, version of the directory. */
    public static final int VERSION_OFFSET = 0;

    /** u64, inode number of the parent directory. */
    public static final int PARENT_INO_OFFSET = VERSION_OFFSET + Long.BYTES;

    /** u32, 1 if there is nothing after these. */
    public static final int END_REACHED_OFFSET = PARENT_INO_OFFSET + Long.BYTES;

    /** u32, how many entries. */
    public static final int ENTRY_COUNT_OFFSET = END_REACHED_OFFSET + Integer.BYTES;

    /** u32, bytes of entries. */
    public static final int ENTRIES_LENGTH_OFFSET = ENTRY_COUNT_OFFSET + Integer.BYTES;

    /** Bytes of the fixed part. */
    public static final int FIXED_BYTES = ENTRIES_LENGTH_OFFSET + Integer.BYTES;

    /** In the type of an entry, whose other bits are those of S_IFMT: slot and image follow. */
    public static final int HAS_IMAGE = 1;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public ReadDirectoryReply wrap(MessageBuffer body) {
        this.buffer = body;
        return this;
    }

    /** Version of the directory. */
    public long version() {
        return buffer.getU64(VERSION_OFFSET);
    }

    /** Sets version of the directory. */
    public ReadDirectoryReply version(long value) {
        buffer.putU64(VERSION_OFFSET, value);
        return this;
    }

    /** Inode number of the parent directory. */
    public long parentIno() {
        return buffer.getU64(PARENT_INO_OFFSET);
    }

    /** Sets inode number of the parent directory. */
    public ReadDirectoryReply parentIno(long value) {
        buffer.putU64(PARENT_INO_OFFSET, value);
        return this;
    }

    /** 1 if there is nothing after these. */
    public int endReached() {
        return buffer.getI32(END_REACHED_OFFSET);
    }

    /** Sets 1 if there is nothing after these. */
    public ReadDirectoryReply endReached(int value) {
        buffer.putU32(END_REACHED_OFFSET, value);
        return this;
    }

    /** How many entries. */
    public int entryCount() {
        return buffer.getI32(ENTRY_COUNT_OFFSET);
    }

    /** Sets how many entries. */
    public ReadDirectoryReply entryCount(int value) {
        buffer.putU32(ENTRY_COUNT_OFFSET, value);
        return this;
    }

    /** Bytes of entries. */
    public int entriesLength() {
        return buffer.getI32(ENTRIES_LENGTH_OFFSET);
    }

    /** Where entries begin in the body: the entries. */
    public int entriesOffset() {
        return FIXED_BYTES;
    }

    /** A copy of entries: the entries. */
    public byte[] entries() {
        int length = entriesLength();
        if (length < 0 || length > buffer.lengthBytes()) {
            throw new ProtocolException(
                    "ReadDirectoryReply.entries: length " + length + " in a body of " + buffer.lengthBytes());
        }
        byte[] copy = new byte[length];
        buffer.getBytes(entriesOffset(), copy, 0, length);
        return copy;
    }

    /** Appends entries; the parts before it must have been set. */
    public ReadDirectoryReply entries(byte[] source, int offset, int length) {
        buffer.putU32(ENTRIES_LENGTH_OFFSET, length);
        buffer.putBytes(entriesOffset(), source, offset, length);
        return this;
    }

    /** Sets the length of entries whose bytes were or will be written in place at {@link #entriesOffset()}. */
    public ReadDirectoryReply entriesLength(int length) {
        buffer.putU32(ENTRIES_LENGTH_OFFSET, length);
        return this;
    }

    /** Bytes of the whole body as set so far. */
    public int bodyBytes() {
        return entriesOffset() + entriesLength();
    }
}
