package org.octofs.server.data;

import org.octofs.rpc.protocol.BlockEntryLayout;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.InodeLayout;

/**
 * Shape of a file's block map: a radix tree over file blocks, in pages of the METADATA zone. Little-endian.
 *
 * <pre>
 * height 0: six entries in the inode.
 * height 1: MAP_ROOT is a leaf:  256 x {@link BlockEntryLayout}, 16 bytes each.
 * height n: MAP_ROOT is a node:  512 x u64, pool offset of a page of height n - 1, or 0 for a hole.
 * </pre>
 *
 * A page of the tree is written directly while nobody can reach it; from then on its words change only inside a redo-log
 * record. A word has no checksum of its own; the blocks have, in their entries.
 */
public final class BlockMapLayout {
    /** Bytes of a leaf and of a node. */
    public static final int PAGE_BYTES = 4096;

    /** Entries of a leaf: 1 MiB of the file. */
    public static final int LEAF_ENTRIES = PAGE_BYTES / BlockEntryLayout.SIZE_BYTES;

    /** Pointers of a node. */
    public static final int NODE_POINTERS = PAGE_BYTES / Long.BYTES;

    /** Blocks of the largest file: sizes end at 2^63 - 1. */
    public static final long FILE_BLOCKS_MAX = 1L << (Long.SIZE - 1 - BlockLocation.BLOCK_SHIFT);

    /** Height of the tree of the largest file. */
    public static final int HEIGHT_MAX = 6;

    private static final int LEAF_SHIFT = 8;
    private static final int NODE_SHIFT = 9;

    private BlockMapLayout() {}

    /** File blocks that a map of {@code height} covers. */
    static long capacityBlocks(int height) {
        return height == 0 ? InodeLayout.INLINE_ENTRIES : 1L << (LEAF_SHIFT + NODE_SHIFT * (height - 1));
    }

    /** Least height that covers {@code fileBlock}. */
    static int heightFor(long fileBlock) {
        int height = 0;
        while (fileBlock >= capacityBlocks(height)) {
            height++;
        }
        return height;
    }

    /** Index of the pointer to {@code fileBlock} in a node of {@code height}, 2 or more. */
    static int pointerIndex(long fileBlock, int height) {
        return (int) (fileBlock >>> (LEAF_SHIFT + NODE_SHIFT * (height - 2))) & (NODE_POINTERS - 1);
    }

    /** Index of the entry of {@code fileBlock} in its leaf. */
    static int entryIndex(long fileBlock) {
        return (int) fileBlock & (LEAF_ENTRIES - 1);
    }

    /** Blocks that hold {@code sizeBytes} bytes. */
    static long blocksFor(long sizeBytes) {
        return (sizeBytes >>> BlockLocation.BLOCK_SHIFT) + ((sizeBytes & (BlockLocation.BLOCK_BYTES - 1)) == 0 ? 0 : 1);
    }
}
