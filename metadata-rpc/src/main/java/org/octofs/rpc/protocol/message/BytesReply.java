package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.ProtocolException;

/**
 * Answer of READLINK, GETXATTR and LISTXATTR (names end with NUL).
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class BytesReply {
    /** u64, version of the inode. */
    public static final int VERSION_OFFSET = 0;

    /** u32, bytes of value. */
    public static final int VALUE_LENGTH_OFFSET = VERSION_OFFSET + Long.BYTES;

    /** Bytes of the fixed part. */
    public static final int FIXED_BYTES = VALUE_LENGTH_OFFSET + Integer.BYTES;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public BytesReply wrap(MessageBuffer body) {
        this.buffer = body;
        return this;
    }

    /** Version of the inode. */
    public long version() {
        return buffer.getU64(VERSION_OFFSET);
    }

    /** Sets version of the inode. */
    public BytesReply version(long value) {
        buffer.putU64(VERSION_OFFSET, value);
        return this;
    }

    /** Bytes of value. */
    public int valueLength() {
        return buffer.getI32(VALUE_LENGTH_OFFSET);
    }

    /** Where value begins in the body: the bytes. */
    public int valueOffset() {
        return FIXED_BYTES;
    }

    /** A copy of value: the bytes. */
    public byte[] value() {
        int length = valueLength();
        if (length < 0 || length > buffer.lengthBytes()) {
            throw new ProtocolException("BytesReply.value: length " + length + " in a body of " + buffer.lengthBytes());
        }
        byte[] copy = new byte[length];
        buffer.getBytes(valueOffset(), copy, 0, length);
        return copy;
    }

    /** Appends value; the parts before it must have been set. */
    public BytesReply value(byte[] source, int offset, int length) {
        buffer.putU32(VALUE_LENGTH_OFFSET, length);
        buffer.putBytes(valueOffset(), source, offset, length);
        return this;
    }

    /** Sets the length of value whose bytes were or will be written in place at {@link #valueOffset()}. */
    public BytesReply valueLength(int length) {
        buffer.putU32(VALUE_LENGTH_OFFSET, length);
        return this;
    }

    /** Bytes of the whole body as set so far. */
    public int bodyBytes() {
        return valueOffset() + valueLength();
    }
}
