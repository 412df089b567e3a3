package org.octofs.server.space;

import org.octofs.pmem.PoolCorruptException;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.server.store.DeferredAction;
import org.octofs.server.store.MetaTransaction;

/**
 * The space of all shards that this server is home of: lends blocks, takes them back, counts them.
 *
 * <p>A shard's blocks come from its own segments. Where a node has few free segments left, shards of one home help each other out
 * with blocks of their partly filled segments, so that a full pool is full: such a block belongs to a file of one shard and lies in a
 * segment of another, whose allocator keeps book of it.
 *
 * <p>Threading: confined to the server's worker. Durability: the bitmaps have none; what is lent is in the reservation table,
 * with the caller's transaction. Limits: blocks are handed out in runs of at most 256.
 */
public final class ShardSpace {
    /** Most runs that one request gets. */
    public static final int RUNS_MAX = 256;

    /** Most blocks that one request gets: 16 MiB. */
    public static final int BLOCKS_MAX = 4096;

    /** Takes the runs that were lent. */
    @FunctionalInterface
    public interface RunSink {
        void run(long location, int count);
    }

    private final BlockAllocator[] allocators;
    private final ReservationTable reservations;
    private final int nodeId;
    private final int nodeCount;
    private final DeferredAction freeRun =
            (location, shardAndCount) -> free((int) (shardAndCount >>> 32), location, (int) shardAndCount);
    private SegmentSource segments;
    private int lastCount;

    public ShardSpace(ClusterMap map, int nodeId, ReservationTable reservations) {
        this.nodeId = nodeId;
        this.nodeCount = map.nodeCount();
        this.reservations = reservations;
        this.allocators = new BlockAllocator[map.shardCount()];
        for (int shard = 0; shard < allocators.length; shard++) {
            if (map.homeOf(shard) == nodeId) {
                allocators[shard] = new BlockAllocator();
            }
        }
    }

    /** Completes the wiring. */
    public void segments(SegmentSource source) {
        segments = source;
    }

    /** The allocator of a shard, null if this server is not its home. */
    public BlockAllocator allocator(int shard) {
        return shard < allocators.length ? allocators[shard] : null;
    }

    public int shardCount() {
        return allocators.length;
    }

    public ReservationTable reservations() {
        return reservations;
    }

    /**
     * Lends blocks for a range of a file, as far as there are any.
     *
     * @param firstBlock file block that the first one is meant for; the stripe placement follows from it
     * @param wantBlocks blocks wanted; fewer may be lent
     * @param sink gets at most {@link #RUNS_MAX} runs
     * @return blocks lent; 0 if there is none, or the reservation table is full
     */
    public int lend(
            MetaTransaction tx, long ino, long firstBlock, int wantBlocks, long clientId, long tag, RunSink sink) {
        int shard = InodeNumber.shard(ino);
        int want = Math.min(Math.min(wantBlocks, BLOCKS_MAX), reservations.lendable());
        int lent = 0;
        for (int runs = 0; lent < want && runs < RUNS_MAX; runs++) {
            long at = firstBlock + lent;
            int node = StripePlacement.node(ino, at, nodeId, nodeCount);
            long location = allocate(shard, node, Math.min(want - lent, StripePlacement.blocksToUnitEnd(at)));
            if (location == 0) {
                break;
            }
            int count = lastCount;
            tx.afterAbort(freeRun, location, (long) shard << 32 | count);
            reservations.lend(tx, location, count, clientId, tag);
            sink.run(location, count);
            lent += count;
        }
        return lent;
    }

    /** Frees blocks of a shard once the transaction is durable and visible. */
    public void freeAfter(MetaTransaction tx, int shard, long location, int count) {
        tx.afterCommit(freeRun, location, (long) shard << 32 | count);
    }

