package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.ProtocolException;

/**
 * Answer of RECALLS; each recall is {u64 number, u64 ino, u32 kind, u32 nameLength, name, padding to 8 bytes}.
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class RecallsReply {
    /** u64, what the client's word in the pool reads while it has been told everything. */
    public static final int WORD_OFFSET = 0;

    /** u64, pool offset of that word. */
    public static final int WORD_OFFSET_OFFSET = WORD_OFFSET + Long.BYTES;

    /** u32, how many recalls. */
    public static final int RECALL_COUNT_OFFSET = WORD_OFFSET_OFFSET + Long.BYTES;

    /** u32, bytes of recalls. */
    public static final int RECALLS_LENGTH_OFFSET = RECALL_COUNT_OFFSET + Integer.BYTES;

    /** Bytes of the fixed part. */
    public static final int FIXED_BYTES = RECALLS_LENGTH_OFFSET + Integer.BYTES;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public RecallsReply wrap(MessageBuffer body) {
        this.buffer = body;
        return this;
    }

    /** What the client's word in the pool reads while it has been told everything. */
    public long word() {
        return buffer.getU64(WORD_OFFSET);
    }

    /** Sets what the client's word in the pool reads while it has been told everything. */
    public RecallsReply word(long value) {
        buffer.putU64(WORD_OFFSET, value);
        return this;
    }

    /** Pool offset of that word. */
    public long wordOffset() {
        return buffer.getU64(WORD_OFFSET_OFFSET);
    }

    /** Sets pool offset of that word. */
    public RecallsReply wordOffset(long value) {
        buffer.putU64(WORD_OFFSET_OFFSET, value);
        return this;
    }

    /** How many recalls. */
    public int recallCount() {
        return buffer.getI32(RECALL_COUNT_OFFSET);
    }

    /** Sets how many recalls. */
    public RecallsReply recallCount(int value) {
        buffer.putU32(RECALL_COUNT_OFFSET, value);
        return this;
    }

    /** Bytes of recalls. */
    public int recallsLength() {
        return buffer.getI32(RECALLS_LENGTH_OFFSET);
    }

    /** Where recalls begin in the body: the recalls. */
    public int recallsOffset() {
        return FIXED_BYTES;
    }

    /** A copy of recalls: the recalls. */
    public byte[] recalls() {
        int length = recallsLength();
        if (length < 0 || length > buffer.lengthBytes()) {
            throw new ProtocolException(
                    "RecallsReply.recalls: length " + length + " in a body of " + buffer.lengthBytes());
        }
        byte[] copy = new byte[length];
        buffer.getBytes(recallsOffset(), copy, 0, length);
        return copy;
    }

    /** Appends recalls; the parts before it must have been set. */
    public RecallsReply recalls(byte[] source, int offset, int length) {
        buffer.putU32(RECALLS_LENGTH_OFFSET, length);
        buffer.putBytes(recallsOffset(), source, offset, length);
        return this;
    }

    /** Sets the length of recalls whose bytes were or will be written in place at {@link #recallsOffset()}. */
    public RecallsReply recallsLength(int length) {
        buffer.putU32(RECALLS_LENGTH_OFFSET, length);
        return this;
    }

    /** Bytes of the whole body as set so far. */
    public int bodyBytes() {
        return recallsOffset() + recallsLength();
    }
}
