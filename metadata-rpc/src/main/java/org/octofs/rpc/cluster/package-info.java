/**
 * The description of a cluster (nodes, addresses, pools, shards) and the seam through which modules contribute
 * commands. Start with {@link org.octofs.rpc.cluster.ClusterFile}.
 */
package org.octofs.rpc.cluster;
