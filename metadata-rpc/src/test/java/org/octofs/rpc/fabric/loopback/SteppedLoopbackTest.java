package org.octofs.rpc.fabric.loopback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.fabric.ConnectionState;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.MemoryRegion;
import org.octofs.rpc.fabric.ReceiveQueue;
import org.octofs.rpc.fabric.RecordingAcceptor;
import org.octofs.rpc.fabric.TestFabricConfig;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.fabric.WorkRequest;
import org.octofs.rpc.fabric.WorkStatus;

/** The stepped network: one thread, and a seed that decides the order between connections. */
final class SteppedLoopbackTest {
    private final Arena arena = Arena.ofShared();
    private final List<Fabric> fabrics = new ArrayList<>();

    private final class World {
        final SteppedScheduler scheduler;
        final LoopbackNetwork network;
        final RecordingAcceptor acceptor = new RecordingAcceptor();
        final ReceiveQueue serverQueue;
        final ReceiveQueue clientQueue;
        final MemoryRegion region;
        final InetSocketAddress address;
        final Fabric client;

        World(long seed) throws Exception {
            SplittableRandom random = new SplittableRandom(seed);
            scheduler = new SteppedScheduler(random::nextInt);
            network = LoopbackNetwork.stepped(scheduler);
            Fabric server = network.createFabric(TestFabricConfig.named("server"));
            client = network.createFabric(TestFabricConfig.named("client"));
            fabrics.add(server);
            fabrics.add(client);
            region = server.allocate(4096, Access.readWrite());
            acceptor.grants(region, Access.readWrite());
            serverQueue = server.createReceiveQueue();
            clientQueue = client.createReceiveQueue();
            address = server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), serverQueue, acceptor)
                    .address();
        }

        LoopbackConnection connect() throws FabricException {
            return (LoopbackConnection) client.connect(address, TransportChoice.AUTO, new byte[0], clientQueue, 0);
        }
    }

    @AfterEach
    void close() {
        fabrics.forEach(Fabric::close);
        arena.close();
    }

    private List<Integer> arrivalOrder(long seed) throws Exception {
        World world = new World(seed);
        List<Integer> order = new ArrayList<>();
        world.acceptor.alsoReceive((connection, immediate) -> order.add(immediate));
        List<Connection> connections = List.of(world.connect(), world.connect(), world.connect());
        for (int i = 0; i < 10; i++) {
            for (int c = 0; c < connections.size(); c++) {
                connections.get(c).post(new WorkRequest().immediateOnly(c * 100 + i));
            }
        }
        assertThat(order).isEmpty();
        assertThat(world.scheduler.pendingCount()).isEqualTo(30);
        while (world.serverQueue.await(Long.MAX_VALUE)) {
            world.serverQueue.poll(1);
        }
        return order;
    }

    @Test
    void aSeedDecidesTheOrderBetweenConnectionsAndNeverWithinOne() throws Exception {
        List<Integer> order = arrivalOrder(4711);
        assertThat(order).hasSize(30);
        for (int c = 0; c < 3; c++) {
            int first = c * 100;
            assertThat(order.stream().filter(i -> i / 100 == first / 100))
                    .isSorted()
                    .hasSize(10);
        }
        assertThat(arrivalOrder(4711)).isEqualTo(order);
        assertThat(arrivalOrder(4712)).isNotEqualTo(order);
    }

    @Test
    void awaitStepsTheNetworkAndGivesUpAtRest() throws Exception {
        World world = new World(1);
        LoopbackConnection connection = world.connect();
        MemorySegment memory = arena.allocate(8);
        memory.set(ValueLayout.JAVA_LONG, 0, 5);
        WorkRequest write = new WorkRequest().writeFrom(memory, 0, 8, world.region.remote(), 0);
        connection.post(write);
        assertThat(write.status()).isEqualTo(WorkStatus.PENDING);
        assertThat(world.region.memory().get(ValueLayout.JAVA_LONG, 0)).isZero();
        connection.await(write, 0);
        assertThat(world.region.memory().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(5);

        world.scheduler.hold(connection);
        WorkRequest held = new WorkRequest().immediateOnly(1);
        connection.post(held);
        assertThatThrownBy(() -> connection.await(held, 0))
                .isInstanceOfSatisfying(
                        FabricException.class, e -> assertThat(e.reason()).isEqualTo(FabricException.Reason.TIMEOUT));
        assertThat(world.serverQueue.await(Long.MAX_VALUE)).isFalse();
        world.scheduler.release(connection);
        connection.await(held, 0);
    }

    @Test
    void aBrokenConnectionFailsEverythingOutstandingAtBothEnds() throws Exception {
        World world = new World(1);
        LoopbackConnection connection = world.connect();
        List<WorkRequest> requests = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            requests.add(new WorkRequest().immediateOnly(i));
            connection.post(requests.get(i));
        }
        assertThat(world.scheduler.step()).isTrue();
        world.network.fail(connection, "cable pulled");
        assertThat(requests.get(0).status()).isEqualTo(WorkStatus.SUCCESS);
        assertThat(requests.subList(1, 5)).allMatch(r -> r.status() == WorkStatus.CONNECTION_FAILED);
        assertThat(connection.state()).isEqualTo(ConnectionState.FAILED);
        assertThat(connection.peer().failureReason()).contains("cable pulled");
        List<Integer> arrived = new ArrayList<>();
        world.acceptor.alsoReceive((from, immediate) -> arrived.add(immediate));
        while (world.serverQueue.poll(1) > 0) {
            // delivers the one arrival, then the failure
        }
        assertThat(arrived).containsExactly(0);
        assertThat(world.acceptor.failedCount()).isEqualTo(1);
        assertThat(world.scheduler.stepAll(100)).isLessThanOrEqualTo(4); // nothing of them has an effect any more
        assertThat(world.serverQueue.poll(1)).isZero();
    }
}
