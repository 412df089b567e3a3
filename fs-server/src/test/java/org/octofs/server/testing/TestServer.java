package org.octofs.server.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.BooleanSupplier;
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
import org.octofs.rpc.fabric.FabricConfig;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.fabric.TransportKind;
import org.octofs.rpc.fabric.loopback.LoopbackNetwork;
import org.octofs.rpc.fabric.loopback.SteppedScheduler;
import org.octofs.server.recovery.RecoveryProgress;
import org.octofs.server.server.FsServer;
import org.octofs.server.server.ServerConfig;

/**
 * One server over a recording medium, on a stepped network; everything happens in the test's thread. Time passes only when
 * nothing else happens.
 */
public final class TestServer implements AutoCloseable {
    /** The cluster of one node that the server belongs to. */
    public static final ClusterMap MAP = new ClusterMap(
            UUID.fromString("00112233-4455-6677-8899-aabbccddeeff"),
            "test",
            1,
            4,
            List.of(new ClusterNode(0, "127.0.0.1", 7400, Path.of("/pool"))));

    private static final long IDLE_STEP_NANOS = 1_000_000L;
    private static final int TURNS_MAX = 200_000;

    private final FakeClock clock = new FakeClock();
    private final SplittableRandom random = new SplittableRandom(42);
    private final SteppedScheduler scheduler = new SteppedScheduler(_ -> 0);
    private final LoopbackNetwork network = LoopbackNetwork.stepped(scheduler);
    private final List<TestClient> clients = new ArrayList<>();
    private final List<TestClient> silenced = new ArrayList<>();
    private RecordingMedium medium;
    private Fabric fabric;
    private PmemPool pool;
    private FsServer server;
    private long startNanos;

    private TestServer(RecordingMedium medium) {
        this.medium = medium;
        start();
    }

    /** A server over a fresh pool of 4 MiB with small zones. */
    public static TestServer create() {
        return create(4 << 20);
    }

    /** A server over a fresh pool with small zones. */
    public static TestServer create(long poolBytes) {
        return create(poolBytes, new GeometryOptions(2, 64 << 10, 256 << 10, 64 << 10, true));
    }

    /** A server over a fresh pool. */
    public static TestServer create(long poolBytes, GeometryOptions options) {
        RecordingMedium medium = new RecordingMedium(poolBytes);
        PoolFormatter.format(medium, new PoolIdentity(MAP.id(), 0, 1, MAP.shardCount()), options, 1, Progress.NONE);
        return new TestServer(medium);
    }

    /** A server over a copy of a pool's content. */
    public static TestServer over(MemorySegment image) {
        return new TestServer(RecordingMedium.of(image));
    }

    private void start() {
        long begin = System.nanoTime();
        fabric = fabric("server");
        try {
            pool = PmemPool.open(medium, new PoolExpectation(MAP.id(), 0));
            ServerConfig config =
                    ServerConfig.of(MAP, 0, random.nextLong()).withPeerTransport(TransportChoice.LOOPBACK);
            server = new FsServer(config, pool, fabric, clock, RecoveryProgress.NONE);
            startNanos = System.nanoTime() - begin;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Fabric fabric(String name) {
        return network.createFabric(FabricConfig.defaults(
                        name,
                        clock::monotonicNanos,
                        random::nextLong,
                        Thread.ofPlatform().daemon().factory())
                .withTransports(EnumSet.of(TransportKind.LOOPBACK))
                .withReceiveQueue(1 << 8, 1_000_000_000L));
    }

    /** A client that calls itself {@code clientId}. */
    public TestClient connect(long clientId) {
        return connect(clientId, ClusterHello.client(MAP.id()).encode());
    }

    /** A client that says something else about itself. */
    public TestClient connect(long clientId, byte[] hello) {
        TestClient client = new TestClient(this, fabric("client " + clientId), clientId, hello);
        clients.add(client);
        return client;
    }

    /** Stops the server in order and starts it again. */
    public void restart() {
        server.close();
        fabric.close();
        medium = RecordingMedium.of(medium.memory());
        start();
    }

    /** Starts a second server over a copy of the pool, whose address is taken; then kills the first and starts over what the second left. */
    public void restartAfterOneInVain() {
        RecordingMedium copy = RecordingMedium.of(medium.memory());
        Fabric other = fabric("in vain");
        try {
            PmemPool second = PmemPool.open(copy, new PoolExpectation(MAP.id(), 0));
            new FsServer(ServerConfig.of(MAP, 0, random.nextLong()), second, other, clock, RecoveryProgress.NONE);
            throw new AssertionError("two servers listen at one address");
        } catch (IOException e) {
            other.close();
            restartOver(copy.memory());
        }
    }

    /** Kills the server, leaves only what is durable, and starts it again. Recording must be on. */
    public void crashAndRestart() {
        MemorySegment image = medium.durableImage();
        server.crash();
        fabric.close();
        medium = RecordingMedium.of(image);
        start();
    }

    /** Kills the server and starts it over another content. */
    public void restartOver(MemorySegment image) {
        server.crash();
        fabric.close();
        medium = RecordingMedium.of(image);
        start();
    }

    /** One turn of everybody; time passes if nobody did anything. */
    public void turn() {
        int done = server.doWork();
        for (TestClient client : clients) {
            done += client.poll();
        }
        if (scheduler.step()) {
            done++;
        }
        if (done == 0) {
            clock.advance(IDLE_STEP_NANOS);
        }
    }

    /** Turns until something holds. */
    public void until(BooleanSupplier condition) {
        for (int turns = 0; !condition.getAsBoolean(); turns++) {
            if (turns == TURNS_MAX) {
                throw new AssertionError("did not come true within " + TURNS_MAX + " turns");
            }
            turn();
        }
    }

    /** Turns of the network and the server, with no client noticing anything. */
    public void untilServerOnly(BooleanSupplier condition) {
        for (int turns = 0; !condition.getAsBoolean(); turns++) {
            if (turns == TURNS_MAX) {
                throw new AssertionError("did not come true within " + TURNS_MAX + " turns");
            }
            if (server.doWork() == 0) {
                scheduler.step();
            }
        }
    }

    /** Lets time pass, with everybody at work. */
    public void pass(long nanos) {
        long end = clock.monotonicNanos() + nanos;
        until(() -> clock.monotonicNanos() - end >= 0);
    }

    public FsServer server() {
        return server;
    }

    /** The pool that the server opened last. */
    public PmemPool pool() {
        return pool;
    }

    public RecordingMedium medium() {
        return medium;
    }

    /** How long the last start of the server took, real time. */
    public long startNanos() {
        return startNanos;
    }

    public FakeClock clock() {
        return clock;
    }

    /** Breaks a client's connection, and it does not come back; its process may be alive for all that the server knows. */
    public void silence(TestClient client) {
        clients.remove(client);
        silenced.add(client);
        network.fail(client.rpc().connection(), "silenced by the test");
    }

    /** Lets a silenced client try to connect again. */
    public void hear(TestClient client) {
        silenced.remove(client);
        clients.add(client);
    }

    /** Has a client's process die. */
    public void forget(TestClient client) {
        clients.remove(client);
        client.close();
    }

    /** After a {@code CrashPoint}: the server is dead already, nothing is written by its close. */
    public void abandon() {
        server.crash();
    }

    @Override
    public void close() {
        clients.forEach(TestClient::close);
        silenced.forEach(TestClient::close);
        server.close();
        fabric.close();
    }
}
