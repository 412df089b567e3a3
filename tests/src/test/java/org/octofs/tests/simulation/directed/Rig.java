package org.octofs.tests.simulation.directed;

import java.io.IOException;
import java.util.function.BooleanSupplier;
import org.octofs.client.client.Consistency;
import org.octofs.client.client.FsException;
import org.octofs.pmem.pool.GeometryOptions;
import org.octofs.rpc.fabric.TransportKind;
import org.octofs.tests.simulation.cluster.ClusterShape;
import org.octofs.tests.simulation.cluster.SimClient;
import org.octofs.tests.simulation.cluster.SimCluster;
import org.octofs.tests.simulation.cluster.SimServer;
import org.octofs.tests.simulation.world.SimWorld;
import org.octofs.tests.simulation.world.Trace;

/** A small simulated cluster whose steps a test makes. The same seed gives the same steps. */
final class Rig {
    static final long MILLI = 1_000_000L;
    static final long SECOND = 1_000 * MILLI;
    static final long LEASE = 60 * SECOND;
    private static final long DEADLINE = 20 * SECOND;
    private static final int STEPS_MAX = 200_000;

    final SimWorld world;
    final SimCluster cluster;
    private long restartAfterNanos = MILLI;

    /** A call in a thread of its own. */
    static final class Task {
        private boolean done;
        private FsException failure;

        boolean isDone() {
            return done;
        }

        /** Null if it succeeded, or has not ended. */
        FsException failure() {
            return failure;
        }
    }

    /** Something to call. */
    @FunctionalInterface
    interface Body {
        void run() throws FsException;
    }

    /** A cluster that runs. */
    Rig(int nodes, Consistency consistency, long seed) {
        world = new SimWorld(seed, new Trace(null, false));
        cluster = new SimCluster(
                world,
                new ClusterShape(
                        nodes,
                        nodes,
                        8L << 20,
                        new GeometryOptions(3, 1 << 20, 256 << 10, 128 << 10, true),
                        TransportKind.TCP,
                        1024,
                        LEASE,
                        0,
                        consistency,
                        DEADLINE,
                        1 << 20,
                        DEADLINE,
                        0));
        cluster.network().hiccups(0);
        cluster.onServerDeath(server -> world.after(0, () -> {
            server.loseWhatIsVolatile();
            world.after(restartAfterNanos, server::start);
        }));
        cluster.servers().forEach(SimServer::start);
        untilAllServe();
    }

    void untilAllServe() {
        until(() -> cluster.servers().stream().allMatch(server -> server.server() != null));
    }

    /** How long a server that has died stays away. */
    void restartAfter(long nanos) {
        restartAfterNanos = nanos;
    }

    /** A client that is connected to all servers. */
    SimClient client() {
        SimClient client = cluster.client();
        Task connect = connect(client);
        until(connect::isDone);
        return client;
    }

    /** Begins to connect a client. */
    Task connect(SimClient client) {
        return go(client, () -> {
            try {
                client.connect();
            } catch (IOException e) {
                throw new IllegalStateException("a client cannot connect", e);
            }
        });
    }

    /** Begins a call in a thread of a client. */
    Task go(SimClient client, Body body) {
        Task task = new Task();
        client.process().start("task", () -> {
            try {
                body.run();
            } catch (FsException e) {
                task.failure = e;
            }
            task.done = true;
        });
        return task;
    }

    /** Calls, and steps until it has ended; it must succeed. */
    void call(SimClient client, Body body) {
        Task task = go(client, body);
        until(task::isDone);
        if (task.failure != null) {
            throw new AssertionError("a call failed", task.failure);
        }
    }

    void until(BooleanSupplier condition) {
        for (int i = 0; !condition.getAsBoolean(); i++) {
            if (i == STEPS_MAX) {
                throw new AssertionError("no end after " + STEPS_MAX + " steps");
            }
            world.step();
        }
    }

    /** Makes some steps, fewer if a task has ended. */
    void steps(int count, Task task) {
        for (int i = 0; i < count && !task.isDone(); i++) {
            world.step();
        }
    }

    /** Lets time pass. */
    void pass(long nanos) {
        long end = world.now() + nanos;
        until(() -> world.now() >= end);
    }

    /** Has a server die with what is not durable, and come back. */
    void crash(int node) {
        cluster.servers().get(node).process().kill();
    }
}
