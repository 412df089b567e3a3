package org.octofs.tests.simulation.cluster;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Random;
import org.octofs.pmem.medium.Progress;
import org.octofs.pmem.medium.RecordingMedium;
import org.octofs.pmem.pool.PmemPool;
import org.octofs.pmem.pool.PoolExpectation;
import org.octofs.pmem.pool.PoolFormatter;
import org.octofs.pmem.pool.PoolIdentity;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.fabric.TransportKind;
import org.octofs.server.ServerClock;
import org.octofs.server.recovery.RecoveryProgress;
import org.octofs.server.server.FsServer;
import org.octofs.server.server.ServerConfig;
import org.octofs.tests.simulation.net.SimFabric;
import org.octofs.tests.simulation.world.SimProcess;
import org.octofs.tests.simulation.world.SimWorld;

/** A node: its medium, and the process of its server while that lives. */
public final class SimServer {
    private static final long WALL_START_NANOS = 1_700_000_000_000_000_000L;
    private static final long BLOCK_BYTES = 4096;

    private final SimCluster cluster;
    private final SimWorld world;
    private final int node;
    private RecordingMedium recorder;
    private SimProcess process;
    private FsServer server;
    private boolean stopping;
    private boolean stopped;
    private int lives;

    SimServer(SimCluster cluster, int node) {
        this.cluster = cluster;
        this.world = cluster.world();
        this.node = node;
        ClusterShape shape = cluster.shape();
        recorder = new RecordingMedium(shape.poolBytes());
        PoolFormatter.format(
                recorder,
                new PoolIdentity(
                        cluster.map().id(), node, shape.nodes(), cluster.map().shardCount()),
                shape.geometry(),
                0,
                Progress.NONE);
        recorder.startRecording();
    }

    /** Which node it is. */
    public int node() {
        return node;
    }

    /** Its process; a dead one between a crash and the next start. */
    public SimProcess process() {
        return process;
    }

    /** What is on the medium now, as far as the processor sees it. */
    public MemorySegment memory() {
        return recorder.memory();
    }

    /** True while a process serves or recovers. */
    public boolean isRunning() {
        return process != null && !process.isDead() && !stopped;
    }

    /** Starts a process on what the medium holds. */
    public void start() {
        lives++;
        process = world.process("server" + node + "." + lives);
        stopping = false;
        stopped = false;
        server = null;
        process.onDeath(() -> cluster.serverDied(this));
        SimProcess self = process;
        process.start("worker", () -> serve(self));
    }

    @SuppressWarnings("ThreadPriorityCheck") // the thread scheduler is the simulation
    private void serve(SimProcess self) {
        SimMedium medium = new SimMedium(recorder, self, cluster.shape().preemptOneIn());
        SimFabric fabric = cluster.network().fabric(self, cluster.fabricConfig(self));
        fabric.onRemoteWrite(this::remoteWrite);
        FsServer started;
        try {
            PmemPool pool =
                    PmemPool.open(medium, new PoolExpectation(cluster.map().id(), node));
            ServerConfig config = ServerConfig.of(
                            cluster.map(), node, cluster.world().random().nextLong() & 0xFFFF_FFFFL)
                    .withLease(Duration.ofNanos(cluster.shape().leaseNanos()))
                    .withLinger(Duration.ofNanos(cluster.shape().lingerNanos()))
                    .withPeerTransport(TransportChoice.AUTO);
            started = new FsServer(config, pool, fabric, clock(), RecoveryProgress.NONE);
        } catch (IOException e) {
            throw new IllegalStateException("server " + node + " does not start: " + e.getMessage(), e);
        }
        world.note("serves " + self.name());
        server = started;
        while (!stopping) {
            if (started.doWork() == 0) {
                started.await();
            } else {
                Thread.yield(); // others may go on too, as on a machine with more than one processor
            }
        }
        started.close();
        fabric.close();
        stopped = true;
        world.note("stopped " + self.name());
    }

    private ServerClock clock() {
        return new ServerClock() {
            @Override
            public long monotonicNanos() {
                return world.nanoTime();
            }

            @Override
            public long wallNanos() {
                return WALL_START_NANOS + world.now();
            }
        };
    }

    private void remoteWrite(long offset, long lengthBytes) {
        recorder.recordRemoteWrite(offset, lengthBytes);
        if (cluster.network().kind() == TransportKind.LOOPBACK && lengthBytes >= BLOCK_BYTES) {
            recorder.persistRemoteWrite(offset, lengthBytes);
        }
    }

    /** Has the process die at the n-th store, flush or fence from now. */
    public void crashAtEvent(long events) {
        recorder.stopAt(recorder.eventCount() + events);
    }

    /** The process has died: the medium keeps what a crash leaves, by chance. */
    public void loseWhatIsVolatile() {
        recorder = recorder.crashed(new Random(world.random().nextLong()));
    }

    /** Asks the process to stop in order. */
    public void stop() {
        stopping = true;
        if (server != null) {
            server.wakeup();
        }
    }

    /** True once it has stopped in order. */
    public boolean isStopped() {
        return stopped;
    }

    /** The product's server while it serves, else null. */
    public FsServer server() {
        return isRunning() ? server : null;
    }
}
