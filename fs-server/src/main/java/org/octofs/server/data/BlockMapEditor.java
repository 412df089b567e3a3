package org.octofs.server.data;

import static org.octofs.server.data.BlockMapLayout.capacityBlocks;
import static org.octofs.server.data.BlockMapLayout.entryIndex;
import static org.octofs.server.data.BlockMapLayout.heightFor;
import static org.octofs.server.data.BlockMapLayout.pointerIndex;
import static org.octofs.server.data.BlockMapReader.entryOffset;

import java.lang.foreign.MemorySegment;
import org.agrona.collections.Long2LongHashMap;
import org.agrona.collections.LongArrayList;
import org.octofs.pmem.medium.PmemMedium;
import org.octofs.rpc.protocol.BlockEntryLayout;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.MetaStore;
import org.octofs.server.store.MetaTransaction;

/**
 * Stages changes of one file's block map into a transaction.
 *
 * <p>A page that nobody can reach yet is written directly and flushed by {@link #end}; the transaction fences before it appends
 * the record that links it. Words of reachable pages are staged, and therefore a pointer that this transaction changed is looked up
 * in a small table first. A subtree that loses its last block is cut off whole, by one word, and reported; whoever gets it
 * frees its pages and blocks by and by. Should the server stop before that is done, nothing is lost: recovery cannot reach
 * the subtree, so it is free.
 *
 * <p>Ranges must be given in the order of the file and must not overlap, since entries that were staged are not read back.
 *
 * <p>Threading: confined to the server's worker; one edit at a time. Durability: none before the transaction's commit.
 * Allocates nothing in steady state.
 */
public final class BlockMapEditor {
    private static final long ABSENT = -1;

    /** In place of a leaf: the entries in the inode. */
    private static final long INLINE = -1;

    /** Takes what an edit makes free. Nothing may be reused before the transaction is durable and visible. */
    public interface Freed {
        /** A run of blocks; the location carries no flags. */
        void blocks(MetaTransaction tx, int shard, long location, int count);

        /** A subtree with {@code blockCount} blocks in its leaves. */
        void subtree(MetaTransaction tx, int shard, long page, int height, long blockCount);
    }

    private final MetaStore store;
    private final PmemMedium medium;
    private final BlockMapReader reader;
    private final Freed freed;
    private final Long2LongHashMap stagedPointers = new Long2LongHashMap(ABSENT);
    private final Long2LongHashMap freshPages = new Long2LongHashMap(ABSENT);
    private final LongArrayList freshList = new LongArrayList();
    private final MemorySegment scratch = MemorySegment.ofArray(new byte[BlockMapLayout.PAGE_BYTES]);
    private final MemorySegment zeros =
            MemorySegment.ofArray(new byte[BlockMapLayout.PAGE_BYTES]).asReadOnly();

    private MetaTransaction tx;
    private InodeRecord inode;
    private int shard;
    private long blocks;
    private long runLocation;
    private int runCount;

    public BlockMapEditor(MetaStore store, BlockMapReader reader, Freed freed) {
        this.store = store;
        this.medium = store.medium();
        this.reader = reader;
        this.freed = freed;
    }

    /**
     * Begins to edit.
     *
     * @param staged the inode's staged image in {@code tx}; its map fields and block count change
     * @param shard shard of the inode, handed on to {@link Freed}
     */
    public void begin(MetaTransaction tx, InodeRecord staged, int shard) {
        this.tx = tx;
        this.inode = staged;
        this.shard = shard;
        blocks = staged.blocks();
        runCount = 0;
        stagedPointers.clear();
        freshPages.clear();
        freshList.clear();
    }

    /**
     * Maps consecutive blocks.
     *
     * @param location of the first one, with flags
     * @param checksums message with a u32 per block from {@code checksumsAt} on; null for checksums of 0
     * @throws org.octofs.pmem.PoolFullException if there is no page for the map: abort the transaction
     */
    public void set(long fileBlock, long location, int count, MessageBuffer checksums, int checksumsAt) {
        grow(fileBlock + count - 1);
        for (int done = 0; done < count; ) {
            long at = fileBlock + done;
            int index = entryIndex(at);
            int part = Math.min(count - done, BlockMapLayout.LEAF_ENTRIES - index);
            for (int i = 0; i < part; i++) {
                int checksum = checksums == null ? 0 : checksums.getI32(checksumsAt + (done + i) * Integer.BYTES);
                putEntry(i, location + done + i, checksum);
            }
            if (inode.mapHeight() == 0) {
                replaceEntries(inode.memory(), inode.base() + entryOffset(InodeLayout.INLINE_OFFSET, index), part);
                storeEntries(INLINE, index, part);
            } else {
                long leaf = leafForWrite(at);
                replaceEntries(store.memory(), entryOffset(leaf, index), part);
                storeEntries(leaf, index, part);
            }
            blocks += part;
            done += part;
        }
    }

