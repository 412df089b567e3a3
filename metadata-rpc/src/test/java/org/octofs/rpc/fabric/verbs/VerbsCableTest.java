package org.octofs.rpc.fabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.FabricFactory;
import org.octofs.rpc.fabric.Listener;
import org.octofs.rpc.fabric.MemoryRegion;
import org.octofs.rpc.fabric.QueueThread;
import org.octofs.rpc.fabric.ReceiveQueue;
import org.octofs.rpc.fabric.RecordingAcceptor;
import org.octofs.rpc.fabric.TestFabricConfig;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.fabric.TransportKind;
import org.octofs.rpc.fabric.WorkRequest;
import org.octofs.rpc.fabric.WorkStatus;

/**
 * A link that goes away: bounded time, the right errors, another transport meanwhile. Has to be the last of its guest: the
 * connection manager over SoftRoCE does not come back after that, for rping neither.
 */
@Tag("verbs")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class VerbsCableTest {
    private static void cable(String state) throws Exception {
        // The guest's only device; its interface is named by tests/vm/uml.
        Process process = new ProcessBuilder("ip", "link", "set", "dummy0", state)
                .inheritIO()
                .start();
        assertThat(process.waitFor()).isZero();
    }

    private static void assertFailed(Connection connection, WorkRequest request, long deadline) {
        assertThatThrownBy(() -> connection.await(request, deadline))
                .isInstanceOfSatisfying(
                        FabricException.class,
                        e -> assertThat(e.reason()).isEqualTo(FabricException.Reason.CONNECTION_FAILED));
        assertThat(request.status()).isEqualTo(WorkStatus.CONNECTION_FAILED);
    }

    @Test
    void pulledCableFailsTheConnectionAtBothEnds() throws Exception {
        try (Fabric server = FabricFactory.create(TestFabricConfig.named("server"));
                Fabric client = FabricFactory.create(TestFabricConfig.named("client"));
                Arena arena = Arena.ofShared()) {
            ReceiveQueue serverQueue = server.createReceiveQueue();
            ReceiveQueue clientQueue = client.createReceiveQueue();
            RecordingAcceptor acceptor = new RecordingAcceptor();
            MemoryRegion region = server.allocate(4096, Access.readWrite());
            acceptor.grants(region, Access.readWrite());
            Listener listener =
                    server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), serverQueue, acceptor);
            try (QueueThread thread = new QueueThread(serverQueue)) {
                assertThat(thread.thread().isAlive()).isTrue();
                long deadline = client.nanoTime() + TimeUnit.SECONDS.toNanos(40);
                Connection connection =
                        client.connect(listener.address(), TransportChoice.VERBS, new byte[0], clientQueue, deadline);
                WorkRequest request = new WorkRequest();
                connection.post(request.readInto(arena.allocate(8), 0, 8, region.rkey(), 0));
                connection.await(request, deadline);

                cable("down");
                long pulled = client.nanoTime();
                // More than the queue pair takes, so that some wait for room that never comes.
                WorkRequest[] outstanding = new WorkRequest[3 * SendQueue.DEPTH];
                for (int i = 0; i < outstanding.length; i++) {
                    outstanding[i] = new WorkRequest().readInto(arena.allocate(8), 0, 8, region.rkey(), 0);
                    connection.post(outstanding[i]);
                }
                for (WorkRequest each : outstanding) {
                    assertFailed(connection, each, deadline);
                }
                connection.post(request.readInto(arena.allocate(8), 0, 8, region.rkey(), 0));
                assertFailed(connection, request, deadline);
                acceptor.takeFailed();
                // Ten seconds for a peer that keeps quiet, and as much again for whatever else this machine does.
                assertThat(client.nanoTime() - pulled)
                        .isLessThan(2 * client.config().peerTimeoutNanos());
                assertThatThrownBy(() -> client.connect(
                                listener.address(), TransportChoice.VERBS, new byte[0], clientQueue, deadline))
                        .isInstanceOfSatisfying(
                                FabricException.class,
                                e -> assertThat(e.reason()).isEqualTo(FabricException.Reason.NO_TRANSPORT))
                        .hasMessageContaining("no RDMA connection");
                Connection meanwhile =
                        client.connect(listener.address(), TransportChoice.TCP, new byte[0], clientQueue, deadline);
                assertThat(meanwhile.transport()).isEqualTo(TransportKind.TCP);
            }
        }
    }
}
