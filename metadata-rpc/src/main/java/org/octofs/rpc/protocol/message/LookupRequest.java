package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.ProtocolException;

/**
 * LOOKUP, UNLINK and RMDIR: a name in a directory.
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class LookupRequest {
    /** u64, inode number of the directory. */
    public static final int PARENT_OFFSET = 0;

    /** u32, bytes of name. */
    public static final int NAME_LENGTH_OFFSET = PARENT_OFFSET + Long.BYTES;

    /** Bytes of the fixed part. */
    public static final int FIXED_BYTES = NAME_LENGTH_OFFSET + Integer.BYTES;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public LookupRequest wrap(MessageBuffer body) {
        this.buffer = body;
        return this;
    }

    /** Inode number of the directory. */
    public long parent() {
        return buffer.getU64(PARENT_OFFSET);
    }

    /** Sets inode number of the directory. */
    public LookupRequest parent(long value) {
        buffer.putU64(PARENT_OFFSET, value);
        return this;
    }

    /** Bytes of name. */
    public int nameLength() {
        return buffer.getI32(NAME_LENGTH_OFFSET);
    }

    /** Where name begins in the body: the entry's name, 1 to 255 bytes. */
    public int nameOffset() {
        return FIXED_BYTES;
    }

    /** A copy of name: the entry's name, 1 to 255 bytes. */
    public byte[] name() {
        int length = nameLength();
        if (length < 0 || length > buffer.lengthBytes()) {
            throw new ProtocolException(
                    "LookupRequest.name: length " + length + " in a body of " + buffer.lengthBytes());
        }
        byte[] copy = new byte[length];
        buffer.getBytes(nameOffset(), copy, 0, length);
        return copy;
    }

    /** Appends name; the parts before it must have been set. */
    public LookupRequest name(byte[] source, int offset, int length) {
        buffer.putU32(NAME_LENGTH_OFFSET, length);
        buffer.putBytes(nameOffset(), source, offset, length);
        return this;
    }

    /** Sets the length of name whose bytes were or will be written in place at {@link #nameOffset()}. */
    public LookupRequest nameLength(int length) {
        buffer.putU32(NAME_LENGTH_OFFSET, length);
        return this;
    }

    /** Bytes of the whole body as set so far. */
    public int bodyBytes() {
        return nameOffset() + nameLength();
    }
}
