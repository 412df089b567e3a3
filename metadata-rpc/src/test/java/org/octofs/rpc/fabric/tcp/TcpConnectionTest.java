package org.octofs.rpc.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.fabric.ConnectionState;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricConfig;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.FabricFactory;
import org.octofs.rpc.fabric.MemoryRegion;
import org.octofs.rpc.fabric.QueueThread;
import org.octofs.rpc.fabric.ReceiveQueue;
import org.octofs.rpc.fabric.RecordingAcceptor;
import org.octofs.rpc.fabric.RemoteRegion;
import org.octofs.rpc.fabric.TestFabricConfig;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.fabric.WorkRequest;

/**
 * What is tcp's own: acknowledgements, waiting threads that take turns at the socket, full sockets, nonsense in frames.
 * Method: the time-out by which a silent peer is asked again is an hour, so a lost wake-up or acknowledgement is not healed
 * before the deadline of the test.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TcpConnectionTest {
    private static final int MIB = 1 << 20;
    private static final int REGION_BYTES = 32 * MIB;

    private final Arena arena = Arena.ofShared();
    private Fabric server;
    private Fabric client;
    private QueueThread serverThread;
    private ReceiveQueue clientQueue;
    private RecordingAcceptor acceptor;
    private MemoryRegion region;
    private InetSocketAddress address;

    @BeforeEach
    void start() throws Exception {
        open(0, TimeUnit.HOURS.toNanos(1));
    }

    private void open(long spinNanos, long peerTimeoutNanos) throws Exception {
        server = FabricFactory.create(config("server", spinNanos, peerTimeoutNanos));
        client = FabricFactory.create(config("client", spinNanos, peerTimeoutNanos));
        ReceiveQueue queue = server.createReceiveQueue();
        acceptor = new RecordingAcceptor();
        region = server.allocate(REGION_BYTES, Access.readWrite());
        acceptor.grants(region, Access.readWrite());
        address = server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), queue, acceptor)
                .address();
        serverThread = new QueueThread(queue);
        clientQueue = client.createReceiveQueue();
    }

    private static FabricConfig config(String name, long spinNanos, long peerTimeoutNanos) {
        return TestFabricConfig.named(name)
                .withSpinNanos(spinNanos)
                .withPatience(TimeUnit.SECONDS.toNanos(5), peerTimeoutNanos);
    }

    @AfterEach
    void stop() {
        stopFabrics();
        arena.close();
    }

    private long deadline() {
        return client.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    }

    private Connection connect() throws FabricException {
        return client.connect(address, TransportChoice.TCP, new byte[0], clientQueue, deadline());
    }

    /** Whoever waits for arrivals does not fall when the only connection of the queue goes. */
    @Test
    void connectionsComeAndGoWhileAThreadWaitsForArrivals() throws Exception {
        try (QueueThread waiting = new QueueThread(clientQueue)) {
            for (int i = 0; i < 500; i++) {
                connect().close();
                assertThat(waiting.thread().isAlive())
                        .as("after %s connections", i)
                        .isTrue();
            }
        }
    }

    /** A WRITE that arrives in many pieces is acknowledged when the last one is there, though nothing else is sent. */
    @Test
    void largeWritesAreAcknowledged() throws Exception {
        Connection connection = connect();
        MemorySegment source = arena.allocate(REGION_BYTES, 64);
        WorkRequest write = new WorkRequest();
        for (int i = 0; i < 12; i++) {
            source.set(ValueLayout.JAVA_INT, REGION_BYTES - 4, i);
            connection.post(write.writeFrom(source, 0, REGION_BYTES, region.remote(), 0));
            connection.await(write, deadline());
            assertThat(region.memory().get(ValueLayout.JAVA_INT, REGION_BYTES - 4))
                    .isEqualTo(i);
        }
    }

    /**
     * A peer that is always quicker than we are: every read gets all it asks for, until the socket is empty. Wherever one
     * call stops taking, what it has read it has also executed; nobody is told to come back when the socket is empty.
     */
    @Test
    void whatWasReadIsExecutedBeforeItRests() throws Exception {
        connect();
        TcpConnection accepted = (TcpConnection) acceptor.takeConnected();
        for (int chunks = 1; chunks <= 12; chunks++) {
            ByteBuffer received =
                    ByteBuffer.allocate(chunks * (TcpFrameLayout.HEADER_BYTES + TcpFrameLayout.CHUNK_BYTES));
            received.order(ByteOrder.LITTLE_ENDIAN);
            for (int i = 0; i < chunks; i++) {
                int flags = i == chunks - 1 ? TcpFrameLayout.FLAG_LAST : 0;
                int at = i * (TcpFrameLayout.HEADER_BYTES + TcpFrameLayout.CHUNK_BYTES);
                received.put(at, frame(TcpFrameLayout.WRITE, flags, MIB, 0, region.rkey(), (long) i * MIB), 0, 32);
                received.putInt(at + TcpFrameLayout.HEADER_BYTES + MIB - 4, chunks);
            }
            ScriptedSocket socket = new ScriptedSocket(received);
            Inbound inbound = new Inbound(accepted, socket);
            int executed = 0;
            while (!socket.isEmpty()) {
                executed += inbound.takeAvailable();
            }
            assertThat(executed).as("%s chunks", chunks).isEqualTo(1);
            assertThat(region.memory().get(ValueLayout.JAVA_INT, (long) chunks * MIB - 4))
                    .isEqualTo(chunks);
        }
    }

    /** Many threads wait on one connection, while another waits at its queue; nobody sleeps through what he waits for. */
    @Test
    void waitingThreadsTakeTurns() throws Exception {
        Connection connection = connect();
        connection.receiver((from, immediate) -> {});
        Connection accepted = acceptor.takeConnected();
        acceptor.alsoReceive((from, immediate) -> from.post(new WorkRequest().immediateOnly(immediate)));
        try (QueueThread waiter = new QueueThread(clientQueue);
                ExecutorService threads = Executors.newFixedThreadPool(6)) {
            List<Future<?>> all = new ArrayList<>();
            for (int t = 0; t < 6; t++) {
                int thread = t;
                all.add(threads.submit(() -> {
                    MemorySegment local = arena.allocate(4096, 64);
                    WorkRequest work = new WorkRequest();
                    for (int i = 0; i < 400; i++) {
                        connection.post(
                                switch (thread % 3) {
                                    case 0 -> work.readInto(local, 0, 4096, region.remote(), thread * 4096L);
                                    case 1 -> work.writeFrom(local, 0, 4096, region.remote(), thread * 4096L);
                                    default -> work.immediateOnly(i);
                                });
                        connection.await(work, deadline());
                    }
                    return null;
                }));
            }
            for (Future<?> future : all) {
                future.get(40, TimeUnit.SECONDS);
            }
            assertThat(waiter.thread().isAlive()).isTrue();
        }
        assertThat(accepted.state()).isEqualTo(ConnectionState.OPEN);
    }

    /** Both ends read a lot from each other at the same time: full sockets in both directions are no deadlock. */
    @Test
    void bothEndsReadFromEachOther() throws Exception {
        MemoryRegion ours = client.allocate(REGION_BYTES, Access.readWrite());
        Connection connection = connect();
        connection.grant(ours);
        Connection accepted = acceptor.takeConnected();
        try (QueueThread waiter = new QueueThread(clientQueue);
                ExecutorService threads = Executors.newFixedThreadPool(2)) {
            Future<?> there = threads.submit(() -> readAll(connection, region.remote()));
            Future<?> back = threads.submit(() -> readAll(accepted, ours.remote()));
            there.get(40, TimeUnit.SECONDS);
            back.get(40, TimeUnit.SECONDS);
            assertThat(waiter.thread().isAlive()).isTrue();
        }
    }

    /** Both ends read and write a lot over one connection: neither stops reading because its own output is blocked. */
    @Test
    void bothEndsReadAndWrite() throws Exception {
        MemoryRegion ours = client.allocate(REGION_BYTES, Access.readWrite());
        Connection connection = connect();
        connection.grant(ours);
        Connection accepted = acceptor.takeConnected();
        try (QueueThread waiter = new QueueThread(clientQueue);
                ExecutorService threads = Executors.newFixedThreadPool(2)) {
            Future<?> there = threads.submit(() -> readAndWrite(connection, region.remote()));
            Future<?> back = threads.submit(() -> readAndWrite(accepted, ours.remote()));
            there.get(40, TimeUnit.SECONDS);
            back.get(40, TimeUnit.SECONDS);
            assertThat(waiter.thread().isAlive()).isTrue();
        }
    }

    private Void readAndWrite(Connection connection, RemoteRegion remote) throws FabricException {
        MemorySegment local = arena.allocate(REGION_BYTES, 64);
        int[] sizes = {4 * MIB, 8, 256 << 10, MIB, 0, 3 * MIB};
        WorkRequest[] all = new WorkRequest[16 * sizes.length];
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < all.length; i++) {
                int size = sizes[i % sizes.length];
                long offset = i % 2 * 16L * MIB;
                all[i] = i / 2 % 2 == 0
                        ? new WorkRequest().readInto(local, offset, size, remote, offset)
                        : new WorkRequest().writeFrom(local, offset, size, remote, offset);
            }
            connection.post(all, 0, all.length);
            for (WorkRequest request : all) {
                connection.await(request, deadline());
            }
        }
        return null;
    }

    /** It waits for the data of the READ before it, and only then is there something to acknowledge. */
    @Test
    void anImmediateAfterALargeReadIsAcknowledged() throws Exception {
        Connection connection = connect();
        MemorySegment local = arena.allocate(REGION_BYTES, 64);
        WorkRequest read = new WorkRequest().readInto(local, 0, REGION_BYTES, region.remote(), 0);
        WorkRequest immediate = new WorkRequest().immediateOnly(77);
        connection.post(new WorkRequest[] {read, immediate}, 0, 2);
        connection.await(immediate, deadline());
        assertThat(read.isDone()).isTrue();
        assertThat(acceptor.takeImmediate()).isEqualTo(77);
    }

    /** While the socket takes nothing, WRITEs are executed, and READs before them are still answered with what was before. */
    @Test
    void writesDoNotWaitForBlockedAnswers() throws Exception {
        connect();
        TcpConnection accepted = (TcpConnection) acceptor.takeConnected();
        int half = TcpFrameLayout.UNANSWERED_BYTES_MAX / 2;
        ByteBuffer received = ByteBuffer.allocate(2 * MIB).order(ByteOrder.LITTLE_ENDIAN);
        // Two answers that wait: one is in the socket's hands, one not begun.
        for (int size : new int[] {half, 8}) {
            received.put(frame(TcpFrameLayout.READ, TcpFrameLayout.FLAG_LAST, size, 0, region.rkey(), 0)
                    .limit(TcpFrameLayout.HEADER_BYTES));
        }
        putWrite(received, half, 1);
        received.put(frame(TcpFrameLayout.READ, TcpFrameLayout.FLAG_LAST, 8, 0, region.rkey(), 0)
                .limit(TcpFrameLayout.HEADER_BYTES));
        putWrite(received, 8, 2);
        ScriptedSocket socket = new ScriptedSocket(received.flip());
        accepted.outbound().open(socket);
        Inbound inbound = new Inbound(accepted, socket);
        int executed = 0;
        for (int turn = 0; turn < 10; turn++) {
            executed += inbound.takeAvailable();
            assertThat(accepted.outbound().flush()).isFalse();
            if (inbound.waitsForAnswers()) {
                assertThat(accepted.outbound().setAnswersAside()).isTrue();
            }
        }
        assertThat(executed).isEqualTo(5);
        assertThat(region.memory().get(ValueLayout.JAVA_INT, 0)).isEqualTo(2);

        socket.takeWrites();
        accepted.outbound().flush();
        ByteBuffer sent = socket.sent().flip();
        assertThat(nextData(sent, half, 0)).isZero();
        assertThat(nextData(sent, 8, 1)).isZero();
        assertThat(nextData(sent, 8, 3)).isEqualTo(1);
        assertThat(sent.get(sent.position() + TcpFrameLayout.TYPE_OFFSET)).isEqualTo((byte) TcpFrameLayout.NOTHING);
        assertThat(sent.getInt(sent.position() + TcpFrameLayout.DONE_OFFSET)).isEqualTo(5);
        assertThat(sent.remaining()).isEqualTo(TcpFrameLayout.HEADER_BYTES);
    }

    private void putWrite(ByteBuffer target, int size, int content) {
        int flags = TcpFrameLayout.FLAG_LAST | TcpFrameLayout.FLAG_ACK_NOW;
        target.put(frame(TcpFrameLayout.WRITE, flags, size, 0, region.rkey(), 0).limit(TcpFrameLayout.HEADER_BYTES));
        target.putInt(target.position(), content).position(target.position() + size);
    }

    /** Takes a frame of data off the front; answers the int it begins with. */
    private static int nextData(ByteBuffer sent, int size, int doneCount) {
        int at = sent.position();
        assertThat(sent.get(at + TcpFrameLayout.TYPE_OFFSET)).isEqualTo((byte) TcpFrameLayout.DATA);
        assertThat(sent.getInt(at + TcpFrameLayout.LENGTH_OFFSET)).isEqualTo(size);
        assertThat(sent.getInt(at + TcpFrameLayout.DONE_OFFSET)).isEqualTo(doneCount);
        sent.position(at + TcpFrameLayout.HEADER_BYTES + size);
        return sent.getInt(at + TcpFrameLayout.HEADER_BYTES);
    }

    private Void readAll(Connection connection, RemoteRegion remote) throws FabricException {
        MemorySegment local = arena.allocate(REGION_BYTES, 64);
        WorkRequest[] reads = new WorkRequest[64];
        for (int round = 0; round < 4; round++) {
            int size = REGION_BYTES / reads.length;
            for (int i = 0; i < reads.length; i++) {
                reads[i] = new WorkRequest().readInto(local, (long) i * size, size, remote, (long) i * size);
            }
            connection.post(reads, 0, reads.length);
            for (WorkRequest read : reads) {
                connection.await(read, deadline());
            }
        }
        return null;
    }

    /** What a peer writes arrives without anybody waiting at our side, also right after we have waited ourselves. */
    @Test
    void anIdleClientIsWrittenTo() throws Exception {
        MemoryRegion ours = client.allocate(4096, Access.readWrite());
        Connection connection = connect();
        connection.grant(ours);
        Connection accepted = acceptor.takeConnected();
        MemorySegment local = arena.allocate(64, 64);
        WorkRequest read = new WorkRequest();
        WorkRequest write = new WorkRequest();
        for (int i = 1; i <= 5; i++) {
            connection.post(read.readInto(local, 0, 8, region.remote(), 0));
            connection.await(read, deadline());
            local.set(ValueLayout.JAVA_LONG, 0, i);
            accepted.post(write.writeFrom(local, 0, 8, ours.remote(), 8));
            accepted.await(write, deadline());
            assertThat(ours.memory().get(ValueLayout.JAVA_LONG, 8)).isEqualTo(i);
        }
    }

    /** A peer that is there but does nothing: who waits is told when the peer's time is over, not at his own deadline. */
    @Test
    void aSilentPeerIsNoticed() throws Exception {
        stopFabrics();
        open(0, TimeUnit.SECONDS.toNanos(1));
        Connection connection = connect();
        TcpConnection accepted = (TcpConnection) acceptor.takeConnected();
        CountDownLatch silent = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        accepted.loop().execute(() -> {
            silent.countDown();
            try {
                over.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        silent.await();
        try {
            WorkRequest read = new WorkRequest().readInto(arena.allocate(8), 0, 8, region.remote(), 0);
            long start = System.nanoTime();
            connection.post(read);
            assertThatThrownBy(() -> connection.await(read, deadline()))
                    .isInstanceOfSatisfying(
                            FabricException.class,
                            e -> assertThat(e.reason()).isEqualTo(FabricException.Reason.CONNECTION_FAILED));
            assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(10));
        } finally {
            over.countDown();
        }
    }

    /** After traffic, connections that nobody uses cost no processor time. */
    @Test
    void idleConnectionsUseNoProcessor() throws Exception {
        stopFabrics();
        open(20_000, TimeUnit.HOURS.toNanos(1));
        Connection connection = connect();
        MemorySegment local = arena.allocate(64, 64);
        WorkRequest read = new WorkRequest();
        for (int i = 0; i < 100; i++) {
            connection.post(read.readInto(local, 0, 8, region.remote(), 0));
            connection.await(read, deadline());
        }
        var threads = ManagementFactory.getThreadMXBean();
        // The loop takes its sockets back, and is at rest then; the bound below is a hundredth of one processor.
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 10 && least > 5_000_000; i++) {
            long before = fabricCpuNanos(threads);
            long end = System.nanoTime() + 500_000_000L;
            while (System.nanoTime() - end < 0) {
                LockSupport.parkNanos(end - System.nanoTime());
            }
            least = Math.min(least, fabricCpuNanos(threads) - before);
        }
        assertThat(least).isLessThanOrEqualTo(5_000_000);
    }

    private void stopFabrics() {
        client.close();
        serverThread.close();
        server.close();
    }

    private static long fabricCpuNanos(java.lang.management.ThreadMXBean threads) {
        long sum = 0;
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith(TestFabricConfig.THREAD_PREFIX)) {
                sum += Math.max(0, threads.getThreadCpuTime(thread.threadId()));
            }
        }
        return sum;
    }

    /** Frames that cannot be end the connection they came on; others do not notice. */
    @Test
    void nonsenseEndsTheConnection() throws Exception {
        Connection honest = connect();
        acceptor.takeConnected();
        long rkey = region.rkey();
        List<ByteBuffer> frames = List.of(
                frame(0, 0, 0, 0, 0, 0),
                frame(9, 0, 0, 0, 0, 0),
                frame(TcpFrameLayout.WRITE, 1, -1, 0, rkey, 0),
                frame(TcpFrameLayout.WRITE, 1, TcpFrameLayout.CHUNK_BYTES + 1, 0, rkey, 0),
                frame(TcpFrameLayout.READ, 1, -1, 0, rkey, 0),
                frame(TcpFrameLayout.DATA, 1, 8, 0, 0, 0),
                frame(TcpFrameLayout.ERROR, 0, 0, 1, 0, 0),
                frame(TcpFrameLayout.NOTHING, 0, 5, 0, 0, 0),
                frame(TcpFrameLayout.NOTHING, 0, 0, 0, 0, 0).putInt(TcpFrameLayout.DONE_OFFSET, 1),
                frame(TcpFrameLayout.NOTHING, 0, 0, 0, 0, 0).putShort(TcpFrameLayout.RESERVED_OFFSET, (short) 1));
        for (int i = 0; i < frames.size(); i++) {
            sendNonsense(frames.get(i));
        }
        Random random = new Random(20_261_129);
        for (int i = 0; i < 30; i++) {
            byte[] bytes = new byte[2000];
            random.nextBytes(bytes);
            bytes[0] |= 8; // no type that there is
            sendNonsense(ByteBuffer.wrap(bytes));
        }
        WorkRequest read = new WorkRequest();
        honest.post(read.readInto(arena.allocate(8), 0, 8, region.remote(), 0));
        honest.await(read, deadline());
    }

    private void sendNonsense(ByteBuffer bytes) throws Exception {
        TcpConnection connection = (TcpConnection) connect();
        Connection accepted = acceptor.takeConnected();
        while (bytes.hasRemaining()) {
            connection.socket().write(bytes);
        }
        assertThat(acceptor.takeFailed()).isSameAs(accepted);
        connection.close();
    }

    private static ByteBuffer frame(int type, int flags, int length, int value, long rkey, long offset) {
        ByteBuffer frame = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
        frame.put((byte) type)
                .put((byte) flags)
                .putShort((short) 0)
                .putInt(length)
                .putInt(0)
                .putInt(value)
                .putLong(rkey)
                .putLong(offset);
        return frame.position(0);
    }
}
