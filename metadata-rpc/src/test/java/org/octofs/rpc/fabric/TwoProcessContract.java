package org.octofs.rpc.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a fabric between real processes promises, SIGKILL of one of them included. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public abstract class TwoProcessContract {
    private static final long SPIN_MICROS = 20;

    private Fabric fabric;
    private ReceiveQueue queue;
    private QueueThread queueThread;
    private RecordingAcceptor acceptor;
    private Listener listener;
    private MemoryRegion region;

    /** The transport under test. */
    protected abstract TransportChoice choice();

    @BeforeEach
    final void start() throws Exception {
        fabric = FabricFactory.create(TestFabricConfig.named("parent"));
        queue = fabric.createReceiveQueue();
        region = fabric.allocate(PeerMain.REGION_BYTES, Access.readWrite());
        acceptor = new RecordingAcceptor(PeerMain.encode(region.remote()));
        acceptor.grants(region, Access.readWrite());
        listener = fabric.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), queue, acceptor);
        queueThread = new QueueThread(queue);
    }

    @AfterEach
    final void stop() {
        queueThread.close();
        fabric.close();
    }

    private long deadline() {
        return fabric.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    }

    private PeerJvm startPeer(String role) throws Exception {
        return PeerJvm.start(role, choice(), listener.address().getPort(), SPIN_MICROS);
    }

    private void awaitKnownDead(PeerProcess process) {
        long deadline = deadline();
        while (!process.isKnownDead()) {
            assertThat(fabric.nanoTime()).as("the death of the peer is noticed").isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    @Test
    void dataAndImmediatesCrossTheBorder() throws Exception {
        try (PeerJvm peer = startPeer("exchange")) {
            Connection accepted = acceptor.takeConnected();
            assertThat(accepted.peerProcess().pid()).isEqualTo(peer.pid());
            assertThat(accepted.peerProcess().isSameHost()).isTrue();
            for (int i = 0; i < PeerMain.EXCHANGE_COUNT; i++) {
                assertThat(acceptor.takeImmediate()).isEqualTo(i);
            }
            assertThat(acceptor.takeFailed()).isSameAs(accepted);
            assertThat(peer.awaitExit()).isZero();
            int last = PeerMain.EXCHANGE_COUNT - 1;
            assertThat(region.memory().get(ValueLayout.JAVA_LONG, 65_536L * (last % 8)))
                    .isEqualTo(last);
        }
    }

    @Test
    void killedClientsFailTheirConnectionsAndNobodyElses() throws Exception {
        for (int round = 0; round < 3; round++) {
            try (PeerJvm victim = startPeer("hammer")) {
                Connection accepted = acceptor.takeConnected();
                for (int i = 0; i < 1000; i++) {
                    assertThat(acceptor.takeImmediate()).isEqualTo(7);
                }
                victim.kill(); // in the middle of its writes and arrivals
                assertThat(acceptor.takeFailed()).isSameAs(accepted);
                awaitKnownDead(accepted.peerProcess());
                assertThat(accepted.isQuiet()).isTrue();
            }
            acceptor.clearImmediates();
        }
        try (PeerJvm next = startPeer("exchange")) {
            for (int i = 0; i < PeerMain.EXCHANGE_COUNT; i++) {
                assertThat(acceptor.takeImmediate()).isEqualTo(i);
            }
            assertThat(next.awaitExit()).isZero();
        }
    }

    @Test
    void killedServerFailsTheConnectionAndItsSuccessorIsReached() throws Exception {
        for (int round = 0; round < 2; round++) {
            try (PeerJvm peer = PeerJvm.start("serve", choice(), 0, SPIN_MICROS);
                    Arena arena = Arena.ofShared()) {
                InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), peer.readPort());
                BlockingQueue<Integer> replies = new LinkedBlockingQueue<>();
                CountDownLatch failed = new CountDownLatch(1);
                Connection connection = fabric.connect(address, choice(), new byte[0], queue, deadline());
                connection.receiver((from, immediate) -> replies.add(immediate));
                connection.onFailure(failed::countDown);
                RemoteRegion remote = PeerMain.decode(connection.peerPrivateData());
                MemorySegment memory = arena.allocate(4096, 64);
                WorkRequest request = new WorkRequest();
                connection.post(request.writeImmediateFrom(memory, 0, 64, remote, 0, 41));
                connection.await(request, deadline());
                assertThat(replies.poll(30, TimeUnit.SECONDS)).isEqualTo(42);

                peer.kill();
                assertThatThrownBy(() -> postUntilFailure(connection, memory, remote))
                        .isInstanceOfSatisfying(
                                FabricException.class,
                                e -> assertThat(e.reason()).isEqualTo(FabricException.Reason.CONNECTION_FAILED));
                assertThat(failed.await(30, TimeUnit.SECONDS)).isTrue();
                awaitKnownDead(connection.peerProcess());
                assertThatThrownBy(() -> fabric.connect(address, choice(), new byte[0], queue, deadline()))
                        .isInstanceOfSatisfying(
                                FabricException.class,
                                e -> assertThat(e.reason()).isEqualTo(FabricException.Reason.UNREACHABLE));
                connection.close();
            }
        }
    }

    private void postUntilFailure(Connection connection, MemorySegment memory, RemoteRegion remote)
            throws FabricException {
        WorkRequest request = new WorkRequest();
        long deadline = deadline();
        while (fabric.nanoTime() < deadline) {
            connection.post(request.readInto(memory, 0, 4096, remote, 0));
            connection.await(request, deadline);
        }
    }
}
