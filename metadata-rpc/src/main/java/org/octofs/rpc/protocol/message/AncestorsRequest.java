package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.MessageBuffer;

/**
 * ANCESTORS, between servers: walk from a directory towards the root as far as the directories are at this server.
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class AncestorsRequest {
    /** u64, the transaction that asks: its own locks do not stop the walk. */
    public static final int TXN_ID_OFFSET = 0;

    /** u64, directory to begin with; it is itself part of the walk. */
    public static final int FROM_OFFSET = TXN_ID_OFFSET + Long.BYTES;

    /** u64, directory that is looked for. */
    public static final int SOUGHT_OFFSET = FROM_OFFSET + Long.BYTES;

    /** Bytes of the body. */
    public static final int FIXED_BYTES = SOUGHT_OFFSET + Long.BYTES;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public AncestorsRequest wrap(MessageBuffer body) {
        buffer = body;
        return this;
    }

    /** Writes the body. */
    public AncestorsRequest set(long txnId, long from, long sought) {
        buffer.putU64(TXN_ID_OFFSET, txnId);
        buffer.putU64(FROM_OFFSET, from);
        buffer.putU64(SOUGHT_OFFSET, sought);
        return this;
    }

    public long txnId() {
        return buffer.getU64(TXN_ID_OFFSET);
    }

    public long from() {
        return buffer.getU64(FROM_OFFSET);
    }

    public long sought() {
        return buffer.getU64(SOUGHT_OFFSET);
    }
}
