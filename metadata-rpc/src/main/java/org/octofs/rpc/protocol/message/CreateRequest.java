package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.ProtocolException;

/**
 * CREATE and MKDIR: makes a file of any type; a regular one is opened too if asked.
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class CreateRequest {
    /** u64, inode number of the directory. */
    public static final int PARENT_OFFSET = 0;

    /** u32, type and permissions. */
    public static final int MODE_OFFSET = PARENT_OFFSET + Long.BYTES;

    /** u32, owner. */
    public static final int UID_OFFSET = MODE_OFFSET + Integer.BYTES;

    /** u32, group. */
    public static final int GID_OFFSET = UID_OFFSET + Integer.BYTES;

    /**
     * u32, bit 0 exclusive; bit 1 open the file (regular files); bit 2 give it no name; bit 3 it may get one later; bits 16
     * to 24 the permissions that the caller's umask takes away.
     */
    public static final int FLAGS_OFFSET = GID_OFFSET + Integer.BYTES;

    /** u64, device number of special files. */
    public static final int RDEV_OFFSET = FLAGS_OFFSET + Integer.BYTES;

    /** u32, bytes of name. */
    public static final int NAME_LENGTH_OFFSET = RDEV_OFFSET + Long.BYTES;

    /** u32, bytes of target. */
    public static final int TARGET_LENGTH_OFFSET = NAME_LENGTH_OFFSET + Integer.BYTES;

    /** Bytes of the fixed part. */
    public static final int FIXED_BYTES = TARGET_LENGTH_OFFSET + Integer.BYTES;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public CreateRequest wrap(MessageBuffer body) {
        this.buffer = body;
        return this;
    }

    /** Inode number of the directory. */
    public long parent() {
        return buffer.getU64(PARENT_OFFSET);
    }

    /** Sets inode number of the directory. */
    public CreateRequest parent(long value) {
        buffer.putU64(PARENT_OFFSET, value);
        return this;
    }

    /** Type and permissions. */
    public int mode() {
        return buffer.getI32(MODE_OFFSET);
    }

    /** Sets type and permissions. */
    public CreateRequest mode(int value) {
        buffer.putU32(MODE_OFFSET, value);
        return this;
    }

    /** Owner. */
    public int uid() {
        return buffer.getI32(UID_OFFSET);
    }

    /** Sets owner. */
    public CreateRequest uid(int value) {
        buffer.putU32(UID_OFFSET, value);
        return this;
    }

    /** Group. */
    public int gid() {
        return buffer.getI32(GID_OFFSET);
    }

    /** Sets group. */
    public CreateRequest gid(int value) {
        buffer.putU32(GID_OFFSET, value);
        return this;
    }

    /** Bit 0 exclusive; bit 1 open the file (regular files). */
    public int flags() {
        return buffer.getI32(FLAGS_OFFSET);
    }

    /** Sets bit 0 exclusive; bit 1 open the file (regular files). */
    public CreateRequest flags(int value) {
        buffer.putU32(FLAGS_OFFSET, value);
        return this;
    }

    /** Device number of special files. */
    public long rdev() {
        return buffer.getU64(RDEV_OFFSET);
    }

    /** Sets device number of special files. */
    public CreateRequest rdev(long value) {
        buffer.putU64(RDEV_OFFSET, value);
        return this;
    }

    /** Bytes of name. */
    public int nameLength() {
        return buffer.getI32(NAME_LENGTH_OFFSET);
    }

    /** Bytes of target. */
    public int targetLength() {
        return buffer.getI32(TARGET_LENGTH_OFFSET);
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
                    "CreateRequest.name: length " + length + " in a body of " + buffer.lengthBytes());
        }
        byte[] copy = new byte[length];
        buffer.getBytes(nameOffset(), copy, 0, length);
        return copy;
    }

    /** Appends name; the parts before it must have been set. */
    public CreateRequest name(byte[] source, int offset, int length) {
        buffer.putU32(NAME_LENGTH_OFFSET, length);
        buffer.putBytes(nameOffset(), source, offset, length);
        return this;
    }

    /** Sets the length of name whose bytes were or will be written in place at {@link #nameOffset()}. */
    public CreateRequest nameLength(int length) {
        buffer.putU32(NAME_LENGTH_OFFSET, length);
        return this;
    }

    /** Where target begins in the body: target of a symbolic link, else empty. */
    public int targetOffset() {
        return nameOffset() + nameLength();
    }

    /** A copy of target: target of a symbolic link, else empty. */
    public byte[] target() {
        int length = targetLength();
        if (length < 0 || length > buffer.lengthBytes()) {
            throw new ProtocolException(
                    "CreateRequest.target: length " + length + " in a body of " + buffer.lengthBytes());
        }
        byte[] copy = new byte[length];
        buffer.getBytes(targetOffset(), copy, 0, length);
        return copy;
    }

    /** Appends target; the parts before it must have been set. */
    public CreateRequest target(byte[] source, int offset, int length) {
        buffer.putU32(TARGET_LENGTH_OFFSET, length);
        buffer.putBytes(targetOffset(), source, offset, length);
        return this;
    }

    /** Sets the length of target whose bytes were or will be written in place at {@link #targetOffset()}. */
    public CreateRequest targetLength(int length) {
        buffer.putU32(TARGET_LENGTH_OFFSET, length);
        return this;
    }

    /** Bytes of the whole body as set so far. */
    public int bodyBytes() {
        return targetOffset() + targetLength();
    }
}