    /** Makes [fromBlock, endBlock) a hole. */
    public void clear(long fromBlock, long endBlock) {
        int height = inode.mapHeight();
        long covered = capacityBlocks(height);
        long end = Math.min(endBlock, covered);
        if (fromBlock >= end) {
            return;
        }
        if (height == 0) {
            int count = (int) (end - fromBlock);
            long from = inode.base() + entryOffset(InodeLayout.INLINE_OFFSET, (int) fromBlock);
            replaceEntries(inode.memory(), from, count);
            MemorySegment.copy(zeros, 0, inode.memory(), from, (long) count * BlockEntryLayout.SIZE_BYTES);
        } else if (fromBlock == 0 && end == Math.min(covered, BlockMapLayout.FILE_BLOCKS_MAX)) {
            detach(inode.mapRoot(), height, blocks);
            inode.mapRoot(0).mapHeight(0);
        } else {
            clearBelow(inode.mapRoot(), height, 0, fromBlock, end);
        }
    }

    /** Makes the blocks of [fromBlock, endBlock) read as zeros; they stay where they are, and holes stay holes. */
    public void unwrite(long fromBlock, long endBlock) {
        int height = inode.mapHeight();
        long end = Math.min(endBlock, capacityBlocks(height));
        for (long block = fromBlock; block < end; ) {
            int index = entryIndex(block);
            int part = (int) Math.min(end - block, BlockMapLayout.LEAF_ENTRIES - index);
            long leaf = height == 0 ? INLINE : leafOf(block);
            if (leaf != 0) {
                unwriteEntries(leaf, index, index + part);
            }
            block += part;
        }
    }

    /** Ends the edit: the inode's image is complete, new pages are flushed (not fenced). */
    public void end() {
        endRun();
        inode.blocks(blocks);
        for (int i = 0; i < freshList.size(); i++) {
            medium.flush(freshList.getLong(i), BlockMapLayout.PAGE_BYTES);
        }
        tx = null;
        inode = null;
    }

    private void grow(long lastBlock) {
        int height = inode.mapHeight();
        int needed = heightFor(lastBlock);
        if (height >= needed) {
            return;
        }
        long root = inode.mapRoot();
        if (height == 0) {
            root = newPage();
            MemorySegment image = inode.memory();
            long inline = inode.base() + InodeLayout.INLINE_OFFSET;
            if (image.asSlice(inline, InodeLayout.INLINE_BYTES).mismatch(zeros.asSlice(0, InodeLayout.INLINE_BYTES))
                    < 0) {
                // Nothing to take along: an empty page serves at any height.
                height = needed;
            } else {
                medium.copy(root, image, inline, InodeLayout.INLINE_BYTES);
                MemorySegment.copy(zeros, 0, image, inline, InodeLayout.INLINE_BYTES);
                height = 1;
            }
        }
        while (height < needed) {
            long node = newPage();
            medium.putLong(node, root);
            root = node;
            height++;
        }
        inode.mapRoot(root).mapHeight(height);
    }

    private long leafForWrite(long fileBlock) {
        long page = inode.mapRoot();
        for (int height = inode.mapHeight(); height > 1; height--) {
            long at = page + (long) pointerIndex(fileBlock, height) * Long.BYTES;
            long child = pointer(at);
            if (child == 0) {
                child = newPage();
                if (isFresh(page)) {
                    medium.putLong(at, child);
                } else {
                    tx.updateLong(at, child);
                    stagedPointers.put(at, child);
                }
            }
            page = child;
        }
        return page;
    }

    /** The leaf for a block, 0 if there is none. */
    private long leafOf(long fileBlock) {
        long page = inode.mapRoot();
        for (int height = inode.mapHeight(); height > 1 && page != 0; height--) {
            page = pointer(page + (long) pointerIndex(fileBlock, height) * Long.BYTES);
        }
        return page;
    }

    private void unwriteEntries(long leaf, int from, int end) {
        MemorySegment memory = leaf == INLINE ? inode.memory() : store.memory();
        long entries = leaf == INLINE ? inode.base() + InodeLayout.INLINE_OFFSET : leaf;
        while (from < end && !isWritten(memory, entryOffset(entries, from))) {
            from++;
        }
        while (from < end && !isWritten(memory, entryOffset(entries, end - 1))) {
            end--;
        }
        for (int i = from; i < end; i++) {
            long old = memory.get(MediaWords.LONG, entryOffset(entries, i));
            putEntry(i - from, old == BlockLocation.HOLE ? old : old | BlockLocation.UNWRITTEN, 0);
        }
        if (from < end) {
            storeEntries(leaf, from, end - from);
        }
    }

