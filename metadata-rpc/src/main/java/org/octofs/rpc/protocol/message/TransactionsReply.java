package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.MessageBuffer;

/**
 * Answer of ABORT, OUTCOME and FLUSHED: how each transaction stands at whoever answers, in the order asked.
 *
 * <pre>
 * | incarnation of the answering server u32 | count u32 | elements: | state u64 | release word's pool offset u64 | |
 * </pre>
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class TransactionsReply {
    /** u32, incarnation of the server that answers. */
    public static final int INCARNATION_OFFSET = 0;

    /** u32, elements. */
    public static final int COUNT_OFFSET = INCARNATION_OFFSET + Integer.BYTES;

    /** Bytes before the elements. */
    public static final int FIXED_BYTES = COUNT_OFFSET + Integer.BYTES;

    /** u64, one of the states. */
    public static final int STATE_OFFSET = 0;

    /** u64, with HELD: pool offset of the release word. */
    public static final int RELEASE_OFFSET_OFFSET = STATE_OFFSET + Long.BYTES;

    /** Bytes of an element. */
    public static final int ELEMENT_BYTES = RELEASE_OFFSET_OFFSET + Long.BYTES;

    /** Of a participant: holds no lock of this transaction; what was dispatched is durable. */
    public static final int GONE = 0;

    /** Of a participant: holds the lock. */
    public static final int HELD = 1;

    /** Of a coordinator: not decided yet. */
    public static final int UNDECIDED = 2;

    /** Of a coordinator: committed, the images are about to come. */
    public static final int COMMITTED = 3;

    /** Of a coordinator: no such transaction; it never happened and never will. */
    public static final int UNKNOWN = 4;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public TransactionsReply wrap(MessageBuffer body) {
        buffer = body;
        return this;
    }

    /** Writes the fixed part. */
    public TransactionsReply set(int incarnation, int count) {
        buffer.putU32(INCARNATION_OFFSET, incarnation);
        buffer.putU32(COUNT_OFFSET, count);
        return this;
    }

    public int incarnation() {
        return buffer.getI32(INCARNATION_OFFSET);
    }

    public int count() {
        return buffer.getI32(COUNT_OFFSET);
    }

    public int state(int index) {
        return (int) buffer.getU64(FIXED_BYTES + index * ELEMENT_BYTES + STATE_OFFSET);
    }

    public long releaseOffset(int index) {
        return buffer.getU64(FIXED_BYTES + index * ELEMENT_BYTES + RELEASE_OFFSET_OFFSET);
    }

    /** Writes an element. */
    public TransactionsReply state(int index, int state, long releaseOffset) {
        buffer.putU64(FIXED_BYTES + index * ELEMENT_BYTES + STATE_OFFSET, state);
        buffer.putU64(FIXED_BYTES + index * ELEMENT_BYTES + RELEASE_OFFSET_OFFSET, releaseOffset);
        return this;
    }

    /** Bytes of a body with {@code count} elements. */
    public static int bodyBytes(int count) {
        return FIXED_BYTES + count * ELEMENT_BYTES;
    }
}
