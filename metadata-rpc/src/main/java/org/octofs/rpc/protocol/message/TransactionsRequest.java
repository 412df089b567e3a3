package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.ProtocolException;

/**
 * ABORT, OUTCOME and FLUSHED, between servers: a list of transactions.
 *
 * <pre>
 * | node of the sender u32 | count u32 | txn ids u64... |
 * </pre>
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class TransactionsRequest {
    /** u32, node of the sender. */
    public static final int NODE_ID_OFFSET = 0;

    /** u32, transactions. */
    public static final int COUNT_OFFSET = NODE_ID_OFFSET + Integer.BYTES;

    /** Bytes before the ids. */
    public static final int FIXED_BYTES = COUNT_OFFSET + Integer.BYTES;

    /** Most transactions of one message. */
    public static final int COUNT_MAX = 256;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public TransactionsRequest wrap(MessageBuffer body) {
        buffer = body;
        return this;
    }

    /** Writes the fixed part. */
    public TransactionsRequest set(int nodeId, int count) {
        buffer.putU32(NODE_ID_OFFSET, nodeId);
        buffer.putU32(COUNT_OFFSET, count);
        return this;
    }

    public int nodeId() {
        return buffer.getI32(NODE_ID_OFFSET);
    }

    /** How many ids there are; not more than {@link #COUNT_MAX}, and all inside the body. */
    public int count() {
        long count = buffer.getU32(COUNT_OFFSET);
        if (count > COUNT_MAX) {
            throw new ProtocolException(count + " transactions in one message; " + COUNT_MAX + " are possible");
        }
        buffer.check(FIXED_BYTES, (int) count * Long.BYTES);
        return (int) count;
    }

    public long txnId(int index) {
        return buffer.getU64(FIXED_BYTES + index * Long.BYTES);
    }

    public TransactionsRequest txnId(int index, long value) {
        buffer.putU64(FIXED_BYTES + index * Long.BYTES, value);
        return this;
    }

    /** Bytes of a body with {@code count} ids. */
    public static int bodyBytes(int count) {
        return FIXED_BYTES + count * Long.BYTES;
    }
}
