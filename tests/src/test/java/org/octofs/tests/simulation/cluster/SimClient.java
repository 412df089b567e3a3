package org.octofs.tests.simulation.cluster;

import java.io.IOException;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.octofs.client.client.ClientConfig;
import org.octofs.client.client.FsClient;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.tests.simulation.world.SimProcess;
import org.octofs.tests.simulation.world.SimWorld;

/** A client process; connects in one of its own threads. */
public final class SimClient {
    private static final long WALL_START_NANOS = 1_700_000_000_000_000_000L;

    private final SimCluster cluster;
    private final int number;
    private final SimProcess process;
    private FsClient client;
    private SimKernel kernel;

    SimClient(SimCluster cluster, int number) {
        this.cluster = cluster;
        this.number = number;
        this.process = cluster.world().process("client" + number);
    }

    /** Counts up over all clients of a cluster. */
    public int number() {
        return number;
    }

    /** Its process. */
    public SimProcess process() {
        return process;
    }

    /** The product's client, after {@link #connect}. */
    public FsClient files() {
        return client;
    }

    /** What keeps names and attributes above it, after {@link #connect}; null if nothing does. */
    public SimKernel kernel() {
        return kernel;
    }

    /** Connects; in a thread of the process. */
    public FsClient connect() throws IOException {
        SimWorld world = cluster.world();
        ClusterShape shape = cluster.shape();
        LongSupplier wall = () -> WALL_START_NANOS + world.now();
        client = FsClient.connect(
                cluster.map(),
                ClientConfig.builder()
                        .name(process.name())
                        .fabric(cluster.network().fabric(process, cluster.fabricConfig(process)))
                        .clock(world::nanoTime)
                        .wallClock(wall)
                        .random(world.random()::nextLong)
                        .threads(process.threads())
                        .transport(TransportChoice.AUTO)
                        .consistency(shape.consistency())
                        .operationDeadline(Duration.ofNanos(shape.operationNanos()))
                        .connectDeadline(Duration.ofNanos(shape.operationNanos()))
                        .pendingBytesMax(shape.pendingBytes())
                        .commitAfter(Duration.ofNanos(shape.commitAfterNanos()))
                        .dentryCacheEntries(64)
                        .slotCacheEntries(64)
                        .idleFilesMax(4)
                        .leaseQuiet(Duration.ZERO)
                        .build());
        if (cluster.hasKernels()) {
            kernel = new SimKernel(cluster);
            kernel.start(client);
        }
        return client;
    }
}
