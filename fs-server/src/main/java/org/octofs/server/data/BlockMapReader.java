package org.octofs.server.data;

import static org.octofs.server.data.BlockMapLayout.capacityBlocks;
import static org.octofs.server.data.BlockMapLayout.entryIndex;
import static org.octofs.server.data.BlockMapLayout.pointerIndex;

import java.lang.foreign.MemorySegment;
import org.octofs.rpc.protocol.BlockEntryLayout;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.MetaStore;

/**
 * Reads block maps where they are, in persistent memory. The inode's image may be the one in the pool or a staged one; what
 * a transaction has staged below the root is not seen.
 *
 * <p>Threading: confined to the server's worker. Allocates nothing.
 */
public final class BlockMapReader {
    private final MetaStore store;

    public BlockMapReader(MetaStore store) {
        this.store = store;
    }

    /** Location of a file block, with its flags; 0 = hole. */
    public long location(InodeRecord inode, long fileBlock) {
        int height = inode.mapHeight();
        if (fileBlock >= capacityBlocks(height)) {
            return BlockLocation.HOLE;
        }
        if (height == 0) {
            return inode.getLong(InodeLayout.INLINE_OFFSET + (int) fileBlock * BlockEntryLayout.SIZE_BYTES);
        }
        long leaf = leaf(inode, fileBlock);
        return leaf == 0 ? BlockLocation.HOLE : store.readLong(entryOffset(leaf, entryIndex(fileBlock)));
    }

    /**
     * Copies entries, holes included.
     *
     * @param blockCount most entries to copy
     * @param target gets {@link BlockEntryLayout} after {@link BlockEntryLayout} from {@code at} on
     * @return entries copied; less than asked only at the end of what the map's height covers
     */
    public int read(InodeRecord inode, long firstBlock, int blockCount, MessageBuffer target, int at) {
        int height = inode.mapHeight();
        long covered = capacityBlocks(height);
        int count = (int) Math.min(blockCount, Math.max(0, covered - firstBlock));
        target.check(at, count * BlockEntryLayout.SIZE_BYTES);
        for (int done = 0; done < count; ) {
            long fileBlock = firstBlock + done;
            int part = Math.min(count - done, BlockMapLayout.LEAF_ENTRIES - entryIndex(fileBlock));
            int to = at + done * BlockEntryLayout.SIZE_BYTES;
            int lengthBytes = part * BlockEntryLayout.SIZE_BYTES;
            if (height == 0) {
                long from = inode.base() + InodeLayout.INLINE_OFFSET + fileBlock * BlockEntryLayout.SIZE_BYTES;
                target.putBytes(to, inode.memory(), from, lengthBytes);
            } else {
                long leaf = leaf(inode, fileBlock);
                if (leaf == 0) {
                    target.zero(to, lengthBytes);
                } else {
                    target.putBytes(to, store.memory(), entryOffset(leaf, entryIndex(fileBlock)), lengthBytes);
                }
            }
            done += part;
        }
        return count;
    }

    /**
     * Where the map goes on: a block from {@code from} on before which there are only holes; the first of a leaf unless it is
     * {@code from} itself. Skips a hole of any size by looking at one page for each level of the map.
     *
     * @return -1 if there are only holes
     */
    public long nextMapped(InodeRecord inode, long from) {
        int height = inode.mapHeight();
        if (from >= capacityBlocks(height)) {
            return -1;
        }
        return height == 0 ? from : nextMapped(inode.mapRoot(), height, from);
    }

    /** As above, with blocks counted from the first one that the page covers. */
    private long nextMapped(long page, int height, long from) {
        if (height == 1) {
            return from;
        }
        long childBlocks = capacityBlocks(height - 1);
        long within = from % childBlocks;
        for (int i = (int) (from / childBlocks); i < BlockMapLayout.NODE_POINTERS; i++) {
            long child = store.readLong(page + (long) i * Long.BYTES);
            long found = child == 0 ? -1 : nextMapped(child, height - 1, within);
            if (found >= 0) {
                return i * childBlocks + found;
            }
            within = 0;
        }
        return -1;
    }

    /** Allocated blocks below a page of the map. Reads all its leaves: 4 KiB for every MiB of data. */
    long countBlocks(long page, int height) {
        long count = 0;
        MemorySegment memory = store.memory();
        if (height == 1) {
            for (int i = 0; i < BlockMapLayout.LEAF_ENTRIES; i++) {
                count += memory.get(MediaWords.LONG, entryOffset(page, i)) == BlockLocation.HOLE ? 0 : 1;
            }
            return count;
        }
        for (int i = 0; i < BlockMapLayout.NODE_POINTERS; i++) {
            long child = memory.get(MediaWords.LONG, page + (long) i * Long.BYTES);
            count += child == 0 ? 0 : countBlocks(child, height - 1);
        }
        return count;
    }

    /** The leaf of a block that the map's height (1 or more) covers, 0 = none. */
    private long leaf(InodeRecord inode, long fileBlock) {
        long page = inode.mapRoot();
        for (int height = inode.mapHeight(); height > 1 && page != 0; height--) {
            page = store.readLong(page + (long) pointerIndex(fileBlock, height) * Long.BYTES);
        }
        return page;
    }

    static long entryOffset(long leaf, int index) {
        return leaf + (long) index * BlockEntryLayout.SIZE_BYTES;
    }
}
