package org.octofs.tests.simulation;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.octofs.tests.simulation.cluster.SimClient;
import org.octofs.tests.simulation.cluster.SimCluster;
import org.octofs.tests.simulation.cluster.SimServer;
import org.octofs.tests.simulation.world.SimProcess;
import org.octofs.tests.simulation.world.SimWorld;

/** Does harm at random moments until told to stop. Never more than the design promises to survive. */
final class Faults {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;

    private final SimWorld world;
    private final SimCluster cluster;
    private final Plan plan;
    private final Simulation simulation;
    private final Set<Integer> dead = new HashSet<>();
    private final Map<String, Integer> counts = new TreeMap<>();
    private boolean active;
    private boolean ended;

    Faults(SimWorld world, SimCluster cluster, Plan plan, Simulation simulation) {
        this.world = world;
        this.cluster = cluster;
        this.plan = plan;
        this.simulation = simulation;
    }

    void begin() {
        cluster.onServerDeath(server -> world.after(0, () -> restart(server)));
        active = plan.faultEveryCalls() > 0;
    }

    /** Ends it; servers that are down come back by themselves. */
    void end() {
        ended = true;
        active = false;
        cluster.network().hiccups(0);
        quiet();
    }

    private void quiet() {
        for (SimServer server : cluster.servers()) {
            cluster.network().slow(server.process(), 1);
            server.crashAtEvent(Long.MAX_VALUE / 2);
        }
    }

    /** Begins or ends a rest. */
    void pause(boolean value) {
        active = !value && !ended && plan.faultEveryCalls() > 0;
        if (value) {
            quiet();
        }
    }

    int count() {
        return counts.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** How often each kind was done. */
    Map<String, Integer> counts() {
        return counts;
    }

    private void did(String kind) {
        counts.merge(kind, 1, Integer::sum);
    }

    /** Numbers of clients that have died. */
    Set<Integer> deadClients() {
        return dead;
    }

    /** A call begins: perhaps something happens in the middle of it, or while that is being mended. */
    void onCall() {
        if (active && world.oneIn(plan.faultEveryCalls())) {
            world.after(world.random().nextLong(30_000), this::inject);
            if (world.oneIn(3)) {
                world.after(world.random().nextLong(100 * MILLI), this::inject);
            }
        }
    }

    /** A server's process has died: it comes back on what a crash has left of its medium. */
    private void restart(SimServer server) {
        server.loseWhatIsVolatile();
        simulation.serverDied();
        long down = world.oneIn(8)
                ? world.random().nextLong(5 * SECOND)
                : world.random().nextLong(200 * MILLI);
        world.after(down, () -> {
            world.note("restarts node " + server.node());
            server.start();
        });
    }

    private <T> T pick(List<T> list) {
        return list.get(world.random().nextInt(list.size()));
    }

    private void inject() {
        if (!active) {
            return;
        }
        SimServer server = pick(cluster.servers());
        switch (world.random().nextInt(10)) {
            case 0, 1 -> {
                if (plan.serversCrash() && server.isRunning()) {
                    did("server killed");
                    server.process().kill();
                }
            }
            case 2, 3 -> {
                if (plan.serversCrash() && server.isRunning()) {
                    did("server dies at a store, flush or fence");
                    server.crashAtEvent(1 + world.random().nextLong(world.oneIn(2) ? 60 : 600));
                }
            }
            case 4, 5 -> {
                if (plan.connectionsFail() && cluster.network().breakOne()) {
                    did("connection broken");
                }
            }
            case 6 -> cutSomebody(server);
            case 7 -> killClient();
            case 8 -> {
                if (plan.processesPause() && server.isRunning()) {
                    did("server paused");
                    server.process().pause(world.random().nextLong(300 * MILLI));
                }
            }
            default -> {
                int factor = world.oneIn(2) ? 1 : 1 + world.random().nextInt(200);
                if (factor > 1) {
                    did("server slowed");
                }
                cluster.network().slow(server.process(), factor);
            }
        }
    }

    private void cutSomebody(SimServer server) {
        if (!plan.connectionsFail() || !server.isRunning()) {
            return;
        }
        SimServer other = pick(cluster.servers());
        List<SimClient> clients = simulation.clients();
        SimProcess process = world.oneIn(2) || clients.isEmpty()
                ? other.process()
                : pick(clients).process();
        if (process != server.process() && !process.isDead()) {
            did("processes cut off from each other");
            cluster.network().cut(server.process(), process, world.random().nextLong(500 * MILLI));
        }
    }

    private void killClient() {
        List<SimClient> clients = simulation.clients().stream()
                .filter(client -> !client.process().isDead())
                .toList();
        if (plan.clientsDie() && !clients.isEmpty() && dead.size() < 6) {
            did("client killed");
            SimClient client = pick(clients);
            simulation.clientDied(client);
            dead.add(client.number());
            client.process().kill();
        }
    }
}
