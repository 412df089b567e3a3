package org.octofs.rpc.fabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.fabric.ConnectionState;
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
import org.octofs.rpc.fabric.WorkRequest;
import org.octofs.rpc.fabric.WorkStatus;
import org.octofs.rpc.fabric.handshake.PendingConnection;
import org.octofs.rpc.fabric.transport.ArrivalQueue;

/** What only a card can show: that it refuses by itself, and what happens to a receiver that does not look. */
@Tag("verbs")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class VerbsGuestTest {
    private final Arena arena = Arena.ofShared();
    private Fabric server;
    private Fabric client;
    private ReceiveQueue serverQueue;
    private ReceiveQueue clientQueue;
    private QueueThread serverThread;
    private RecordingAcceptor acceptor;
    private Listener listener;

    @BeforeEach
    void start() throws Exception {
        server = FabricFactory.create(TestFabricConfig.named("server"));
        client = FabricFactory.create(TestFabricConfig.named("client"));
        serverQueue = server.createReceiveQueue();
        clientQueue = client.createReceiveQueue();
        acceptor = new RecordingAcceptor();
        listener = server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), serverQueue, acceptor);
        serverThread = new QueueThread(serverQueue);
    }

    @AfterEach
    void stop() {
        serverThread.close();
        client.close();
        server.close();
        arena.close();
    }

    private long deadline() {
        return client.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    }

    private VerbsConnection connect() throws FabricException {
        return (VerbsConnection)
                client.connect(listener.address(), TransportChoice.VERBS, new byte[0], clientQueue, deadline());
    }

    private void read(VerbsConnection connection, MemoryRegion region, long rkey) throws FabricException {
        WorkRequest request = new WorkRequest().readInto(arena.allocate(8), 0, 8, rkey, 0);
        connection.post(request);
        connection.await(request, deadline());
        assertThat(region.lengthBytes()).isPositive();
    }

    private void assertRefusedByCard(VerbsConnection connection, MemoryRegion region, long rkey) {
        assertThatThrownBy(() -> read(connection, region, rkey))
                .isInstanceOfSatisfying(
                        FabricException.class,
                        e -> assertThat(e.reason()).isEqualTo(FabricException.Reason.REMOTE_ERROR));
        // What this side refuses by itself says so.
        assertThat(connection.failureReason()).isNotEmpty().doesNotContain("not allowed");
    }

    /** A peer that does not believe the REVOKE it got. */
    @Test
    void cardRefusesWhatWasTakenBack() throws Exception {
        MemoryRegion region = server.allocate(4096, Access.readWrite());
        acceptor.grants(region, Access.readWrite());
        VerbsConnection connection = connect();
        long rkey = region.rkey();
        read(connection, region, rkey);
        PeerWindows.Window believed = connection.peerWindows().find(rkey);
        var accepted = acceptor.takeConnected();
        accepted.revoke(region);
        while (!accepted.isQuiet()) {
            assertThat(client.nanoTime()).isLessThan(deadline());
            Thread.onSpinWait();
        }
        connection.peerWindows().put(believed);
        assertRefusedByCard(connection, region, rkey);
    }

    /** A peer that uses what was granted to another. */
    @Test
    void cardRefusesTheKeyOfAnotherConnection() throws Exception {
        MemoryRegion region = server.allocate(4096, Access.readWrite());
        acceptor.grants(region, Access.readWrite());
        VerbsConnection entitled = connect();
        read(entitled, region, region.rkey());
        VerbsConnection thief = connect();
        read(thief, region, region.rkey());
        thief.peerWindows().put(entitled.peerWindows().find(region.rkey()));
        assertRefusedByCard(thief, region, region.rkey());
        read(entitled, region, region.rkey()); // and nobody else is hurt
    }

    /** A peer that writes to what it may read. */
    @Test
    void cardRefusesWritesToReadOnlyGrants() throws Exception {
        MemoryRegion region = server.allocate(4096, Access.readWrite());
        acceptor.grants(region, Access.readOnly());
        VerbsConnection connection = connect();
        read(connection, region, region.rkey());
        PeerWindows.Window told = connection.peerWindows().find(region.rkey());
        connection
                .peerWindows()
                .put(new PeerWindows.Window(
                        told.rkey(),
                        Access.bits(Access.readWrite()),
                        told.cardKey(),
                        told.address(),
                        told.lengthBytes()));
        MemorySegment memory = arena.allocate(4096);
        memory.fill((byte) 1);
        WorkRequest request = new WorkRequest().writeFrom(memory, 0, 4096, region.rkey(), 0);
        connection.post(request);
        assertThatThrownBy(() -> connection.await(request, deadline())).isInstanceOf(FabricException.class);
        assertThat(request.status()).isEqualTo(WorkStatus.REMOTE_ACCESS_ERROR);
        assertThat(region.memory().get(ValueLayout.JAVA_BYTE, 0)).isZero();
    }

    /** Memory of a region of this process is used in place, in both directions. */
    @Test
    void registeredMemoryIsUsedInPlace() throws Exception {
        int length = 3 << 20;
        MemoryRegion far = server.allocate(length, Access.readWrite());
        acceptor.grants(far, Access.readWrite());
        MemoryRegion near = client.allocate(length, Access.readWrite());
        MemoryRegion back = client.allocate(length, Access.readWrite());
        for (long i = 0; i < length; i += Long.BYTES) {
            near.memory().set(ValueLayout.JAVA_LONG, i, i * 31);
        }
        VerbsConnection connection = connect();
        WorkRequest write = new WorkRequest().writeFrom(near.memory(), 0, length, far.rkey(), 0);
        WorkRequest read = new WorkRequest().readInto(back.memory(), 0, length, far.rkey(), 0);
        connection.post(new WorkRequest[] {write, read}, 0, 2);
        connection.await(read, deadline());
        assertThat(near.memory().mismatch(back.memory())).isEqualTo(-1);
        assertThat(connection.hasCopied()).isFalse();
        read(connection, far, far.rkey());
        assertThat(connection.hasCopied()).as("memory of nobody's region").isTrue();
    }

    /**
     * The first addresses do not answer: what is left of those tries ends neither the connection, whose next queue pair has
     * the same place in the tables, nor the others of the same queue.
     */
    @Test
    void addressThatDoesNotAnswerSpoilsNeitherTheNextNorOtherConnections() throws Exception {
        MemoryRegion region = server.allocate(4096, Access.readWrite());
        acceptor.grants(region, Access.readWrite());
        VerbsConnection before = connect();
        VerbsTransport transport = before.owner();
        InetAddress nobody = InetAddress.getByName("10.77.0.99");
        VerbsParameters silent = new VerbsParameters(4711, 1, 2, List.of(nobody, nobody, nobody));
        assertNobodyAnswers(transport, silent); // what is left of a try is looked at during the next
        try (QueueThread polling = new QueueThread(clientQueue)) {
            assertThat(polling.thread().isAlive()).isTrue();
            assertNobodyAnswers(transport, silent);
        }
        // As many users are counted as there are: the queue's completions are still taken.
        read(before, region, region.rkey());
        CountDownLatch arrived = new CountDownLatch(1);
        before.receiver((from, immediate) -> arrived.countDown());
        acceptor.takeConnected().post(new WorkRequest().immediateOnly(1));
        try (QueueThread polling = new QueueThread(clientQueue)) {
            assertThat(arrived.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(polling.thread().isAlive()).isTrue();
        }
    }

    private void assertNobodyAnswers(VerbsTransport transport, VerbsParameters silent) throws FabricException {
        PendingConnection pending = transport.offer((ArrivalQueue) clientQueue);
        assertThatThrownBy(() -> pending.complete(silent.encode()))
                .isInstanceOf(FabricException.class)
                .hasMessageMatching(".*(; 10\\.77\\.0\\.99: no answer within the time allowed){3}");
        pending.connection().close();
    }

    /** The server is so slow that the caller gives up its first try and comes by another address: that one counts. */
    @Test
    void laterTryTakesThePlaceOfOneThatWasGivenUp() throws Exception {
        MemoryRegion region = server.allocate(4096, Access.readWrite());
        acceptor.grants(region, Access.readWrite());
        VerbsConnection first = connect();
        read(first, region, region.rkey());
        Connection acceptedFirst = acceptor.takeConnected();
        VerbsTransport transport = ((VerbsConnection) acceptedFirst).owner();
        CountDownLatch goOn = new CountDownLatch(1);
        transport.loop().execute(() -> {
            try {
                // Longer than the first try may take, which is half of what all may.
                goOn.await(client.config().handshakeNanos() * 5 / 8, TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        VerbsConnection late = connect();
        goOn.countDown();
        read(late, region, region.rkey());
        assertThat(transport.sourceCount()).isEqualTo(1);
        acceptor.takeConnected().close();
        acceptedFirst.close();
        assertThat(transport.sourceCount())
                .as("nothing is left of the first try")
                .isZero();
    }

    /** A receiver that has no receives left for a while is waited for, and gets everything in order. */
    @Test
    void receiverThatLooksLateGetsEverything() throws Exception {
        VerbsConnection connection = connect();
        AtomicInteger inOrder = new AtomicInteger();
        acceptor.takeConnected().receiver((from, immediate) -> inOrder.compareAndSet(immediate, immediate + 1));
        serverThread.close();
        // The queue takes 4096 and the queue pair's receives RECEIVES more: the last cannot be there before somebody
        // looks.
        int count = 4096 + 2 * VerbsConnection.RECEIVES;
        WorkRequest[] requests = new WorkRequest[count];
        for (int i = 0; i < count; i++) {
            requests[i] = new WorkRequest().immediateOnly(i);
            connection.post(requests[i]);
        }
        connection.await(requests[4096], deadline());
        assertThat(requests[count - 1].isDone()).isFalse();
        serverThread = new QueueThread(serverQueue);
        connection.await(requests[count - 1], deadline());
        long end = deadline();
        while (inOrder.get() < count) {
            assertThat(client.nanoTime()).isLessThan(end);
            Thread.onSpinWait();
        }
    }

    /** More immediates than receives and queue hold, and nobody looks: the sender's connection fails in bounded time. */
    @Test
    void receiverThatNeverLooksFailsTheSender() throws Exception {
        VerbsConnection connection = connect();
        acceptor.takeConnected();
        serverThread.close();
        List<WorkRequest> requests = new ArrayList<>();
        for (int i = 0; i < 4096 + 2 * VerbsConnection.RECEIVES; i++) {
            WorkRequest request = new WorkRequest().immediateOnly(i);
            requests.add(request);
            connection.post(request);
        }
        WorkRequest last = requests.get(requests.size() - 1);
        assertThatThrownBy(() -> connection.await(last, deadline()))
                .isInstanceOfSatisfying(
                        FabricException.class,
                        e -> assertThat(e.reason()).isEqualTo(FabricException.Reason.CONNECTION_FAILED));
        assertThat(connection.state()).isEqualTo(ConnectionState.FAILED);
        assertThat(requests).allMatch(WorkRequest::isDone);
    }
}
