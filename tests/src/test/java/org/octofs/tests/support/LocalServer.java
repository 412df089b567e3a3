package org.octofs.tests.support;

import java.io.IOException;
import java.util.concurrent.Semaphore;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.server.ServerClock;
import org.octofs.server.recovery.RecoveryProgress;
import org.octofs.server.server.FsServer;
import org.octofs.server.server.ServerConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One server of a {@link LocalCluster}, with its worker thread; can be killed and started again. */
public final class LocalServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LocalServer.class);
    private static final long STOP_MILLIS = 10_000;

    private final LocalCluster cluster;
    private final int node;
    private final Semaphore turns = new Semaphore(1);
    private Fabric fabric;
    private FsServer server;
    private Thread worker;
    private volatile boolean stopping;
    private volatile boolean crashing;
    private boolean held;

    LocalServer(LocalCluster cluster, int node) {
        this.cluster = cluster;
        this.node = node;
    }

    /** Opens the pool and serves. */
    public void start() throws IOException {
        stopping = false;
        crashing = false;
        fabric = cluster.createFabric("server " + node);
        server = new FsServer(
                ServerConfig.of(cluster.map(), node, LocalCluster.random() & 0xFFFF)
                        .withLease(cluster.lease())
                        .withPeerTransport(cluster.choice()),
                cluster.openPool(node),
                fabric,
                ServerClock.system(),
                RecoveryProgress.NONE);
        FsServer running = server;
        worker = Thread.ofPlatform().daemon().name("server-" + node).start(() -> work(running));
    }

    private void work(FsServer running) {
        try {
            running.run(this::isStopping);
        } catch (RuntimeException e) {
            LOG.error("server {} stopped", node, e);
        } finally {
            if (crashing) {
                running.crash();
            } else {
                running.close();
            }
        }
    }

    private boolean isStopping() {
        turns.acquireUninterruptibly();
        turns.release();
        return stopping;
    }

    /** Answers nobody until {@link #goOn}, though its memory can be read. */
    public void hold() {
        turns.acquireUninterruptibly();
        held = true;
        while (!turns.hasQueuedThreads()) {
            server.wakeup();
            Thread.onSpinWait();
        }
    }

    /** Ends {@link #hold}. */
    public void goOn() {
        held = false;
        turns.release();
    }

    /** The server itself; its state belongs to the worker. */
    public FsServer server() {
        return server;
    }

    /** Stops without telling anybody or tidying up, as {@code kill -9} does. */
    public void crash() {
        crashing = true;
        stop();
    }

    @Override
    public void close() {
        stop();
    }

    private void stop() {
        if (worker == null) {
            return;
        }
        stopping = true;
        server.wakeup();
        if (held) {
            goOn(); // to its end, and without an answer to anybody
        }
        try {
            worker.join(STOP_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        worker = null;
        fabric.close();
    }
}
