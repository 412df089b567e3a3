package org.octofs.rpc.protocol;

/**
 * Where a 4 KiB block is: {flags:8 | node:16 | block:40} in a u64. {@code block} is the pool offset divided by the block
 * size, never 0 for data (a pool begins with its superblock), so that the value 0 means hole.
 */
public final class BlockLocation {
    /** Bytes of a block, the grain of allocation and of checksums. */
    public static final int BLOCK_BYTES = 4096;

    /** log2 of {@link #BLOCK_BYTES}. */
    public static final int BLOCK_SHIFT = 12;

    /** No block: reads as zeros. */
    public static final long HOLE = 0L;

    /** The block is allocated and reads as zeros (fallocate). */
    public static final long UNWRITTEN = 1L << 56;

    private static final int NODE_SHIFT = 40;
    private static final long BLOCK_MASK = (1L << NODE_SHIFT) - 1;

    private BlockLocation() {}

    /** The location of {@code block} of {@code node}, no flags. */
    public static long of(int node, long block) {
        assert node >= 0 && node <= 0xFFFF && block > 0 && block <= BLOCK_MASK : node + "/" + block;
        return ((long) node << NODE_SHIFT) | block;
    }

    /** The node of a location that is not a hole. */
    public static int node(long location) {
        return (int) (location >>> NODE_SHIFT) & 0xFFFF;
    }

    /** The block within the node's pool. */
    public static long block(long location) {
        return location & BLOCK_MASK;
    }

    /** Byte offset in the node's pool. */
    public static long poolOffset(long location) {
        return block(location) << BLOCK_SHIFT;
    }

    /** Whether the block was allocated but never written. */
    public static boolean isUnwritten(long location) {
        return (location & UNWRITTEN) != 0;
    }

    /** The location without its flags. */
    public static long withoutFlags(long location) {
        return location & ((1L << 56) - 1);
    }

    /** Readable form for messages. */
    public static String toString(long location) {
        return location == HOLE
                ? "hole"
                : "node " + node(location) + " block " + block(location) + (isUnwritten(location) ? " unwritten" : "");
    }
}
