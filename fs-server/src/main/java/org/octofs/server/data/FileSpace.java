package org.octofs.server.data;

import java.lang.foreign.MemorySegment;
import java.util.function.LongPredicate;
import java.util.function.LongToIntFunction;
import org.octofs.pmem.PoolCorruptException;
import org.octofs.rpc.protocol.BlockEntryLayout;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.server.ServerClock;
import org.octofs.server.ops.FileContents;
import org.octofs.server.space.BlockAllocator;
import org.octofs.server.space.SegmentExchange;
import org.octofs.server.space.ShardSpace;
import org.octofs.server.store.DeferredAction;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.MetaStore;
import org.octofs.server.store.MetaTransaction;

/**
 * The blocks of the files of this home: connects block maps with space, for namespace operations, for recovery and for the
 * work in the background.
 *
 * <p>Threading: confined to the server's worker. Durability: what is released is free when the transaction that cut it off is
 * durable; the bitmaps follow by and by.
 */
public final class FileSpace implements FileContents, BlockMapEditor.Freed {
    /** Map pages freed per step: about 64 MiB of a file. */
    private static final int PAGES_PER_STEP = 64;

    /** Map pages freed at once for a request that would have to be refused for want of space. */
    private static final int PAGES_WHEN_SHORT = 1024;

    private static final int HEIGHT_BITS = 8;
    private static final int BLOCKS_BITS = 40;

    private final MetaStore store;
    private final MetaTransaction tx;
    private final ShardSpace space;
    private final SegmentExchange segments;
    private final BlockMapReader reader;
    private final BlockMapEditor editor;
    private final DetachedTrees trees;
    private final EndingLoans ending;
    private final DeferredAction addTree = this::addTree;
    private LongToIntFunction retry = _ -> 0;
    private ReserveHandler waiting;

    /** @param tx the server's one transaction, used by {@link #doWork} while it is not open */
    public FileSpace(
            MetaStore store, MetaTransaction tx, ShardSpace space, SegmentExchange segments, ServerClock clock) {
        this.store = store;
        this.tx = tx;
        this.space = space;
        this.segments = segments;
        this.reader = new BlockMapReader(store);
        this.editor = new BlockMapEditor(store, reader, this);
        this.trees = new DetachedTrees(store, space::free);
        this.ending = new EndingLoans(tx, space, clock);
    }

    /** Has requests that wait for space tried again with every {@link #doWork}. */
    void retrying(ReserveHandler handler, LongToIntFunction again) {
        waiting = handler;
        retry = again;
    }

    /** Whether a request waits for space, so that its deadline must be looked at. */
    public boolean isWaiting() {
        return waiting != null && waiting.waitingCount() > 0;
    }

    /**
     * After recovery: ends the loans of clients that have no session any more. Their sessions ended, and the server stopped
     * before the blocks were back.
     *
     * @param fence says from which nodes blocks may come back, from now on
     */
    public void endLoansOfOthers(LongPredicate hasSession, LoanFence fence) {
        ending.fence(fence);
        ending.recover(hasSession);
    }

    public BlockMapReader reader() {
        return reader;
    }

    public BlockMapEditor editor() {
        return editor;
    }

    public ShardSpace space() {
        return space;
    }

    public SegmentExchange segments() {
        return segments;
    }

    @Override
    public boolean release(MetaTransaction transaction, InodeRecord inode) {
        editor.begin(transaction, inode, InodeNumber.shard(inode.ino()));
        editor.clear(0, BlockMapLayout.FILE_BLOCKS_MAX);
        editor.end();
        inode.sizeBytes(0);
        return true;
    }

    @Override
    public void blocks(MetaTransaction transaction, int shard, long location, int count) {
        space.freeAfter(transaction, shard, location, count);
    }

    @Override
    public void subtree(MetaTransaction transaction, int shard, long page, int height, long blockCount) {
        assert blockCount >> BLOCKS_BITS == 0 : blockCount;
        transaction.afterCommit(addTree, page, ((long) shard << HEIGHT_BITS | height) << BLOCKS_BITS | blockCount);
    }

    private void addTree(long page, long what) {
        long blockCount = what & ((1L << BLOCKS_BITS) - 1);
        int kind = (int) (what >>> BLOCKS_BITS);
        trees.add(kind >>> HEIGHT_BITS, page, kind & ((1 << HEIGHT_BITS) - 1), blockCount);
    }

