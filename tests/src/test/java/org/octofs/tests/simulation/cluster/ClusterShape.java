package org.octofs.tests.simulation.cluster;

import org.octofs.client.client.Consistency;
import org.octofs.pmem.pool.GeometryOptions;
import org.octofs.rpc.fabric.TransportKind;

/**
 * How a simulated cluster is built.
 *
 * @param geometry of each pool
 * @param transport what connections are like, see {@link org.octofs.tests.simulation.net.SimNetwork}
 * @param queueEntries arrivals that a receive queue holds
 * @param consistency of all clients
 * @param operationNanos deadline of an operation
 * @param pendingBytes uncommitted bytes of a file after which a client commits
 * @param preemptOneIn a server lets others go on after one in so many stores, flushes and fences; 0 for never
 */
public record ClusterShape(
        int nodes,
        int shards,
        long poolBytes,
        GeometryOptions geometry,
        TransportKind transport,
        int queueEntries,
        long leaseNanos,
        long lingerNanos,
        Consistency consistency,
        long operationNanos,
        int pendingBytes,
        long commitAfterNanos,
        int preemptOneIn) {}
