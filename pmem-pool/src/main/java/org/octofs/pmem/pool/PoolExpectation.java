package org.octofs.pmem.pool;

import java.util.UUID;

/**
 * Which pool the opener wants.
 *
 * @param clusterId null takes any
 * @param nodeId {@link #ANY_NODE} takes any
 * @param nodeCount nodes of the cluster; 0 takes any shape
 * @param shardCount shards of the cluster
 */
public record PoolExpectation(UUID clusterId, int nodeId, int nodeCount, int shardCount) {
    public static final int ANY_NODE = -1;
    /** Takes what is there, for checks and tools. */
    public static final PoolExpectation ANY = new PoolExpectation(null, ANY_NODE);

    /** A pool for a cluster of any shape. */
    public PoolExpectation(UUID clusterId, int nodeId) {
        this(clusterId, nodeId, 0, 0);
    }
}
