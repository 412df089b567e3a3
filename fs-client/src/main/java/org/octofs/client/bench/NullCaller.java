package org.octofs.client.bench;

import java.net.InetSocketAddress;
import org.octofs.rpc.cluster.ClusterHello;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.cluster.ClusterNode;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.FabricFactory;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.CountersReply;
import org.octofs.rpc.rpc.RpcCall;
import org.octofs.rpc.rpc.RpcClient;
import org.octofs.rpc.rpc.RpcClientConfig;
import org.octofs.rpc.rpc.RpcException;

/** Calls that do nothing, to the file system's server of a node, and what it says of itself. One thread. */
final class NullCaller implements AutoCloseable {
    private static final long DEADLINE_NANOS = 10_000_000_000L;

    private final Fabric fabric;
    private final RpcClient client;

    NullCaller(ClusterMap map, TransportChoice transport) throws FabricException, RpcException {
        this(map, 0, transport);
    }

    NullCaller(ClusterMap map, int nodeId, TransportChoice transport) throws FabricException, RpcException {
        fabric = FabricFactory.create(BenchFabric.config("bench null"));
        ClusterNode node = map.node(nodeId);
        long clientId = (fabric.config().random().getAsLong() & Long.MAX_VALUE) | 1;
        client = new RpcClient(
                fabric,
                RpcClientConfig.of(new InetSocketAddress(node.host(), node.port()), clientId)
                        .withTransport(transport)
                        .withHello(ClusterHello.client(map.id()).encode()));
        client.setMapEpoch(map.epoch());
        client.awaitConnected(fabric.nanoTime() + DEADLINE_NANOS);
    }

    void call(long index) throws RpcException {
        call(OpCode.NULL);
    }

    private void call(int opCode) throws RpcException {
        try (RpcCall call = client.begin(opCode, 0, fabric.nanoTime() + DEADLINE_NANOS)) {
            call.send(0);
            int status = call.await();
            if (status != 0) {
                throw new RpcException("operation " + opCode + " was answered with errno " + status);
            }
        }
    }

    /** What the node has done since it started. */
    ServerCounts counts() throws RpcException {
        try (RpcCall call = client.begin(OpCode.COUNTERS, 0, fabric.nanoTime() + DEADLINE_NANOS)) {
            call.send(0);
            int status = call.await();
            if (status != 0) {
                throw new RpcException("the server does not count (errno " + status + "); is it of the same version?");
            }
            return ServerCounts.of(new CountersReply().wrap(call.reply()));
        }
    }

    @Override
    public void close() throws RpcException {
        try {
            call(OpCode.GOODBYE);
        } finally {
            client.close();
            fabric.close();
        }
    }
}
