package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.ProtocolException;

/**
 * Answer of STATFS: this node's part of the space; elements {u64 blocks}, one per node of the cluster: free there, as far as
 * this server knows. A node's own free segments and what all servers have free in segments of it are what is free there.
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class StatfsReply {
    /** u64, blocks of 4 KiB in the data zone. */
    public static final int TOTAL_BLOCKS_OFFSET = 0;

    /** u64, not referenced by any file, as far as this server knows, on all nodes. */
    public static final int FREE_BLOCKS_OFFSET = TOTAL_BLOCKS_OFFSET + Long.BYTES;

    /** u64, upper bound of inodes. */
    public static final int TOTAL_INODES_OFFSET = FREE_BLOCKS_OFFSET + Long.BYTES;

    /** u64, inodes that can still be made. */
    public static final int FREE_INODES_OFFSET = TOTAL_INODES_OFFSET + Long.BYTES;

    /** u32, node. */
    public static final int NODE_ID_OFFSET = FREE_INODES_OFFSET + Long.BYTES;

    /** u32, elements of nodes. */
    public static final int NODES_COUNT_OFFSET = NODE_ID_OFFSET + Integer.BYTES;

    /** Bytes of the fixed part. */
    public static final int FIXED_BYTES = NODES_COUNT_OFFSET + Integer.BYTES;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public StatfsReply wrap(MessageBuffer body) {
        this.buffer = body;
        return this;
    }

    /** Blocks of 4 KiB in the data zone. */
    public long totalBlocks() {
        return buffer.getU64(TOTAL_BLOCKS_OFFSET);
    }

    /** Sets blocks of 4 KiB in the data zone. */
    public StatfsReply totalBlocks(long value) {
        buffer.putU64(TOTAL_BLOCKS_OFFSET, value);
        return this;
    }

    /** Not referenced by any file. */
    public long freeBlocks() {
        return buffer.getU64(FREE_BLOCKS_OFFSET);
    }

    /** Sets not referenced by any file. */
    public StatfsReply freeBlocks(long value) {
        buffer.putU64(FREE_BLOCKS_OFFSET, value);
        return this;
    }

    /** Upper bound of inodes. */
    public long totalInodes() {
        return buffer.getU64(TOTAL_INODES_OFFSET);
    }

    /** Sets upper bound of inodes. */
    public StatfsReply totalInodes(long value) {
        buffer.putU64(TOTAL_INODES_OFFSET, value);
        return this;
    }

    /** Inodes that can still be made. */
    public long freeInodes() {
        return buffer.getU64(FREE_INODES_OFFSET);
    }

    /** Sets inodes that can still be made. */
    public StatfsReply freeInodes(long value) {
        buffer.putU64(FREE_INODES_OFFSET, value);
        return this;
    }

    /** Node. */
    public int nodeId() {
        return buffer.getI32(NODE_ID_OFFSET);
    }

    /** Sets node. */
    public StatfsReply nodeId(int value) {
        buffer.putU32(NODE_ID_OFFSET, value);
        return this;
    }

    /** Elements of nodes. */
    public int nodesCount() {
        return buffer.getI32(NODES_COUNT_OFFSET);
    }

    /** Sets the number of nodes; the elements are written in place. */
    public StatfsReply nodesCount(int count) {
        buffer.putU32(NODES_COUNT_OFFSET, count);
        return this;
    }

    /** Where element {@code index} of nodes is in the body; checked against the body's limit. */
    public int nodes(int index) {
        int offset = FIXED_BYTES + index * Long.BYTES;
        if (index < 0 || offset + Long.BYTES > buffer.lengthBytes()) {
            throw new ProtocolException(
                    "StatfsReply.nodes: element " + index + " outside a body of " + buffer.lengthBytes());
        }
        return offset;
    }

    /** Bytes of the whole body as set so far. */
    public int bodyBytes() {
        return FIXED_BYTES + nodesCount() * Long.BYTES;
    }
}
