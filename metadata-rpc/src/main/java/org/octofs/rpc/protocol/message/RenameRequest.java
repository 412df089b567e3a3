package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.ProtocolException;

/**
 * RENAME: sent to the home of the source directory.
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class RenameRequest {
    /** u64, inode number. */
    public static final int SOURCE_PARENT_OFFSET = 0;

    /** u64, inode number. */
    public static final int TARGET_PARENT_OFFSET = SOURCE_PARENT_OFFSET + Long.BYTES;

    /** u32, 1 NOREPLACE, 2 EXCHANGE as of renameat2(2). */
    public static final int FLAGS_OFFSET = TARGET_PARENT_OFFSET + Long.BYTES;

    /** u32, zero. */
    public static final int RESERVED_OFFSET = FLAGS_OFFSET + Integer.BYTES;

    /** u32, bytes of sourceName. */
    public static final int SOURCE_NAME_LENGTH_OFFSET = RESERVED_OFFSET + Integer.BYTES;

    /** u32, bytes of targetName. */
    public static final int TARGET_NAME_LENGTH_OFFSET = SOURCE_NAME_LENGTH_OFFSET + Integer.BYTES;

    /** Bytes of the fixed part. */
    public static final int FIXED_BYTES = TARGET_NAME_LENGTH_OFFSET + Integer.BYTES;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public RenameRequest wrap(MessageBuffer body) {
        this.buffer = body;
        return this;
    }

    /** Inode number. */
    public long sourceParent() {
        return buffer.getU64(SOURCE_PARENT_OFFSET);
    }

    /** Sets inode number. */
    public RenameRequest sourceParent(long value) {
        buffer.putU64(SOURCE_PARENT_OFFSET, value);
        return this;
    }

    /** Inode number. */
    public long targetParent() {
        return buffer.getU64(TARGET_PARENT_OFFSET);
    }

    /** Sets inode number. */
    public RenameRequest targetParent(long value) {
        buffer.putU64(TARGET_PARENT_OFFSET, value);
        return this;
    }

    /** 1 NOREPLACE, 2 EXCHANGE as of renameat2(2). */
    public int flags() {
        return buffer.getI32(FLAGS_OFFSET);
    }

    /** Sets 1 NOREPLACE, 2 EXCHANGE as of renameat2(2). */
    public RenameRequest flags(int value) {
        buffer.putU32(FLAGS_OFFSET, value);
        return this;
    }

    /** Zero. */
    public int reserved() {
        return buffer.getI32(RESERVED_OFFSET);
    }

    /** Sets zero. */
    public RenameRequest reserved(int value) {
        buffer.putU32(RESERVED_OFFSET, value);
        return this;
    }

    /** Bytes of sourceName. */
    public int sourceNameLength() {
        return buffer.getI32(SOURCE_NAME_LENGTH_OFFSET);
    }

    /** Bytes of targetName. */
    public int targetNameLength() {
        return buffer.getI32(TARGET_NAME_LENGTH_OFFSET);
    }

    /** Where sourceName begins in the body: 1 to 255 bytes. */
    public int sourceNameOffset() {
        return FIXED_BYTES;
    }

    /** A copy of sourceName: 1 to 255 bytes. */
    public byte[] sourceName() {
        int length = sourceNameLength();
        if (length < 0 || length > buffer.lengthBytes()) {
            throw new ProtocolException(
                    "RenameRequest.sourceName: length " + length + " in a body of " + buffer.lengthBytes());
        }
        byte[] copy = new byte[length];
        buffer.getBytes(sourceNameOffset(), copy, 0, length);
        return copy;
    }

    /** Appends sourceName; the parts before it must have been set. */
    public RenameRequest sourceName(byte[] source, int offset, int length) {
        buffer.putU32(SOURCE_NAME_LENGTH_OFFSET, length);
        buffer.putBytes(sourceNameOffset(), source, offset, length);
        return this;
    }

    /** Sets the length of sourceName whose bytes were or will be written in place at {@link #sourceNameOffset()}. */
    public RenameRequest sourceNameLength(int length) {
        buffer.putU32(SOURCE_NAME_LENGTH_OFFSET, length);
        return this;
    }

    /** Where targetName begins in the body: 1 to 255 bytes. */
    public int targetNameOffset() {
        return sourceNameOffset() + sourceNameLength();
    }

    /** A copy of targetName: 1 to 255 bytes. */
    public byte[] targetName() {
        int length = targetNameLength();
        if (length < 0 || length > buffer.lengthBytes()) {
            throw new ProtocolException(
                    "RenameRequest.targetName: length " + length + " in a body of " + buffer.lengthBytes());
        }
        byte[] copy = new byte[length];
        buffer.getBytes(targetNameOffset(), copy, 0, length);
        return copy;
    }

    /** Appends targetName; the parts before it must have been set. */
    public RenameRequest targetName(byte[] source, int offset, int length) {
        buffer.putU32(TARGET_NAME_LENGTH_OFFSET, length);
        buffer.putBytes(targetNameOffset(), source, offset, length);
        return this;
    }

    /** Sets the length of targetName whose bytes were or will be written in place at {@link #targetNameOffset()}. */
    public RenameRequest targetNameLength(int length) {
        buffer.putU32(TARGET_NAME_LENGTH_OFFSET, length);
        return this;
    }

    /** Bytes of the whole body as set so far. */
    public int bodyBytes() {
        return targetNameOffset() + targetNameLength();
    }
}
