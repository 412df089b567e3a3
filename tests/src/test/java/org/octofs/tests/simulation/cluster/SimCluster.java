package org.octofs.tests.simulation.cluster;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.cluster.ClusterNode;
import org.octofs.rpc.fabric.FabricConfig;
import org.octofs.tests.simulation.net.SimNetwork;
import org.octofs.tests.simulation.world.SimProcess;
import org.octofs.tests.simulation.world.SimWorld;

/** All nodes of a simulated cluster, and what its processes have in common. */
public final class SimCluster {
    private static final int FIRST_PORT = 1000;

    private final SimWorld world;
    private final ClusterShape shape;
    private final SimNetwork network;
    private final ClusterMap map;
    private final List<SimServer> servers = new ArrayList<>();
    private Consumer<SimServer> deathListener = server -> {};
    private int clientCount;
    private boolean hasKernels;
    private int keptAnswers;

    /** Formats the pools; nobody runs yet. */
    public SimCluster(SimWorld world, ClusterShape shape) {
        this.world = world;
        this.shape = shape;
        this.network = new SimNetwork(world, shape.transport());
        List<ClusterNode> nodes = new ArrayList<>();
        for (int node = 0; node < shape.nodes(); node++) {
            nodes.add(new ClusterNode(node, "127.0.0.1", FIRST_PORT + node, Path.of("/none/" + node)));
        }
        map = new ClusterMap(new UUID(5, 6), "simulated", 1, shape.shards(), nodes);
        for (int node = 0; node < shape.nodes(); node++) {
            servers.add(new SimServer(this, node));
        }
    }

    /** Where it is. */
    public SimWorld world() {
        return world;
    }

    /** How it is built. */
    public ClusterShape shape() {
        return shape;
    }

    /** Its wires. */
    public SimNetwork network() {
        return network;
    }

    /** Its map. */
    public ClusterMap map() {
        return map;
    }

    /** Its nodes. */
    public List<SimServer> servers() {
        return servers;
    }

    /** Sets who hears of servers' deaths. */
    public void onServerDeath(Consumer<SimServer> listener) {
        deathListener = listener;
    }

    void serverDied(SimServer server) {
        deathListener.accept(server);
    }

    /** Sets whether something keeps names and attributes above the clients. */
    public void kernels(boolean value) {
        hasKernels = value;
    }

    /** Answers that were given out of what was kept, by all clients so far. */
    public int keptAnswers() {
        return keptAnswers;
    }

    void answeredFromKept() {
        keptAnswers++;
    }

    boolean hasKernels() {
        return hasKernels;
    }

    /** A new client process. */
    public SimClient client() {
        return new SimClient(this, clientCount++);
    }

    FabricConfig fabricConfig(SimProcess process) {
        FabricConfig usual =
                FabricConfig.defaults(process.name(), world::nanoTime, world.random()::nextLong, process.threads());
        return new FabricConfig(
                usual.name(),
                EnumSet.of(shape.transport()),
                0,
                shape.queueEntries(),
                usual.receiverNotReadyNanos(),
                usual.handshakeNanos(),
                usual.peerTimeoutNanos(),
                usual.bulkThresholdBytes(),
                null,
                usual.clock(),
                usual.random(),
                usual.threads());
    }
}
