package org.octofs.server.server;

import java.time.Duration;
import java.util.Objects;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.fabric.TransportChoice;

/**
 * Everything a server is told. Immutable.
 *
 * @param map the cluster
 * @param nodeId which of its nodes this is
 * @param lease how long a client may be unheard of before others get what it holds
 * @param peerTransport how to reach the other servers
 * @param linger how long a file that lost its last name may still be opened by who has looked it up before
 * @param restartId differs between lives of this process, for request ids of its calls to others; random
 * @param connectsInPoll false: threads connect to the other servers. True: the worker does, and blocks meanwhile; for
 *     simulations, which have one thread and a network that connects at once
 */
public record ServerConfig(
        ClusterMap map,
        int nodeId,
        Duration lease,
        Duration linger,
        TransportChoice peerTransport,
        long restartId,
        boolean connectsInPoll) {
    /** Lease if nothing else is said. */
    public static final Duration LEASE_DEFAULT = Duration.ofSeconds(30);

    /** Enough for the two calls of an open, a lookup and then an open, even on a busy machine. */
    public static final Duration LINGER_DEFAULT = Duration.ofSeconds(1);

    /** Checks the values and their relations. */
    public ServerConfig {
        Objects.requireNonNull(map, "map");
        Objects.requireNonNull(peerTransport, "peerTransport");
        if (nodeId < 0 || nodeId >= map.nodeCount()) {
            throw new IllegalArgumentException(
                    "node " + nodeId + " is not in the cluster, which has nodes 0 to " + (map.nodeCount() - 1));
        }
        if (lease.isNegative() || lease.isZero()) {
            throw new IllegalArgumentException("a lease must be positive: " + lease);
        }
        if (linger.isNegative()) {
            throw new IllegalArgumentException("lingering must not be negative: " + linger);
        }
    }

    /** With the usual times, but that files end at once with their last name. */
    public static ServerConfig of(ClusterMap map, int nodeId, long restartId) {
        return new ServerConfig(map, nodeId, LEASE_DEFAULT, Duration.ZERO, TransportChoice.AUTO, restartId, false);
    }

    /** With another lease. */
    public ServerConfig withLease(Duration value) {
        return new ServerConfig(map, nodeId, value, linger, peerTransport, restartId, connectsInPoll);
    }

    /** With another choice of transport. */
    public ServerConfig withPeerTransport(TransportChoice value) {
        return new ServerConfig(map, nodeId, lease, linger, value, restartId, connectsInPoll);
    }

    /** With files that linger. */
    public ServerConfig withLinger(Duration value) {
        return new ServerConfig(map, nodeId, lease, value, peerTransport, restartId, connectsInPoll);
    }

    /** For simulations. */
    public ServerConfig withConnectsInPoll(boolean value) {
        return new ServerConfig(map, nodeId, lease, linger, peerTransport, restartId, value);
    }
}
