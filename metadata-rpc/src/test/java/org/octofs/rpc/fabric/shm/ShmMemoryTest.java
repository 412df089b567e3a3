package org.octofs.rpc.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.fabric.ConnectionState;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricConfig;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.FabricFactory;
import org.octofs.rpc.fabric.Listener;
import org.octofs.rpc.fabric.MemoryRegion;
import org.octofs.rpc.fabric.QueueThread;
import org.octofs.rpc.fabric.ReceiveQueue;
import org.octofs.rpc.fabric.RecordingAcceptor;
import org.octofs.rpc.fabric.RemoteRegion;
import org.octofs.rpc.fabric.TestFabricConfig;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.fabric.WorkRequest;

/** What only shm has: files mapped by the peer, the bulk copier, a full ring. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ShmMemoryTest {
    @TempDir
    Path directory;

    private final Arena arena = Arena.ofShared();
    private final RecordingAcceptor acceptor = new RecordingAcceptor();
    private final AtomicInteger bulkCopies = new AtomicInteger();
    private volatile Runnable duringBulkCopy = () -> {};
    private Fabric server;
    private Fabric client;
    private ReceiveQueue serverQueue;
    private ReceiveQueue clientQueue;
    private Listener listener;
    private QueueThread serverThread;

    @BeforeEach
    void start() throws Exception {
        FabricConfig config = TestFabricConfig.named("server").withReceiveQueue(16, 100_000_000L);
        server = FabricFactory.create(config);
        client = FabricFactory.create(TestFabricConfig.named("client")
                .withReceiveQueue(16, 100_000_000L)
                .withBulkCopier(
                        (source, sourceOffset, target, targetOffset, length) -> {
                            bulkCopies.incrementAndGet();
                            duringBulkCopy.run();
                            MemorySegment.copy(source, sourceOffset, target, targetOffset, length);
                        },
                        8192));
        serverQueue = server.createReceiveQueue();
        clientQueue = client.createReceiveQueue();
        listener = server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), serverQueue, acceptor);
        serverThread = new QueueThread(serverQueue);
    }

    @AfterEach
    void stop() {
        client.close();
        serverThread.close();
        server.close();
        arena.close();
    }

    private long deadline() {
        return client.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    }

    private Connection connect() throws FabricException {
        return client.connect(listener.address(), TransportChoice.SHM, new byte[0], clientQueue, deadline());
    }

    private void execute(Connection connection, WorkRequest request) throws FabricException {
        connection.post(request);
        connection.await(request, deadline());
    }

    @Test
    void aPartOfAFileIsReachedThroughTheFile() throws Exception {
        Path file = directory.resolve("pool");
        MemorySegment whole;
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            whole = channel.map(FileChannel.MapMode.READ_WRITE, 0, 1 << 20, arena);
        }
        MemorySegment part = whole.asSlice(8192, 65_536);
        MemoryRegion region = server.register(part, file, 8192, Access.readWrite());
        acceptor.grants(region, Access.readWrite());
        Connection connection = connect();
        MemorySegment memory = arena.allocate(65_536, 64);
        memory.fill((byte) 3);
        execute(connection, new WorkRequest().writeFrom(memory, 0, 65_536, region.remote(), 0));
        assertThat(part.mismatch(memory)).isEqualTo(-1);
        assertThat(whole.get(ValueLayout.JAVA_BYTE, 8191)).isZero();
        assertThat(whole.get(ValueLayout.JAVA_BYTE, 8192 + 65_536)).isZero();
        region.close();
        assertThat(part.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 3); // registered memory stays the caller's
    }

    @Test
    void memoryWithoutAFileCannotBeGrantedAndAMissingFileIsAnError() throws Exception {
        MemoryRegion anonymous = server.register(arena.allocate(8192, 4096), null, 0, Access.readWrite());
        MemoryRegion missing =
                server.register(arena.allocate(8192, 4096), directory.resolve("missing"), 0, Access.readWrite());
        Connection connection = connect();
        Connection accepted = acceptor.takeConnected();
        assertThatThrownBy(() -> accepted.grant(anonymous)).isInstanceOf(IllegalArgumentException.class);
        accepted.grant(missing);
        assertThatThrownBy(() ->
                        execute(connection, new WorkRequest().readInto(arena.allocate(8), 0, 8, missing.remote(), 0)))
                .isInstanceOf(FabricException.class);
        assertThatThrownBy(() -> server.register(arena.allocate(8192, 4096), null, 100, Access.readWrite()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void readOnlyMeansAMappingThatCannotBeWritten() throws Exception {
        MemoryRegion region = server.allocate(8192, Access.readOnly());
        Connection connection = connect();
        Connection accepted = acceptor.takeConnected();
        accepted.grant(region);
        execute(connection, new WorkRequest().readInto(arena.allocate(8), 0, 8, region.remote(), 0));
        assertThat(java.nio.file.Files.readAllLines(Path.of("/proc/self/maps")))
                .as("the server's own mapping, and the client's without w")
                .filteredOn(line -> line.contains("memfd:octofs-region"))
                .extracting(line -> line.substring(line.indexOf(' ') + 1, line.indexOf(' ') + 5))
                .containsExactlyInAnyOrder("rw-s", "r--s");
    }

    @Test
    void largeWritesFromNativeMemoryGoThroughTheBulkCopier() throws Exception {
        MemoryRegion region = server.allocate(1 << 16, Access.readWrite());
        acceptor.grants(region, Access.readWrite());
        Connection connection = connect();
        MemorySegment memory = arena.allocate(1 << 16, 64);
        memory.fill((byte) 9);
        execute(connection, new WorkRequest().writeFrom(memory, 0, 8191, region.remote(), 0));
        execute(connection, new WorkRequest().readInto(memory, 0, 8192, region.remote(), 0));
        byte[] heap = new byte[8192];
        execute(connection, new WorkRequest().writeFrom(MemorySegment.ofArray(heap), 0, 8192, region.remote(), 0));
        assertThat(bulkCopies).hasValue(0);
        memory.fill((byte) 9);
        execute(connection, new WorkRequest().writeFrom(memory, 0, 8192, region.remote(), 4096));
        assertThat(bulkCopies).hasValue(1);
        assertThat(region.memory().get(ValueLayout.JAVA_BYTE, 4096 + 8191)).isEqualTo((byte) 9);
    }

    /** A copy that is in the middle of it when the memory is taken back: the owner can tell until it has ended. */
    @Test
    void anOperationThatRunsIsSeenByTheRevokingOwner() throws Exception {
        MemoryRegion region = server.allocate(1 << 16, Access.readWrite());
        acceptor.grants(region, Access.readWrite());
        Connection connection = connect();
        Connection accepted = acceptor.takeConnected();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        duringBulkCopy = () -> {
            begun.countDown();
            try {
                assertThat(mayEnd.await(20, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
        MemorySegment memory = arena.allocate(1 << 16, 64);
        WorkRequest slow = new WorkRequest().writeFrom(memory, 0, 1 << 16, region.remote(), 0);
        Thread copier = Thread.ofPlatform().start(() -> connection.post(slow));
        assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
        accepted.revoke(region);
        for (int i = 0; i < 100; i++) {
            assertThat(accepted.isQuiet()).isFalse();
        }
        mayEnd.countDown();
        copier.join();
        assertThat(accepted.isQuiet()).isTrue();
    }

    @Test
    void theSteadyStateAllocatesNothing() throws Exception {
        MemoryRegion region = server.allocate(1 << 16, Access.readWrite());
        acceptor.grants(region, Access.readWrite());
        MemoryRegion answers = client.allocate(4096, Access.readWrite());
        Connection connection = connect();
        connection.grant(answers);
        AtomicInteger arrived = new AtomicInteger();
        connection.receiver((from, immediate) -> arrived.incrementAndGet());
        RemoteRegion remote = region.remote();
        WorkRequest reply = new WorkRequest();
        RemoteRegion answer = answers.remote();
        acceptor.alsoReceive((from, immediate) -> {
            from.post(reply.writeImmediateFrom(region.memory(), 0, 8, answer, 0, immediate));
            acceptor.clearImmediates();
        });
        MemorySegment memory = arena.allocate(4096, 64);
        WorkRequest[] requests = {new WorkRequest(), new WorkRequest(), new WorkRequest()};
        int rounds = 5_000;
        roundTrips(rounds, connection, requests, memory, remote, arrived); // until all of it is compiled
        com.sun.management.ThreadMXBean threads =
                (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        roundTrips(rounds, connection, requests, memory, remote, arrived);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        // Less than a byte per round: the compiler's own odds and ends at most.
        assertThat(allocated).isLessThan(rounds);
    }

    private void roundTrips(
            int rounds,
            Connection connection,
            WorkRequest[] requests,
            MemorySegment memory,
            RemoteRegion remote,
            AtomicInteger arrived)
            throws FabricException {
        long deadline = deadline();
        for (int i = 0; i < rounds; i++) {
            int before = arrived.get();
            requests[0].writeFrom(memory, 0, 4096, remote, 0);
            requests[1].readInto(memory, 0, 4096, remote, 0);
            requests[2].writeImmediateFrom(memory, 0, 64, remote, 4096, i);
            connection.post(requests, 0, 3);
            connection.await(requests[2], deadline);
            while (arrived.get() == before && clientQueue.await(deadline)) {
                clientQueue.poll(4);
            }
        }
    }

    @Test
    void aReceiverThatTakesNothingFailsTheSenderAfterItsPatience() throws Exception {
        Connection connection = connect();
        acceptor.takeConnected();
        serverThread.close();
        WorkRequest request = new WorkRequest();
        for (int i = 0; i < 16; i++) {
            execute(connection, request.immediateOnly(i));
        }
        long start = System.nanoTime();
        connection.post(request.immediateOnly(16));
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(100_000_000L);
        assertThat(connection.state()).isEqualTo(ConnectionState.FAILED);
        assertThat(connection.failureReason()).contains("does not take its arrivals");
        serverThread = new QueueThread(serverQueue);
        for (int i = 0; i < 16; i++) {
            assertThat(acceptor.takeImmediate()).isEqualTo(i);
        }
        acceptor.takeFailed(); // after its arrivals
    }
}
