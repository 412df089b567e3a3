package org.octofs.tests.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.octofs.client.client.ClientConfig;
import org.octofs.client.client.FsClient;
import org.octofs.pmem.medium.Media;
import org.octofs.pmem.medium.MediumKind;
import org.octofs.pmem.medium.MediumOptions;
import org.octofs.pmem.medium.OpenMode;
import org.octofs.pmem.medium.PmemMedium;
import org.octofs.pmem.pool.FormatRequest;
import org.octofs.pmem.pool.GeometryOptions;
import org.octofs.pmem.pool.PmemPool;
import org.octofs.pmem.pool.PoolExpectation;
import org.octofs.pmem.pool.PoolFormatter;
import org.octofs.pmem.pool.PoolIdentity;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.cluster.ClusterNode;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricConfig;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.FabricFactory;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.fabric.TransportKind;
import org.octofs.rpc.fabric.loopback.LoopbackNetwork;
import org.octofs.server.check.CheckOptions;
import org.octofs.server.check.CheckReport;
import org.octofs.server.check.ClusterCheck;
import org.octofs.server.server.ServerConfig;

/**
 * A cluster in this process: real servers, each with its worker thread and a pool file of its own, and any number of
 * clients. Closing it removes everything.
 *
 * <p>Threading: its methods are for the test's thread.
 */
public final class LocalCluster implements AutoCloseable {
    private static final long POOL_BYTES = 128L << 20;
    private static final int SHARDS = 4;
    private static final AtomicLong SEED = new AtomicLong(System.nanoTime());

    private final Transport transport;
    private final LoopbackNetwork network = LoopbackNetwork.threaded();
    private final Path directory;
    private final ClusterMap map;
    private final List<LocalServer> servers = new ArrayList<>();
    private final List<FsClient> clients = new ArrayList<>();
    private final List<Fabric> clientFabrics = new ArrayList<>();
    private volatile Duration lease = ServerConfig.LEASE_DEFAULT;

    /** How everybody talks. */
    public enum Transport {
        /** In-process copies. */
        LOOPBACK,
        /** Shared memory. */
        SHM,
        /** Sockets. */
        TCP
    }

    /** Formats and starts {@code nodes} servers. */
    public static LocalCluster start(int nodes, Transport transport) throws IOException {
        return start(nodes, transport, POOL_BYTES);
    }

    /** Formats and starts servers with pools of a size. */
    public static LocalCluster start(int nodes, Transport transport, long poolBytes) throws IOException {
        LocalCluster cluster = new LocalCluster(nodes, transport);
        boolean success = false;
        try {
            for (int node = 0; node < nodes; node++) {
                cluster.format(node, poolBytes);
                cluster.servers.add(new LocalServer(cluster, node));
            }
            for (LocalServer server : cluster.servers) {
                server.start();
            }
            success = true;
            return cluster;
        } finally {
            if (!success) {
                cluster.close();
            }
        }
    }

    private LocalCluster(int nodes, Transport transport) throws IOException {
        this.transport = transport;
        Path memory = Path.of("/dev/shm");
        this.directory = Files.isDirectory(memory)
                ? Files.createTempDirectory(memory, "octofs-test-")
                : Files.createTempDirectory("octofs-test-");
        List<ClusterNode> list = new ArrayList<>();
        for (int node = 0; node < nodes; node++) {
            list.add(new ClusterNode(node, "127.0.0.1", freePort(), directory.resolve("node" + node + ".pool")));
        }
        this.map = new ClusterMap(new UUID(random(), random()), "test", 1, SHARDS, list);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    static long random() {
        return SEED.addAndGet(0x9E37_79B9_7F4A_7C15L) * 0xBF58_476D_1CE4_E5B9L;
    }

    private void format(int node, long poolBytes) throws IOException {
        PoolFormatter.format(new FormatRequest(
                map.node(node).pool(),
                poolBytes,
                MediumKind.MAPPED,
                new PoolIdentity(map.id(), node, map.nodeCount(), map.shardCount()),
                GeometryOptions.defaults(),
                MediumOptions.defaults().withPrefault(false),
                1,
                false));
    }

    PmemPool openPool(int node) throws IOException {
        return PmemPool.open(
                map.node(node).pool(),
                MediumKind.MAPPED,
                new PoolExpectation(map.id(), node),
                MediumOptions.defaults().withPrefault(false));
    }

    /** A fabric of a process of its own. */
    public Fabric createFabric(String name) throws IOException {
        FabricConfig config = FabricConfig.defaults(
                name,
                System::nanoTime,
                LocalCluster::random,
                Thread.ofPlatform().daemon().factory());
        try {
            return switch (transport) {
                case LOOPBACK -> network.createFabric(config);
                case SHM -> FabricFactory.create(config.withTransports(EnumSet.of(TransportKind.SHM)));
                case TCP -> FabricFactory.create(config.withTransports(EnumSet.of(TransportKind.TCP)));
            };
        } catch (FabricException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** What clients of this cluster must choose. */
    public TransportChoice choice() {
        return switch (transport) {
            case LOOPBACK -> TransportChoice.LOOPBACK;
            case SHM -> TransportChoice.SHM;
            case TCP -> TransportChoice.TCP;
        };
    }

    /** How long servers that are started from now on wait for a client that they have lost. */
    public void lease(Duration value) {
        lease = value;
    }

    Duration lease() {
        return lease;
    }

    /** The map. */
    public ClusterMap map() {
        return map;
    }

    /** Server of a node. */
    public LocalServer server(int node) {
        return servers.get(node);
    }

    /** A client with the usual configuration. */
    public FsClient client() throws IOException {
        return client(ClientConfig.builder().operationDeadline(Duration.ofSeconds(20)));
    }

    /** A client; the cluster closes it, if nobody has done so before. */
    public FsClient client(ClientConfig.Builder config) throws IOException {
        Fabric fabric = createFabric("test client");
        clientFabrics.add(fabric);
        FsClient client =
                FsClient.connect(map, config.fabric(fabric).transport(choice()).build());
        clients.add(client);
        return client;
    }

    /** Leases that ended without an answer of their clients, on all servers; about, while they serve. */
    public long unansweredLeases() {
        return servers.stream()
                .mapToLong(server -> server.server().state().leases().unanswered())
                .sum();
    }

    /** Closes all clients made so far; they say goodbye. */
    public void closeClients() {
        clients.forEach(FsClient::close);
        clients.clear();
        clientFabrics.forEach(Fabric::close);
        clientFabrics.clear();
    }

    /** Stops all servers as {@code kill -9} does; clients stay as they are, and without anybody who answers. */
    public void crashServers() {
        for (LocalServer server : servers) {
            server.crash();
        }
    }

    @Override
    public void close() {
        closeClients();
        for (LocalServer server : servers) {
            server.close();
        }
        try {
            // Whatever a test has done: what it leaves must be in order.
            check();
        } finally {
            removeFiles();
        }
    }

    private void check() {
        if (servers.isEmpty()) {
            return;
        }
        List<PmemMedium> views = new ArrayList<>();
        try {
            for (ClusterNode node : map.nodes()) {
                views.add(Media.open(node.pool(), MediumKind.MAPPED, OpenMode.PRIVATE));
            }
        } catch (IOException e) {
            views.forEach(PmemMedium::close);
            throw new UncheckedIOException(e);
        }
        CheckReport report =
                ClusterCheck.runInPlace(views, CheckOptions.defaults().withData());
        if (!report.isClean()) {
            throw new AssertionError("the pools are not in order after the test: " + report);
        }
    }

    private void removeFiles() {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