    private static boolean isWritten(MemorySegment memory, long at) {
        long location = memory.get(MediaWords.LONG, at);
        return location != BlockLocation.HOLE && !BlockLocation.isUnwritten(location);
    }

    private void putEntry(int index, long location, int checksum) {
        long at = entryOffset(0, index);
        scratch.set(MediaWords.LONG, at, location);
        scratch.set(MediaWords.LONG, at + BlockEntryLayout.CHECKSUM_OFFSET, checksum & 0xFFFF_FFFFL);
    }

    /** Replaces entries by the first ones of the scratch page. */
    private void storeEntries(long leaf, int index, int count) {
        int lengthBytes = count * BlockEntryLayout.SIZE_BYTES;
        if (leaf == INLINE) {
            long to = inode.base() + entryOffset(InodeLayout.INLINE_OFFSET, index);
            MemorySegment.copy(scratch, 0, inode.memory(), to, lengthBytes);
        } else if (isFresh(leaf)) {
            medium.copy(entryOffset(leaf, index), scratch, 0, lengthBytes);
        } else {
            tx.update(entryOffset(leaf, index), scratch, 0, lengthBytes);
        }
    }

    private void clearBelow(long page, int height, long base, long from, long end) {
        if (height == 1) {
            clearLeaf(page, (int) Math.max(0, from - base), (int) Math.min(BlockMapLayout.LEAF_ENTRIES, end - base));
            return;
        }
        long span = capacityBlocks(height - 1);
        int firstCut = -1;
        int lastCut = -1;
        int first = (int) (Math.max(0, from - base) / span);
        int last = (int) ((Math.min(capacityBlocks(height), end - base) - 1) / span);
        for (int i = first; i <= last; i++) {
            long at = page + (long) i * Long.BYTES;
            long child = pointer(at);
            long childBase = base + i * span;
            if (child == 0) {
                continue;
            }
            if (from <= childBase && childBase + span <= end) {
                long lost = reader.countBlocks(child, height - 1);
                detach(child, height - 1, lost);
                stagedPointers.put(at, 0);
                firstCut = firstCut < 0 ? i : firstCut;
                lastCut = i;
            } else {
                clearBelow(child, height - 1, childBase, from, end);
            }
        }
        if (firstCut >= 0) {
            stageZeros(page, page + (long) firstCut * Long.BYTES, (lastCut - firstCut + 1) * Long.BYTES);
        }
    }

    private void clearLeaf(long leaf, int from, int end) {
        MemorySegment memory = store.memory();
        while (from < end && memory.get(MediaWords.LONG, entryOffset(leaf, from)) == 0) {
            from++;
        }
        while (from < end && memory.get(MediaWords.LONG, entryOffset(leaf, end - 1)) == 0) {
            end--;
        }
        if (from < end) {
            replaceEntries(memory, entryOffset(leaf, from), end - from);
            stageZeros(leaf, entryOffset(leaf, from), (end - from) * BlockEntryLayout.SIZE_BYTES);
        }
    }

    private void stageZeros(long page, long poolOffset, int lengthBytes) {
        if (isFresh(page)) {
            medium.fill(poolOffset, lengthBytes, (byte) 0);
        } else {
            tx.update(poolOffset, zeros, 0, lengthBytes);
        }
    }

    private void detach(long page, int height, long blockCount) {
        freed.subtree(tx, shard, page, height, blockCount);
        blocks -= blockCount;
    }

    /** Reports the blocks of entries that are about to go. */
    private void replaceEntries(MemorySegment memory, long from, int count) {
        for (int i = 0; i < count; i++) {
            long old = memory.get(MediaWords.LONG, from + (long) i * BlockEntryLayout.SIZE_BYTES);
            if (old != BlockLocation.HOLE) {
                addToRun(BlockLocation.withoutFlags(old));
                blocks--;
            }
        }
    }

    private void addToRun(long location) {
        if (runCount > 0 && location == runLocation + runCount) {
            runCount++;
            return;
        }
        endRun();
        runLocation = location;
        runCount = 1;
    }

    private void endRun() {
        if (runCount > 0) {
            freed.blocks(tx, shard, runLocation, runCount);
            runCount = 0;
        }
    }

    private long pointer(long at) {
        long staged = stagedPointers.get(at);
        return staged == ABSENT ? store.readLong(at) : staged;
    }

    private boolean isFresh(long page) {
        return freshPages.containsKey(page);
    }

    private long newPage() {
        long page = tx.allocatePage();
        medium.fill(page, BlockMapLayout.PAGE_BYTES, (byte) 0);
        freshPages.put(page, page);
        freshList.addLong(page);
        return page;
    }
}
