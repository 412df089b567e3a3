package org.octofs.tests.simulation.net;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.octofs.rpc.fabric.ConnectionState;
import org.octofs.rpc.fabric.FabricConfig;
import org.octofs.rpc.fabric.TransportKind;
import org.octofs.tests.simulation.world.SimProcess;
import org.octofs.tests.simulation.world.SimWorld;

/**
 * The wires between the processes of a world: who listens where, how long things take, which connections there are.
 *
 * <p>Faults are those of a reliable connection: it fails as a whole; what its sender had posted may have arrived or not, a prefix of
 * it, and may still arrive at a peer that has not noticed. A process that dies is noticed some time later.
 */
public final class SimNetwork {
    private static final long LATENCY_NANOS = 1_500;
    private static final long HICCUP_NANOS = 3_000_000;
    private static final int BYTES_PER_NANO = 4;

    private final SimWorld world;
    private final TransportKind kind;
    private final Map<InetSocketAddress, SimListener> listeners = new HashMap<>();
    private final List<SimConnection> connections = new ArrayList<>();
    private final Map<SimProcess, Integer> slowness = new HashMap<>();
    private final Set<Set<SimProcess>> cuts = new HashSet<>();
    private int hiccupOneIn = 400;

    /**
     * A network without anybody.
     *
     * @param kind what connections call themselves: with TCP a write is visible when complete, with LOOPBACK durable as well
     */
    public SimNetwork(SimWorld world, TransportKind kind) {
        this.world = world;
        this.kind = kind;
    }

    /** The fabric of a process. */
    public SimFabric fabric(SimProcess process, FabricConfig config) {
        SimFabric fabric = new SimFabric(this, process, config);
        process.onDeath(() -> {
            fabric.processDied();
            slowness.remove(process); // or it would hold all that the process had
        });
        return fabric;
    }

    /** How often a message takes a thousand times as long, one in n; 0 never. */
    public void hiccups(int oneIn) {
        hiccupOneIn = oneIn;
    }

    /** Multiplies the time that a process's messages take. 1 is normal. */
    public void slow(SimProcess process, int factor) {
        if (!process.isDead()) {
            slowness.put(process, factor);
        }
    }

    /** Fails a connection of somebody's choice: one end notices now, the other later. */
    public boolean breakOne() {
        List<SimConnection> open = openConnections();
        if (open.isEmpty()) {
            return false;
        }
        SimConnection chosen = open.get(world.random().nextInt(open.size()));
        world.note("breaks " + chosen);
        chosen.fail("the simulation broke it");
        return true;
    }

    /** Fails what connects two processes, and lets them connect again only after a time. */
    public void cut(SimProcess one, SimProcess other, long nanos) {
        Set<SimProcess> pair = Set.of(one, other);
        if (!cuts.add(pair)) {
            return;
        }
        world.note("cuts " + one.name() + " from " + other.name());
        for (SimConnection connection : openConnections()) {
            if (pair.contains(connection.process())
                    && pair.contains(connection.peer().process())) {
                connection.fail("the simulation cut it");
            }
        }
        world.after(nanos, () -> {
            cuts.remove(pair);
            world.note("joins " + one.name() + " and " + other.name());
        });
    }

    boolean isCut(SimProcess one, SimProcess other) {
        return !cuts.isEmpty() && one != other && cuts.contains(Set.of(one, other));
    }

    private List<SimConnection> openConnections() {
        connections.removeIf(connection -> connection.state() != ConnectionState.OPEN);
        return connections.stream()
                .filter(connection -> !connection.process().isDead() && connection.peer() != null)
                .toList();
    }

    SimWorld world() {
        return world;
    }

    /** What connections call themselves. */
    public TransportKind kind() {
        return kind;
    }

    void add(SimConnection connection) {
        connections.add(connection);
    }

    long latencyNanos(SimProcess one, SimProcess other, long bytes) {
        long nanos = LATENCY_NANOS / 2 + world.random().nextLong(LATENCY_NANOS) + bytes / BYTES_PER_NANO;
        int factor = Math.max(slowness.getOrDefault(one, 1), slowness.getOrDefault(other, 1));
        if (hiccupOneIn > 0 && world.oneIn(hiccupOneIn)) {
            nanos += world.random().nextLong(HICCUP_NANOS);
        }
        return nanos * factor;
    }

    /** How long until the other end notices a failure. */
    long noticeNanos() {
        return switch (world.random().nextInt(4)) {
            case 0 -> world.random().nextLong(10_000);
            case 1 -> world.random().nextLong(1_000_000);
            case 2 -> world.random().nextLong(30_000_000);
            default -> world.random().nextLong(1_000_000_000);
        };
    }

    boolean bind(InetSocketAddress address, SimListener listener) {
        return listeners.putIfAbsent(address, listener) == null;
    }

    void unbind(InetSocketAddress address, SimListener listener) {
        listeners.remove(address, listener);
    }

    SimListener find(InetSocketAddress address) {
        return listeners.get(address);
    }
}
