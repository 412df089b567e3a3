package org.octofs.tests.crash;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.octofs.pmem.medium.CallSites;
import org.octofs.pmem.medium.Progress;
import org.octofs.pmem.medium.RecordingMedium;
import org.octofs.pmem.pool.GeometryOptions;
import org.octofs.pmem.pool.PmemPool;
import org.octofs.pmem.pool.PoolExpectation;
import org.octofs.pmem.pool.PoolFormatter;
import org.octofs.pmem.pool.PoolIdentity;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.cluster.ClusterNode;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricConfig;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.fabric.TransportKind;
import org.octofs.rpc.fabric.loopback.LoopbackNetwork;
import org.octofs.rpc.fabric.loopback.WriteObserver;
import org.octofs.server.check.CheckOptions;
import org.octofs.server.check.CheckReport;
import org.octofs.server.check.ClusterCheck;
import org.octofs.server.data.FileSpace;
import org.octofs.server.ops.OperationHandler;
import org.octofs.server.recovery.RecoveryProgress;
import org.octofs.server.server.FsServer;
import org.octofs.server.server.ServerConfig;

/**
 * Real servers over recording media, and at most one client, in one thread. A {@link Watcher} sees every event on the media and
 * every one-sided write, and may end the node that causes it by throwing {@link PowerLoss}.
 */
final class CrashWorld implements AutoCloseable {
    static final int SHARDS = 6;
    static final Duration LEASE = Duration.ofSeconds(2);
    /** Segments of less than a MiB take no data. */
    private static final long POOL_BYTES = 1 << 20;

    private static final int METADATA_SHARE = 2;
    private static final long DATA_POOL_BYTES = 4 << 20;
    private static final int DATA_METADATA_SHARE = 8;
    private static final long DATA_SEGMENT_BYTES = 1 << 20;
    private static final int FIRST_PORT = 7400;
    private static final long STEP_NANOS = 1_000_000L;
    private static final int TURNS_MAX = 100_000;

    final ClusterMap map;
    final StepClock clock;
    private final DelayScheduler delays;
    private final LoopbackNetwork network;
    private final SplittableRandom random;
    private final RecordingMedium[] media;
    private final FsServer[] servers;
    private final Fabric[] fabrics;
    private final CallSites sites;
    private Watcher watcher = Watcher.NONE;
    private WireClient client;
    private int acting = -1;
    private Runnable afterTurn = () -> {};
    private int turnsToStart = -1;

    /** Sees what happens. */
    @FunctionalInterface
    interface Watcher {
        Watcher NONE = (_, _) -> {};

        /** Something is about to happen on behalf of {@code node}; -1 is the client. */
        void before(int node, What what);

        /** {@code node} was ended by a {@link PowerLoss}. */
        default void lost(int node) {
            throw new AssertionError("nobody has ordered a power loss");
        }
    }

    /** What a watcher sees. */
    enum What {
        STORE,
        FLUSH,
        FENCE,
        /** A one-sided write into a pool. */
        WRITE
    }

    private CrashWorld(int nodeCount, long seed, long startNanos, long wireNanos, CallSites sites) {
        List<ClusterNode> nodes = new ArrayList<>();
        for (int i = 0; i < nodeCount; i++) {
            nodes.add(new ClusterNode(i, "127.0.0.1", FIRST_PORT + i, Path.of("/pool" + i)));
        }
        map = new ClusterMap(new UUID(1, 2), "crash", 1, SHARDS, nodes);
        clock = new StepClock(startNanos);
        random = new SplittableRandom(seed);
        media = new RecordingMedium[nodeCount];
        servers = new FsServer[nodeCount];
        fabrics = new Fabric[nodeCount];
        this.sites = sites;
        delays = new DelayScheduler(clock, wireNanos);
        network = LoopbackNetwork.stepped(wireNanos > 0 ? delays : new EagerScheduler());
        network.observeWrites(new Writes());
    }

    /** A freshly formatted cluster, recorded from its first start on. */
    static CrashWorld format(int nodeCount, boolean withData, CallSites sites) {
        return format(nodeCount, withData, 0, sites);
    }

    /** As the other, with verbs that take a while. */
    static CrashWorld format(int nodeCount, boolean withData, long wireNanos, CallSites sites) {
        GeometryOptions options = withData ? dataGeometry() : smallGeometry();
        CrashWorld world = new CrashWorld(nodeCount, 42, 1_000_000_000L, wireNanos, sites);
        for (int i = 0; i < nodeCount; i++) {
            RecordingMedium medium = new RecordingMedium(withData ? DATA_POOL_BYTES : POOL_BYTES);
            PoolFormatter.format(
                    medium, new PoolIdentity(world.map.id(), i, nodeCount, SHARDS), options, 1, Progress.NONE);
            world.media[i] = medium.callSites(sites).startRecording();
        }
        world.startAll();
        return world;
    }

