package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.ProtocolException;

/**
 * GETXATTR, SETXATTR and REMOVEXATTR.
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class XattrRequest {
    /** u64, inode number. */
    public static final int INO_OFFSET = 0;

    /** u32, XATTR_CREATE 1, XATTR_REPLACE 2. */
    public static final int FLAGS_OFFSET = INO_OFFSET + Long.BYTES;

    /** u32, zero. */
    public static final int RESERVED_OFFSET = FLAGS_OFFSET + Integer.BYTES;

    /** u32, bytes of name. */
    public static final int NAME_LENGTH_OFFSET = RESERVED_OFFSET + Integer.BYTES;

    /** u32, bytes of value. */
    public static final int VALUE_LENGTH_OFFSET = NAME_LENGTH_OFFSET + Integer.BYTES;

    /** Bytes of the fixed part. */
    public static final int FIXED_BYTES = VALUE_LENGTH_OFFSET + Integer.BYTES;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public XattrRequest wrap(MessageBuffer body) {
        this.buffer = body;
        return this;
    }

    /** Inode number. */
    public long ino() {
        return buffer.getU64(INO_OFFSET);
    }

    /** Sets inode number. */
    public XattrRequest ino(long value) {
        buffer.putU64(INO_OFFSET, value);
        return this;
    }

    /** XATTR_CREATE 1, XATTR_REPLACE 2. */
    public int flags() {
        return buffer.getI32(FLAGS_OFFSET);
    }

    /** Sets XATTR_CREATE 1, XATTR_REPLACE 2. */
    public XattrRequest flags(int value) {
        buffer.putU32(FLAGS_OFFSET, value);
        return this;
    }

    /** Zero. */
    public int reserved() {
        return buffer.getI32(RESERVED_OFFSET);
    }

    /** Sets zero. */
    public XattrRequest reserved(int value) {
        buffer.putU32(RESERVED_OFFSET, value);
        return this;
    }

    /** Bytes of name. */
    public int nameLength() {
        return buffer.getI32(NAME_LENGTH_OFFSET);
    }

    /** Bytes of value. */
    public int valueLength() {
        return buffer.getI32(VALUE_LENGTH_OFFSET);
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
                    "XattrRequest.name: length " + length + " in a body of " + buffer.lengthBytes());
        }
        byte[] copy = new byte[length];
        buffer.getBytes(nameOffset(), copy, 0, length);
        return copy;
    }

    /** Appends name; the parts before it must have been set. */
    public XattrRequest name(byte[] source, int offset, int length) {
        buffer.putU32(NAME_LENGTH_OFFSET, length);
        buffer.putBytes(nameOffset(), source, offset, length);
        return this;
    }

    /** Sets the length of name whose bytes were or will be written in place at {@link #nameOffset()}. */
    public XattrRequest nameLength(int length) {
        buffer.putU32(NAME_LENGTH_OFFSET, length);
        return this;
    }

    /** Where value begins in the body: the value, at most 65536 bytes. */
    public int valueOffset() {
        return nameOffset() + nameLength();
    }

    /** A copy of value: the value, at most 65536 bytes. */
    public byte[] value() {
        int length = valueLength();
        if (length < 0 || length > buffer.lengthBytes()) {
            throw new ProtocolException(
                    "XattrRequest.value: length " + length + " in a body of " + buffer.lengthBytes());
        }
        byte[] copy = new byte[length];
        buffer.getBytes(valueOffset(), copy, 0, length);
        return copy;
    }

    /** Appends value; the parts before it must have been set. */
    public XattrRequest value(byte[] source, int offset, int length) {
        buffer.putU32(VALUE_LENGTH_OFFSET, length);
        buffer.putBytes(valueOffset(), source, offset, length);
        return this;
    }

    /** Sets the length of value whose bytes were or will be written in place at {@link #valueOffset()}. */
    public XattrRequest valueLength(int length) {
        buffer.putU32(VALUE_LENGTH_OFFSET, length);
        return this;
    }

    /** Bytes of the whole body as set so far. */
    public int bodyBytes() {
        return valueOffset() + valueLength();
    }
}