    /** Frees blocks that nothing on media references. */
    public void free(int shard, long location, int count) {
        long at = BlockLocation.withoutFlags(location);
        for (long end = at + count; at < end; ) {
            int part = (int) Math.min(end - at, BlockAllocator.MAX_RUN_BLOCKS - at % BlockAllocator.MAX_RUN_BLOCKS);
            keeperOf(shard, at).free(at, part);
            at += part;
        }
    }

    /** Who keeps book of a block in use: its shard's allocator, or that of a shard that has helped out. */
    private BlockAllocator keeperOf(int shard, long location) {
        if (!allocators[shard].isBusy(location)) {
            for (BlockAllocator other : allocators) {
                if (other != null && other.isBusy(location)) {
                    return other;
                }
            }
        }
        return allocators[shard];
    }

    /**
     * A node says that a shard of this home owns a segment; if that is known already, nothing changes.
     *
     * @throws PoolCorruptException if two files have the same block of it
     */
    public void addSegment(int shard, long location, int blockCount) {
        BlockAllocator owner = allocators[shard];
        if (owner.hasSegment(location)) {
            return;
        }
        owner.addSegment(location, blockCount);
        for (BlockAllocator other : allocators) {
            // Recovery has met blocks of it in files of other shards before it knew whose segment this is.
            if (other != null && other != owner && !other.handOver(location, blockCount, owner)) {
                throw new PoolCorruptException("block mapped twice; its segment", location, shard, location);
            }
        }
    }

    /** Free blocks in all segments of all shards here, and blocks that are lent: no file references either. */
    public long unreferencedBlocks() {
        long sum = reservations.lentBlocks();
        for (BlockAllocator allocator : allocators) {
            sum += allocator == null ? 0 : allocator.freeBlocks();
        }
        return sum;
    }

    /** Those of one node. */
    public long unreferencedBlocks(int node) {
        long sum = reservations.lentBlocks(node);
        for (BlockAllocator allocator : allocators) {
            sum += allocator == null ? 0 : allocator.freeBlocks(node);
        }
        return sum;
    }

    /** Location of a run of blocks, on {@code node} if possible; 0 if there are none now. */
    private long allocate(int shard, int node, int want) {
        BlockAllocator allocator = allocators[shard];
        long location = allocateOn(allocator, shard, node, want);
        if (location == 0 && node != nodeId) {
            location = allocateOn(allocator, shard, nodeId, want);
        }
        for (int other = 0; location == 0 && other < nodeCount; other++) {
            if (other != node && other != nodeId) {
                location = allocateOn(allocator, shard, other, want);
            }
        }
        for (int any = 0; location == 0 && any < nodeCount; any++) {
            location = borrow(allocator, any, want);
        }
        return location;
    }

    private long allocateOn(BlockAllocator allocator, int shard, int node, int want) {
        long location = take(allocator, node, want);
        if (location == 0 && segments.isScarce(node)) {
            location = borrow(allocator, node, want);
            if (location != 0) {
                return location;
            }
        }
        if (location == 0) {
            return segments.ask(node, shard) == SegmentSource.Answer.ADDED ? take(allocator, node, want) : 0;
        }
        if (node != nodeId && allocator.freeBlocks(node) < segments.aheadBlocks(node)) {
            // Another node's answer takes a while: ask before it is needed.
            segments.ask(node, shard);
        }
        return location;
    }

    private long take(BlockAllocator allocator, int node, int want) {
        long location = allocator.allocate(node, want);
        lastCount = location == 0 ? 0 : allocator.lastCount();
        return location;
    }

    /** Blocks of another shard of this home. */
    private long borrow(BlockAllocator allocator, int node, int want) {
        for (BlockAllocator other : allocators) {
            long location = other == null || other == allocator ? 0 : take(other, node, want);
            if (location != 0) {
                return location;
            }
        }
        return 0;
    }

    /** Whether a segment is on its way that a request of this shard could wait for. */
    public boolean isPending(int shard) {
        return segments.isPending(shard);
    }

    /** Whether a location lies on a node of the cluster. */
    public boolean isNode(long location) {
        return BlockLocation.node(location) < nodeCount;
    }
}