    /**
     * A cluster of which nothing runs yet, over contents that a crash has left; they become the world's.
     *
     * @param recorded whether it may crash again
     */
    static CrashWorld over(MemorySegment[] images, StepClock clock, CallSites sites, boolean recorded) {
        CrashWorld world = new CrashWorld(images.length, 43, clock.monotonicNanos() + 1_000_000L, 0, sites);
        for (int i = 0; i < images.length; i++) {
            world.media[i] = RecordingMedium.over(images[i]).callSites(sites);
            if (recorded) {
                world.media[i].startRecording();
            }
        }
        return world;
    }

    /** How pools that take no data are made. */
    static GeometryOptions smallGeometry() {
        return GeometryOptions.tinyDefaults().withMetadataShare(METADATA_SHARE);
    }

    private static GeometryOptions dataGeometry() {
        return GeometryOptions.tinyDefaults()
                .withMetadataShare(DATA_METADATA_SHARE)
                .withSegmentSizeBytes(DATA_SEGMENT_BYTES);
    }

    void watch(Watcher value) {
        watcher = value;
    }

    int nodeCount() {
        return media.length;
    }

    RecordingMedium medium(int node) {
        return media[node];
    }

    FsServer server(int node) {
        return servers[node];
    }

    FileSpace files(int node) {
        return (FileSpace) servers[node].state().contents();
    }

    boolean isUp(int node) {
        return servers[node] != null;
    }

    /** Executions of each operation by the servers that run now. */
    Map<Integer, Long> operations() {
        Map<Integer, Long> counts = new TreeMap<>();
        for (FsServer server : servers) {
            for (int code = 1; server != null && code <= Byte.MAX_VALUE; code++) {
                counts.merge(code, server.dispatcher().count(code), Long::sum);
            }
        }
        return counts;
    }

    /** Class names of the handlers that servers have. */
    Set<String> handlers() {
        Set<String> names = new TreeSet<>();
        for (int code = 1; code <= Byte.MAX_VALUE; code++) {
            OperationHandler handler = servers[0].dispatcher().handlerOf(code);
            if (handler != null) {
                names.add(handler.getClass().getName());
            }
        }
        return names;
    }

    int home(long ino) {
        return map.homeOf(org.octofs.rpc.protocol.InodeNumber.shard(ino));
    }

    /** The client; made at the first call. */
    WireClient client() {
        if (client == null) {
            client = new WireClient(this, fabric("client"));
        }
        return client;
    }

    Fabric fabric(String name) {
        return network.createFabric(FabricConfig.defaults(
                        name,
                        clock::monotonicNanos,
                        random::nextLong,
                        Thread.ofPlatform().daemon().factory())
                .withTransports(EnumSet.of(TransportKind.LOOPBACK))
                .withReceiveQueue(1 << 8, 1_000_000_000L));
    }

    // ------------------------------------------------------------------------------------------------ life

    /** Starts what does not run; a watcher may end a node in the middle of it, then it stays down. */
    void startAll() {
        for (int node = 0; node < media.length; node++) {
            if (servers[node] == null) {
                start(node);
            }
        }
    }

