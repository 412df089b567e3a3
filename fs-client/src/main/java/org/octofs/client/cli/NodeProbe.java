package org.octofs.client.cli;

import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.octofs.rpc.cluster.ClusterHello;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.cluster.ClusterNode;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricConfig;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.FabricFactory;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.CountersReply;
import org.octofs.rpc.protocol.message.RegionsReply;
import org.octofs.rpc.protocol.message.StatfsReply;
import org.octofs.rpc.rpc.RpcCall;
import org.octofs.rpc.rpc.RpcClient;
import org.octofs.rpc.rpc.RpcClientConfig;
import org.octofs.rpc.rpc.RpcException;

/** Asks single nodes how they are, without mounting anything. One thread. */
final class NodeProbe implements AutoCloseable {
    private static final int CALLS = 20;
    private static final long SESSION_BIT = Long.MAX_VALUE;

    private final ClusterMap map;
    private final TransportChoice transport;
    private final long patienceNanos;
    private final Fabric fabric;
    private final SecureRandom random = new SecureRandom();

    NodeProbe(ClusterMap map, TransportChoice transport, long patienceNanos) throws FabricException {
        this.map = map;
        this.transport = transport;
        this.patienceNanos = patienceNanos;
        fabric = FabricFactory.create(FabricConfig.defaults(
                "octofs status",
                System::nanoTime,
                random::nextLong,
                Thread.ofPlatform().daemon().name("probe-", 0).factory()));
    }

    /**
     * How a node is.
     *
     * @param problem why it could not be asked, in words; null if it answered
     * @param roundTripMicros best of several null calls
     * @param freeBlocks that it knows of, on all nodes
     * @param freeByNode those of each node; empty if it did not answer
     * @param leases on names and attributes that kernels keep
     * @param recalls of such leases since the server started
     */
    record Health(
            ClusterNode node,
            String problem,
            String transport,
            double roundTripMicros,
            long totalBlocks,
            long freeBlocks,
            long totalInodes,
            long freeInodes,
            List<Long> freeByNode,
            long leases,
            long recalls) {
        boolean answers() {
            return problem == null;
        }

        private Health with(CountersReply counters) {
            return new Health(
                    node,
                    problem,
                    transport,
                    roundTripMicros,
                    totalBlocks,
                    freeBlocks,
                    totalInodes,
                    freeInodes,
                    freeByNode,
                    counters.leases(),
                    counters.recalls());
        }
    }

    /** How all nodes are, in order. */
    List<Health> askAll() {
        return map.nodes().stream().map(this::ask).toList();
    }

    /**
     * Free blocks of a node's pool: what its own server has, and what others have free in its segments that they own. Nodes that
     * do not answer are taken to have nothing free there.
     */
    static long freeBlocks(Health node, List<Health> all) {
        long free = all.stream()
                .mapToLong(h -> node.node().id() < h.freeByNode().size()
                        ? h.freeByNode().get(node.node().id())
                        : 0)
                .sum();
        // They were asked one after the other: a segment that changed hands meanwhile may count twice.
        return Math.min(free, node.totalBlocks());
    }

    private Health ask(ClusterNode node) {
        RpcClientConfig config = RpcClientConfig.of(
                        new InetSocketAddress(node.host(), node.port()), (random.nextLong() & SESSION_BIT) | 1)
                .withTransport(transport)
                .withHello(ClusterHello.client(map.id()).encode());
        long deadline = fabric.nanoTime() + patienceNanos;
        try (RpcClient client = new RpcClient(fabric, config)) {
            client.setMapEpoch(map.epoch());
            client.awaitConnected(deadline);
            checkIdentity(client, node, deadline);
            long best = Long.MAX_VALUE;
            for (int i = 0; i < CALLS; i++) {
                long start = fabric.nanoTime();
                call(client, OpCode.NULL, deadline, _ -> {});
                best = Math.min(best, fabric.nanoTime() - start);
            }
            double roundTripMicros = best / 1e3;
            Health[] health = new Health[1];
            call(client, OpCode.STATFS, deadline, body -> health[0] = health(node, client, roundTripMicros, body));
            call(client, OpCode.COUNTERS, deadline, body -> health[0] = health[0].with(new CountersReply().wrap(body)));
            call(client, OpCode.GOODBYE, deadline, _ -> {});
            return health[0];
        } catch (RpcException e) {
            return new Health(node, e.getMessage(), "", 0, 0, 0, 0, 0, List.of(), 0, 0);
        }
    }

    private static Health health(ClusterNode node, RpcClient client, double roundTripMicros, MessageBuffer body) {
        StatfsReply reply = new StatfsReply().wrap(body);
        return new Health(
                node,
                null,
                client.connection().transport().toString(),
                roundTripMicros,
                reply.totalBlocks(),
                reply.freeBlocks(),
                reply.totalInodes(),
                reply.freeInodes(),
                IntStream.range(0, reply.nodesCount())
                        .mapToObj(i -> body.getU64(reply.nodes(i)))
                        .toList(),
                0,
                0);
    }

    /** Two addresses that were mixed up in the cluster file lead to servers that answer gladly. */
    private static void checkIdentity(RpcClient client, ClusterNode node, long deadline) throws RpcException {
        try (RpcCall call = client.begin(OpCode.REGIONS, 0, deadline)) {
            call.send(0);
            int status = call.await();
            // EAGAIN: it serves, but not yet everything.
            if (status == 0) {
                int answered = new RegionsReply().wrap(call.reply()).nodeId();
                if (answered != node.id()) {
                    throw new RpcException("the server there is node " + answered + "; correct the cluster file");
                }
            }
        }
    }

    private static void call(RpcClient client, int opCode, long deadline, Consumer<MessageBuffer> reply)
            throws RpcException {
        try (RpcCall call = client.begin(opCode, 0, deadline)) {
            call.send(0);
            int status = call.await();
            if (status != 0) {
                throw new RpcException("operation " + opCode + " was answered with " + Errno.of(status));
            }
            reply.accept(call.reply());
        }
    }

    @Override
    public void close() {
        fabric.close();
    }
}
