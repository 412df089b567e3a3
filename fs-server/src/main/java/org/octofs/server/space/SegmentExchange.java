package org.octofs.server.space;

import java.util.function.LongSupplier;
import org.octofs.rpc.cluster.ClusterMap;

/**
 * Moves segments between nodes and shards: takes from this node's table at once, from other nodes by calls, gives to the
 * shards of other homes, and brings empty segments back after a while.
 *
 * <p>Threading: confined to the server's worker. Durability: see {@link LocalSegments}; an allocator has a segment only after
 * its table says so durably, and gives it up before the table does.
 */
public final class SegmentExchange implements SegmentSource {
    /** How often empty segments are looked for. */
    private static final long SWEEP_NANOS = 1_000_000_000L;

    private static final int AHEAD_BLOCKS_PLENTY = 1024;
    private static final int AHEAD_BLOCKS_FEW = 128;

    private final ShardSpace space;
    private final LocalSegments local;
    private final ClusterMap map;
    private final int nodeId;
    private final RemoteSegments[] remotes;

    /** Empty segments of shard * nodeCount + node at the last sweep: as many as still are at the next one go. */
    private final int[] emptyBefore;

    private long nextSweepNanos;

    public SegmentExchange(
            ShardSpace space, LocalSegments local, ClusterMap map, int nodeId, SegmentPeers peers, LongSupplier clock) {
        this.space = space;
        this.local = local;
        this.map = map;
        this.nodeId = nodeId;
        this.remotes = new RemoteSegments[map.nodeCount()];
        this.emptyBefore = new int[map.shardCount() * map.nodeCount()];
        int anyShard = 0;
        while (anyShard < map.shardCount() && map.homeOf(anyShard) != nodeId) {
            anyShard++;
        }
        for (int node = 0; node < remotes.length && anyShard < map.shardCount(); node++) {
            if (node != nodeId) {
                remotes[node] = new RemoteSegments(node, anyShard, space, peers, clock);
            }
        }
        nextSweepNanos = clock.getAsLong() + SWEEP_NANOS;
        space.segments(this);
    }

    /** Recovery: adds the segments of this node that shards of this home own. */
    public void recover() {
        for (int index = 0; index < local.segmentCount(); index++) {
            int shard = local.ownerOf(index);
            if (shard >= 0 && space.allocator(shard) != null) {
                space.addSegment(shard, local.location(index), local.segmentBlocks());
            }
        }
    }

    @Override
    public Answer ask(int node, int shard) {
        if (node != nodeId) {
            return remotes[node] == null ? Answer.NONE : remotes[node].ask(shard);
        }
        // Segments below a MiB exist only in pools of tests that store no data.
        int index = local.segmentBlocks() % BlockAllocator.MAX_RUN_BLOCKS == 0 ? give(shard) : -1;
        if (index < 0) {
            return Answer.NONE;
        }
        space.addSegment(shard, local.location(index), local.segmentBlocks());
        return Answer.ADDED;
    }

    @Override
    public boolean isPending(int shard) {
        for (RemoteSegments remote : remotes) {
            if (remote != null && remote.isPending(shard)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public int aheadBlocks(int node) {
        // Where segments are few, holding one in reserve would take it from somebody who needs it.
        boolean plenty = remotes[node] != null && remotes[node].freeSegments() > 4L * space.shardCount();
        return plenty ? AHEAD_BLOCKS_PLENTY : AHEAD_BLOCKS_FEW;
    }

    /**
     * Gives a segment of this node to a shard of any home; if none is free, the empty ones that shards of this home hold in
     * reserve are taken from them first. Durable when it returns.
     *
     * @return its index, -1 if there is none
     */
    public int give(int shard) {
        int index = local.give(shard);
        if (index < 0 && reclaimEmpty(shard)) {
            index = local.give(shard);
        }
        return index;
    }

    /** Takes a segment back from a shard of another home. @return false if the shard does not own it (any more) */
    public boolean takeBack(int index, int shard) {
        if (index < 0
                || index >= local.segmentCount()
                || local.ownerOf(index) != shard
                || space.allocator(shard) != null) {
            return false;
        }
        local.takeBack(index);
        return true;
    }

    public LocalSegments local() {
        return local;
    }

    /** Node that is home of a shard, -1 if there is no such shard. */
    public int homeOf(int shard) {
        return shard >= 0 && shard < map.shardCount() ? map.homeOf(shard) : -1;
    }

    public int shardCount() {
        return map.shardCount();
    }

    /** Whether it is known what this home's shards own on all other nodes. */
    public boolean isComplete() {
        for (RemoteSegments remote : remotes) {
            if (remote != null && !remote.isListed()) {
                return false;
            }
        }
        return true;
    }

    /** Sends what is due and looks for empty segments now and then. @return how much was done */
    public int doWork(long nowNanos) {
        int done = 0;
        for (RemoteSegments remote : remotes) {
            done += remote == null ? 0 : remote.doWork();
        }
        if (nowNanos - nextSweepNanos >= 0) {
            nextSweepNanos = nowNanos + SWEEP_NANOS;
            done += sweep();
        }
        return done;
    }

    /** Gives back what was empty at the last sweep already, but for what a shard keeps. */
    private int sweep() {
        int given = 0;
        for (int shard = 0; shard < space.shardCount(); shard++) {
            BlockAllocator allocator = space.allocator(shard);
            for (int node = 0; allocator != null && node < remotes.length; node++) {
                int at = shard * remotes.length + node;
                int empty = allocator.emptySegmentCount(node);
                int rested = Math.min(empty, emptyBefore[at]);
                emptyBefore[at] = empty;
                for (int most = allocator.segmentCount(node) - keep(node); rested > 0 && most > 0; rested--, most--) {
                    giveBack(allocator, shard, node, allocator.emptySegment(node));
                    given++;
                }
            }
        }
        return given;
    }

    /** A shard keeps one segment on each node, so that it can serve at once; unless the node's segments are few. */
    private int keep(int node) {
        return isScarce(node) ? 0 : 1;
    }

    @Override
    public boolean isScarce(int node) {
        long free = node == nodeId ? local.freeCount() : remotes[node] == null ? 0 : remotes[node].freeSegments();
        return free <= 2L * space.shardCount();
    }

    /** Takes an empty segment of this node from another shard of this home. */
    private boolean reclaimEmpty(int except) {
        for (int shard = 0; shard < space.shardCount(); shard++) {
            BlockAllocator allocator = space.allocator(shard);
            long empty = allocator == null || shard == except ? 0 : allocator.emptySegment(nodeId);
            if (empty != 0) {
                giveBack(allocator, shard, nodeId, empty);
                return true;
            }
        }
        return false;
    }

    private void giveBack(BlockAllocator allocator, int shard, int node, long location) {
        boolean removed = allocator.removeSegment(location);
        assert removed : "not empty: " + location;
        if (node == nodeId) {
            local.takeBack(local.indexOf(location));
        } else {
            remotes[node].release(location, shard);
        }
    }
}
