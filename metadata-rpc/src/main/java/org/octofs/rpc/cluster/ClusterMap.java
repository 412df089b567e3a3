package org.octofs.rpc.cluster;

import java.util.List;
import java.util.UUID;

/**
 * Who is in the cluster and which node is home of which shard. Immutable; the epoch grows with every change of the map
 * (there is only epoch 1 so far) and travels in every message.
 *
 * @param id cluster id, in every superblock
 * @param name for people
 * @param epoch of this map
 * @param shardCount parts that the namespace is cut into, fixed at format, 1 to {@value #SHARDS_MAX}
 * @param nodes by id
 */
public record ClusterMap(UUID id, String name, int epoch, int shardCount, List<ClusterNode> nodes) {
    /** Most nodes of a cluster. */
    public static final int NODES_MAX = 1024;

    /** Most shards of a cluster: a pool has room for the marks of so many. */
    public static final int SHARDS_MAX = 512;

    /** Checks the relations between the parts. */
    public ClusterMap {
        nodes = List.copyOf(nodes);
        if (nodes.isEmpty() || nodes.size() > NODES_MAX) {
            throw new IllegalArgumentException("a cluster has 1 to " + NODES_MAX + " nodes, not " + nodes.size());
        }
        if (shardCount < 1 || shardCount > SHARDS_MAX) {
            throw new IllegalArgumentException("a cluster has 1 to " + SHARDS_MAX + " shards, not " + shardCount);
        }
        for (int i = 0; i < nodes.size(); i++) {
            if (nodes.get(i).id() != i) {
                throw new IllegalArgumentException(
                        "node " + i + " carries the id " + nodes.get(i).id());
            }
        }
    }

    /** The node that is home of {@code shard}. */
    public int homeOf(int shard) {
        return shard % nodes.size();
    }

    /** Number of nodes. */
    public int nodeCount() {
        return nodes.size();
    }

    /** The node with this id. */
    public ClusterNode node(int nodeId) {
        return nodes.get(nodeId);
    }
}