    private void start(int node) {
        media[node].observe(event -> seen(node, event));
        fabrics[node] = fabric("server " + node);
        running(node, () -> {
            try {
                PmemPool pool = PmemPool.open(media[node], new PoolExpectation(map.id(), node));
                ServerConfig config = ServerConfig.of(map, node, random.nextLong() >>> 20)
                        .withPeerTransport(TransportChoice.LOOPBACK)
                        .withLease(LEASE)
                        .withConnectsInPoll(true);
                servers[node] = new FsServer(config, pool, fabrics[node], clock, RecoveryProgress.NONE);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /** Ends a node and gives it another content; it stays down until {@link #startAll}. */
    void crash(int node, MemorySegment image) {
        if (servers[node] != null) {
            servers[node].crash();
            servers[node] = null;
        }
        fabrics[node].close();
        media[node] = RecordingMedium.over(image).callSites(sites).startRecording();
    }

    /** Has something done when this turn is over. */
    void afterTurn(Runnable action) {
        afterTurn = action;
    }

    /** {@link #startAll} after so many turns. */
    void startLater(int turns) {
        turnsToStart = turns;
    }

    /** Ends all nodes at once and starts them over everything that they had stored. */
    void restart() {
        for (int node = 0; node < media.length; node++) {
            crash(node, media[node].memory());
        }
        startAll();
    }

    private void seen(int node, RecordingMedium.Event event) {
        watcher.before(
                node,
                switch (event) {
                    case STORE -> What.STORE;
                    case FLUSH -> What.FLUSH;
                    case FENCE -> What.FENCE;
                });
    }

    private void running(int node, Runnable action) {
        int before = acting;
        acting = node;
        try {
            action.run();
        } catch (PowerLoss e) {
            acting = before;
            watcher.lost(node);
        } finally {
            acting = before;
        }
    }

    /** Tells the media what others write into them. */
    private final class Writes implements WriteObserver {
        @Override
        public void writing(MemorySegment region, long offset, long lengthBytes) {
            if (find(region) >= 0) {
                watcher.before(acting, What.WRITE);
            }
        }

        @Override
        public void written(MemorySegment region, long offset, long lengthBytes) {
            int node = find(region);
            if (node >= 0) {
                long base = region.address() - media[node].memory().address();
                media[node].recordRemoteWrite(base + offset, lengthBytes);
            }
        }

        private int find(MemorySegment region) {
            for (int i = 0; i < media.length; i++) {
                long at = region.address() - media[i].memory().address();
                if (at >= 0 && at < media[i].sizeBytes()) {
                    return i;
                }
            }
            return -1;
        }
    }

    // ------------------------------------------------------------------------------------------------ work

    /** One turn of everybody; how much was done. */
    int turn() {
        int[] done = new int[1];
        for (int node = 0; node < servers.length; node++) {
            FsServer server = servers[node];
            if (server != null) {
                running(node, () -> done[0] += server.doWork());
            }
        }
        if (client != null) {
            running(-1, () -> done[0] += client.poll());
        }
        Runnable after = afterTurn;
        afterTurn = () -> {};
        after.run();
        if (turnsToStart >= 0 && turnsToStart-- == 0) {
            startAll();
        }
        return done[0];
    }

    /** Turns until something holds; time passes when nobody does anything. */
    void until(BooleanSupplier condition, String what) {
        int idle = 0;
        for (int turns = 0; !condition.getAsBoolean(); turns++) {
            if (turns == TURNS_MAX) {
                throw new AssertionError("within " + TURNS_MAX + " turns it did not come true that " + what);
            }
            long executed = delays.executed();
            if (turn() > 0 || delays.executed() > executed) {
                idle = 0;
            } else if (delays.nanosToNext() > 0) {
                clock.advance(delays.nanosToNext());
            } else {
                clock.advance(STEP_NANOS << Math.min(6, idle++ / 8));
            }
        }
    }

    /** Turns until no transaction is under way and nobody has anything to do. */
    void settle() {
        int[] idle = new int[1];
        until(
                () -> {
                    idle[0] = isQuiet() && turn() == 0 ? idle[0] + 1 : 0;
                    return idle[0] > 3;
                },
                "the cluster settles: " + state());
    }

    /** Lets time pass with everybody at work. */
    void pass(Duration time) {
        long end = clock.monotonicNanos() + time.toNanos();
        until(() -> clock.monotonicNanos() - end >= 0, "time passes");
    }

    boolean isQuiet() {
        for (FsServer server : servers) {
            if (server == null
                    || server.transactions().heldCount() > 0
                    || server.transactions().unconfirmedCount() > 0
                    || server.transactions().runningCount() > 0
                    || server.dispatcher().waitingCount() > 0
                    || server.state().locks().size() > 0) {
                return false;
            }
        }
        return true;
    }

    /** What {@code octofs fsck --data} says of the pools as they are now; nothing must be wrong. */
    void fsck(String what) {
        CheckReport report =
                ClusterCheck.run(List.of(media), CheckOptions.defaults().withData());
        Picture.check(report.isClean(), what + ": " + report);
    }

    private String state() {
        StringBuilder text = new StringBuilder();
        for (FsServer server : servers) {
            text.append(
                    server == null ? "[down]" : "[up, " + server.transactions().heldCount() + " held]");
        }
        return text.toString();
    }

    InetSocketAddress address(int node) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), FIRST_PORT + node);
    }

    @Override
    public void close() {
        watcher = Watcher.NONE;
        if (client != null) {
            client.close();
        }
        for (int node = 0; node < servers.length; node++) {
            if (servers[node] != null) {
                servers[node].crash();
            }
            if (fabrics[node] != null) {
                fabrics[node].close();
            }
        }
    }
}
