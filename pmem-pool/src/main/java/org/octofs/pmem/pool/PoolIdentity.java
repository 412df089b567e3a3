package org.octofs.pmem.pool;

import java.util.Objects;
import java.util.UUID;
import org.octofs.pmem.PoolMismatchException;

/**
 * Which pool of which cluster.
 *
 * @param nodeId 0..65535
 * @param nodeCount nodes of the cluster at format, 1..65535
 * @param shardCount shards of the cluster, at least 1
 */
public record PoolIdentity(UUID clusterId, int nodeId, int nodeCount, int shardCount) {
    public PoolIdentity {
        Objects.requireNonNull(clusterId, "clusterId");
        if (nodeId < 0 || nodeId > 0xFFFF || nodeCount < 1 || nodeCount > 0xFFFF || shardCount < 1) {
            throw new IllegalArgumentException(
                    "node " + nodeId + " of " + nodeCount + " with " + shardCount + " shards is no possible pool");
        }
    }

    /** Fails unless the pool was made for a cluster of this shape. */
    public void checkShape(int nodes, int shards) throws PoolMismatchException {
        if (nodes != nodeCount || shards != shardCount) {
            throw new PoolMismatchException(
                    PoolMismatchException.Reason.OTHER_NODE,
                    "the pool was formatted for a cluster of " + nodeCount + " nodes and " + shardCount
                            + " shards, and the cluster file describes " + nodes + " nodes and " + shards
                            + " shards; use the cluster file that the pool was formatted with");
        }
    }
}
