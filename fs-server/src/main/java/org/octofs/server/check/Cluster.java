package org.octofs.server.check;

import org.octofs.rpc.protocol.InodeNumber;

/** The pools of a cluster by node; those that are not there, or cannot be read, are null. Confined to the check. */
final class Cluster {
    private final PoolView[] pools;
    private final int shardCount;

    Cluster(PoolView[] pools, int shardCount) {
        this.pools = pools;
        this.shardCount = shardCount;
    }

    int nodeCount() {
        return pools.length;
    }

    int shardCount() {
        return shardCount;
    }

    /** The pool of a node, null if it takes no part. */
    PoolView pool(int node) {
        return node < pools.length ? pools[node] : null;
    }

    int homeOfShard(int shard) {
        return shard % pools.length;
    }

    /** Whether a segment of shard {@code owner} may hold blocks of a file of another: shards of one home help each other out. */
    boolean mayUse(int shard, int owner) {
        return owner == shard || (owner >= 0 && owner < shardCount && homeOfShard(owner) == homeOfShard(shard));
    }

    int home(long ino) {
        return homeOfShard(InodeNumber.shard(ino));
    }

    /** The pool that holds an inode, null if it takes no part. */
    PoolView homePool(long ino) {
        return pools[home(ino)];
    }

    /** Whether all pools are here, so that what is not found does not exist. */
    boolean isWhole() {
        for (PoolView pool : pools) {
            if (pool == null) {
                return false;
            }
        }
        return true;
    }

    /** An inode number for the user. */
    static String name(long ino) {
        return "inode " + Long.toUnsignedString(ino);
    }
}
