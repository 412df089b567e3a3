package org.octofs.server.server;

import java.net.InetSocketAddress;
import org.octofs.rpc.cluster.ClusterHello;
import org.octofs.rpc.cluster.ClusterNode;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.ReceiveQueue;
import org.octofs.rpc.rpc.RpcClient;
import org.octofs.rpc.rpc.RpcClientConfig;
import org.octofs.rpc.rpc.RpcConnectionListener;
import org.octofs.rpc.rpc.RpcException;

/**
 * This server's calls to the other servers of the cluster. They connect by themselves and again; their completions are
 * delivered by the worker's own poll.
 * Threading:  confined to the worker.
 * Ownership:  owns the clients.
 */
public final class Peers implements AutoCloseable {
    private static final int SLOTS = 64;

    private final RpcClient[] clients;
    private final int nodeId;

    /** Starts connecting to all other nodes. */
    public Peers(Fabric fabric, ServerConfig config, long incarnation, ReceiveQueue queue) throws RpcException {
        this.nodeId = config.nodeId();
        this.clients = new RpcClient[config.map().nodeCount()];
        byte[] hello =
                ClusterHello.server(nodeId, incarnation, config.map().id()).encode();
        try {
            for (ClusterNode node : config.map().nodes()) {
                if (node.id() != nodeId) {
                    // The identity differs between lives, so that a new life's request ids meet no old reply cache.
                    long clientId = Long.MIN_VALUE | config.restartId() << 16 | nodeId;
                    RpcClientConfig rpcConfig = RpcClientConfig.of(
                                    new InetSocketAddress(node.host(), node.port()), clientId)
                            .withSlotCount(SLOTS)
                            .withTransport(config.peerTransport())
                            .withHello(hello)
                            .withConnectsInPoll(config.connectsInPoll())
                            .withSharedQueue(queue);
                    clients[node.id()] = new RpcClient(fabric, rpcConfig, RpcConnectionListener.NONE);
                    clients[node.id()].setMapEpoch(config.map().epoch());
                }
            }
        } catch (RpcException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /** The client of another node; null for this one. */
    public RpcClient client(int node) {
        return clients[node];
    }

    /** Whether calls to a node would go out now. */
    public boolean isConnected(int node) {
        return clients[node] != null && clients[node].isConnected();
    }

    public int nodeCount() {
        return clients.length;
    }

    /** Delivers completions and time-outs. */
    public int doWork() {
        int done = 0;
        for (RpcClient client : clients) {
            if (client != null) {
                done += client.poll();
            }
        }
        return done;
    }

    /** When the next call's deadline passes, {@link Long#MAX_VALUE} if none is outstanding. */
    public long nextDeadlineNanos(long now) {
        long next = Long.MAX_VALUE;
        for (RpcClient client : clients) {
            if (client != null) {
                long deadline = client.nextDeadlineNanos();
                if (deadline != Long.MAX_VALUE && (next == Long.MAX_VALUE || deadline - next < 0)) {
                    next = deadline;
                }
            }
        }
        return next;
    }

    @Override
    public void close() {
        for (RpcClient client : clients) {
            if (client != null) {
                client.close();
            }
        }
    }
}