    /**
     * Frees more of what was cut off, for somebody who finds no space.
     *
     * @return false if nothing is left to free: there is no space
     */
    boolean freeMore() {
        return trees.step(tx, PAGES_WHEN_SHORT) > 0;
    }

    @Override
    public int doWork(long nowNanos) {
        int done = trees.step(tx, PAGES_PER_STEP);
        done += ending.doWork();
        done += segments.doWork(nowNanos);
        return done + retry.applyAsInt(nowNanos);
    }

    @Override
    public long totalBlocks() {
        return (long) segments.local().segmentCount() * segments.local().segmentBlocks();
    }

    /**
     * Blocks that can be written without anything being deleted: this node's segments that nobody owns, and what the shards
     * of this home have free, on whatever node. Summed over all nodes that is the free space of the cluster.
     */
    @Override
    public long freeBlocks() {
        return (long) segments.local().freeCount() * segments.local().segmentBlocks()
                + space.unreferencedBlocks()
                + trees.pendingBlocks();
    }

    @Override
    public long freeBlocks(int node) {
        boolean here = node == segments.local().nodeId();
        return (here ? (long) segments.local().freeCount() * segments.local().segmentBlocks() : 0)
                + space.unreferencedBlocks(node);
    }

    @Override
    public void clientLeft(long clientId) {
        ending.endNow(clientId);
    }

    @Override
    public void clientGone(long clientId) {
        ending.add(clientId);
    }

    // ------------------------------------------------------------------------------------------------ recovery

    /**
     * Marks blocks and pages of one file.
     *
     * @throws PoolCorruptException if a block or a page belongs to something else already, or lies outside of its zone
     */
    @Override
    public void recover(InodeRecord inode) {
        int shard = InodeNumber.shard(inode.ino());
        if (inode.mapHeight() == 0) {
            markEntries(
                    shard,
                    inode.memory(),
                    inode.base() + InodeLayout.INLINE_OFFSET,
                    InodeLayout.INLINE_ENTRIES,
                    inode.slotOffset());
        } else if (inode.mapHeight() < 0 || inode.mapHeight() > BlockMapLayout.HEIGHT_MAX) {
            throw new PoolCorruptException(
                    "height of the block map of inode " + inode.ino(),
                    inode.slotOffset() + InodeLayout.MAP_HEIGHT_OFFSET,
                    BlockMapLayout.HEIGHT_MAX,
                    inode.mapHeight());
        } else {
            recoverPage(shard, inode.mapRoot(), inode.mapHeight());
        }
    }

    private void recoverPage(int shard, long page, int height) {
        store.recoverReachedPage(page);
        if (height == 1) {
            markEntries(shard, store.memory(), page, BlockMapLayout.LEAF_ENTRIES, page);
            return;
        }
        for (int i = 0; i < BlockMapLayout.NODE_POINTERS; i++) {
            long child = store.readLong(page + (long) i * Long.BYTES);
            if (child != 0) {
                recoverPage(shard, child, height - 1);
            }
        }
    }

    private void markEntries(int shard, MemorySegment memory, long from, int count, long where) {
        BlockAllocator allocator = space.allocator(shard);
        for (int i = 0; i < count; i++) {
            long location = memory.get(MediaWords.LONG, from + (long) i * BlockEntryLayout.SIZE_BYTES);
            if (location == BlockLocation.HOLE) {
                continue;
            }
            if (!space.isNode(location)) {
                throw new PoolCorruptException("node of a mapped block", where, 0, BlockLocation.node(location));
            }
            if (!allocator.markUsed(location, 1)) {
                throw new PoolCorruptException("block mapped twice; its location", where, 0, location);
            }
        }
    }

    @Override
    public void recovered() {
        space.reservations().recover();
        space.reservations().forEach((location, count, clientId, shard) -> {
            BlockAllocator allocator = space.allocator(shard);
            if (allocator == null || !allocator.markUsed(location, count)) {
                throw new PoolCorruptException(
                        "blocks lent to client " + clientId + " are part of a file or of another shard; location",
                        BlockLocation.poolOffset(location),
                        0,
                        location);
            }
        });
        segments.recover();
    }
}
