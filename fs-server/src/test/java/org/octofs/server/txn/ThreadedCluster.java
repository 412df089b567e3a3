package org.octofs.server.txn;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.octofs.pmem.medium.Progress;
import org.octofs.pmem.medium.RecordingMedium;
import org.octofs.pmem.pool.GeometryOptions;
import org.octofs.pmem.pool.PmemPool;
import org.octofs.pmem.pool.PoolExpectation;
import org.octofs.pmem.pool.PoolFormatter;
import org.octofs.pmem.pool.PoolIdentity;
import org.octofs.rpc.cluster.ClusterHello;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.cluster.ClusterNode;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.TestFabricConfig;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.fabric.TransportKind;
import org.octofs.rpc.fabric.loopback.LoopbackNetwork;
import org.octofs.rpc.rpc.RpcClient;
import org.octofs.rpc.rpc.RpcClientConfig;
import org.octofs.rpc.rpc.RpcException;
import org.octofs.server.ServerClock;
import org.octofs.server.recovery.RecoveryProgress;
import org.octofs.server.server.FsServer;
import org.octofs.server.server.ServerConfig;

/** Whole servers, a thread each, over the threaded loopback fabric. Media stay when a server is restarted. */
final class ThreadedCluster implements AutoCloseable {
    static final int SHARDS = 8;
    private static final long POOL_BYTES = 8 << 20;

    final ClusterMap map;
    private final LoopbackNetwork network = LoopbackNetwork.threaded();
    private final Server[] servers;
    private final List<Client> clients = new ArrayList<>();
    private long lives;

    /** One life of a server. */
    private static final class Server {
        final MemorySegment memory;
        Fabric fabric;
        FsServer server;
        Thread thread;
        final AtomicBoolean stop = new AtomicBoolean();
        final AtomicReference<Throwable> problem = new AtomicReference<>();

        Server(MemorySegment memory) {
            this.memory = memory;
        }
    }

    ThreadedCluster(int nodeCount) throws Exception {
        List<ClusterNode> nodes = new ArrayList<>();
        for (int i = 0; i < nodeCount; i++) {
            nodes.add(new ClusterNode(i, "127.0.0.1", 20_000 + i, Path.of("/none")));
        }
        map = new ClusterMap(new UUID(3, 4), "threaded", 1, SHARDS, nodes);
        servers = new Server[nodeCount];
        for (int i = 0; i < nodeCount; i++) {
            RecordingMedium medium = new RecordingMedium(POOL_BYTES);
            PoolFormatter.format(
                    medium,
                    new PoolIdentity(map.id(), i, nodeCount, SHARDS),
                    new GeometryOptions(2, 1 << 20, 256 << 10, 64 << 10, true),
                    0,
                    Progress.NONE);
            servers[i] = new Server(medium.memory());
        }
        for (int i = 0; i < nodeCount; i++) {
            start(i);
        }
    }

    /** Starts a server on what its medium holds. */
    void start(int id) throws Exception {
        MemorySegment memory = servers[id].memory;
        RecordingMedium medium = RecordingMedium.of(memory);
        Server fresh = new Server(medium.memory());
        servers[id] = fresh;
        fresh.fabric = network.createFabric(
                TestFabricConfig.named("server" + id).withTransports(EnumSet.of(TransportKind.LOOPBACK)));
        PmemPool pool = PmemPool.open(medium, new PoolExpectation(map.id(), id));
        ServerConfig config = ServerConfig.of(map, id, ++lives).withPeerTransport(TransportChoice.LOOPBACK);
        fresh.server = new FsServer(config, pool, fresh.fabric, ServerClock.system(), RecoveryProgress.NONE);
        fresh.thread = new Thread(
                () -> {
                    try {
                        fresh.server.run(fresh.stop::get);
                    } catch (RuntimeException | Error e) {
                        fresh.problem.set(e);
                    }
                },
                "test-server-" + id);
        fresh.thread.setDaemon(true);
        fresh.thread.start();
    }

    /** Ends a server as a killed process would; its medium keeps everything that was stored. */
    void kill(int id) {
        Server server = servers[id];
        halt(server);
        server.server.crash();
        server.fabric.close();
    }

    private static void halt(Server server) {
        server.stop.set(true);
        server.server.wakeup();
        try {
            server.thread.join(10_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (server.thread.isAlive()) {
            throw new AssertionError("a server does not stop");
        }
        if (server.problem.get() != null) {
            throw new AssertionError("a server has failed", server.problem.get());
        }
    }

    /** A server's insides; only to be looked at while nothing happens. */
    FsServer server(int id) {
        return servers[id].server;
    }

    /** A new client process. */
    Client client() throws Exception {
        Client client = new Client(1000 + clients.size());
        clients.add(client);
        return client;
    }

    /** Waits until no transaction is left anywhere. */
    void awaitQuiet() {
        long deadline = System.nanoTime() + 20_000_000_000L;
        while (true) {
            boolean quiet = true;
            for (Server server : servers) {
                var transactions = server.server.transactions();
                quiet &= transactions.heldCount() == 0
                        && transactions.unconfirmedCount() == 0
                        && transactions.runningCount() == 0;
            }
            if (quiet) {
                return;
            }
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("transactions are left");
            }
            Thread.onSpinWait();
        }
    }

    @Override
    public void close() {
        for (Client client : clients) {
            client.close();
        }
        for (Server server : servers) {
            halt(server);
            server.server.close();
            server.fabric.close();
        }
    }

    /** A client: one connection to each server. */
    final class Client implements AutoCloseable {
        private final Fabric fabric;
        private final RpcClient[] connections;

        Client(long clientId) throws IOException {
            fabric = network.createFabric(
                    TestFabricConfig.named("client" + clientId).withTransports(EnumSet.of(TransportKind.LOOPBACK)));
            connections = new RpcClient[map.nodeCount()];
            for (ClusterNode node : map.nodes()) {
                connections[node.id()] = new RpcClient(
                        fabric,
                        RpcClientConfig.of(
                                        new InetSocketAddress(InetAddress.getByName(node.host()), node.port()),
                                        clientId)
                                .withSlotCount(8)
                                .withTransport(TransportChoice.LOOPBACK)
                                .withHello(ClusterHello.client(map.id()).encode()));
            }
        }

        RpcClient connection(int node) {
            return connections[node];
        }

        void awaitConnected() throws RpcException {
            for (RpcClient connection : connections) {
                connection.awaitConnected(System.nanoTime() + 10_000_000_000L);
            }
        }

        @Override
        public void close() {
            for (RpcClient connection : connections) {
                connection.close();
            }
            fabric.close();
        }
    }
}
