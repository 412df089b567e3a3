package org.octofs.server.check;

import org.octofs.rpc.protocol.BlockEntryLayout;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.server.check.BlockMapCheck.Use;

/** Gives files blocks of their own for content that lies where it may not. Confined to the check. */
final class BlockMover {
    private final Cluster cluster;
    private final DataCheck data;

    BlockMover(Cluster cluster, DataCheck data) {
        this.cluster = cluster;
        this.data = data;
    }

    /** Whether the block holds what the file expects there. */
    boolean isIntact(Use use) {
        PoolView there = cluster.pool(BlockLocation.node(use.location()));
        return BlockLocation.isUnwritten(use.location())
                || (there != null
                        && data.checksum(there, use.location())
                                == use.pool().readInt(use.entryOffset() + BlockEntryLayout.CHECKSUM_OFFSET));
    }

    /** Copies the content to a free block of the file's shard and has the map refer to that. */
    void copy(Use use) throws RepairException {
        int shard = InodeNumber.shard(use.ino());
        PoolView there = cluster.pool(BlockLocation.node(use.location()));
        for (int node = 0; node < cluster.nodeCount(); node++) {
            PoolView target = cluster.pool(node);
            long block = target == null ? 0 : freeBlock(target, shard);
            if (block != 0) {
                long to = block << BlockLocation.BLOCK_SHIFT;
                var medium = target.pool().medium();
                medium.copy(to, there.memory(), BlockLocation.poolOffset(use.location()), BlockLocation.BLOCK_BYTES);
                medium.flush(to, BlockLocation.BLOCK_BYTES);
                // Fence: the content must be durable before a map says that it is there.
                medium.fence();
                long flags = use.location() & ~BlockLocation.withoutFlags(-1L);
                point(use, BlockLocation.of(node, block) | flags);
                return;
            }
        }
        throw new RepairException("shard " + shard + " has no free block for a copy");
    }

    private static void point(Use use, long location) throws RepairException {
        PoolView in = use.pool();
        if (BlockMapCheck.isInline(in, use.entryOffset())) {
            long slot = BlockMapCheck.inodeSlot(in, use.entryOffset());
            Mender.inode(in, slot, i -> i.putLong((int) (use.entryOffset() - slot), location));
        } else {
            Mender.word(in, use.entryOffset(), location);
        }
    }

    private static long freeBlock(PoolView pool, int shard) {
        long perSegment = pool.pool().segmentSizeBytes() >>> BlockLocation.BLOCK_SHIFT;
        for (int segment = 0; segment < pool.segmentCount(); segment++) {
            if (pool.owner(segment) == shard) {
                long first = pool.firstBlock() + segment * perSegment;
                for (long block = first; block < first + perSegment; block++) {
                    if (pool.use(block)) {
                        return block;
                    }
                }
            }
        }
        return 0;
    }
}
