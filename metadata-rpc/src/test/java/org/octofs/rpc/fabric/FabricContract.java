package org.octofs.rpc.fabric;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What every fabric promises, tried between a server and a client. A transport's test extends this class and says how to
 * make the two fabrics. Method: real threads, real time, deadlines everywhere, no sleeps.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public abstract class FabricContract {
    private static final int MIB = 1 << 20;

    private Fabric server;
    private Fabric client;
    private QueueThread serverThread;
    private QueueThread clientThread;
    private ReceiveQueue clientQueue;
    private RecordingAcceptor acceptor;
    private Listener listener;
    private final Arena arena = Arena.ofShared();

    /** A fabric of the transport under test; all fabrics of one test reach each other. */
    protected abstract Fabric createFabric(FabricConfig config) throws FabricException;

    /** The choice that selects the transport under test. */
    protected abstract TransportChoice choice();

    /** What that choice leads to. */
    protected abstract TransportKind kind();

    @BeforeEach
    final void startServer() throws IOException, FabricException {
        server = createFabric(TestFabricConfig.named("server"));
        client = createFabric(TestFabricConfig.named("client"));
        ReceiveQueue serverQueue = server.createReceiveQueue();
        acceptor = new RecordingAcceptor();
        listener = server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), serverQueue, acceptor);
        serverThread = new QueueThread(serverQueue);
        clientQueue = client.createReceiveQueue();
        clientThread = new QueueThread(clientQueue);
    }

    @AfterEach
    final void stopServer() {
        clientThread.close();
        client.close();
        serverThread.close();
        server.close();
        arena.close();
    }

    /** The accepting side's fabric. */
    protected final Fabric server() {
        return server;
    }

    /** The connecting side's fabric. */
    protected final Fabric client() {
        return client;
    }

    /** What the accepting side's acceptor saw. */
    protected final RecordingAcceptor acceptor() {
        return acceptor;
    }

    /** Where the server listens. */
    protected final InetSocketAddress address() {
        return listener.address();
    }

    /** A deadline that only a broken fabric misses. */
    protected final long deadline() {
        return client.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    }

    /** A connection of the client. */
    protected final Connection connect() throws FabricException {
        return client.connect(address(), choice(), new byte[0], clientQueue, deadline());
    }

    /** Memory at the server that every connection to come is granted. */
    protected final MemoryRegion serverRegion(long lengthBytes) throws FabricException {
        MemoryRegion region = server.allocate(lengthBytes, Access.readWrite());
        acceptor.grants(region, Access.readWrite());
        return region;
    }

    /** Native memory at the client. */
    protected final MemorySegment local(long lengthBytes) {
        return arena.allocate(lengthBytes, 64);
    }

    private void execute(Connection connection, WorkRequest request) throws FabricException {
        connection.post(request);
        connection.await(request, deadline());
    }

    private static void fillPattern(MemorySegment memory, int seed) {
        for (long i = 0; i < memory.byteSize(); i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31 + seed + (i >>> 8)));
        }
    }

    @Test
    void connectExchangesPrivateDataAndSaysWhoIsThere() throws FabricException {
        byte[] hello = "hello from the client".getBytes(UTF_8);
        Connection connection = client.connect(address(), choice(), hello, clientQueue, deadline());

        assertThat(connection.state()).isEqualTo(ConnectionState.OPEN);
        assertThat(connection.transport()).isEqualTo(kind());
        assertThat(connection.peerPrivateData()).isEqualTo(RecordingAcceptor.REPLY);
        assertThat(connection.peerProcess().name()).isEqualTo("server");
        assertThat(connection.peerProcess().isSameHost()).isTrue();
        assertThat(connection.peerProcess().isKnownDead()).isFalse();
        Connection accepted = acceptor.takeConnected();
        assertThat(accepted.peerPrivateData()).isEqualTo(hello);
        assertThat(accepted.transport()).isEqualTo(kind());
        assertThat(accepted.peerProcess().name()).isEqualTo("client");
        assertThat(acceptor.lastIncoming().privateData()).isEqualTo(hello);
        assertThat(acceptor.lastIncoming().transport()).isEqualTo(kind());
    }

    @Test
    void largestPrivateDataFitsAndLargerIsRefusedAtOnce() throws FabricException {
        byte[] largest = new byte[Fabric.PRIVATE_DATA_BYTES_MAX];
        largest[largest.length - 1] = 7;
        client.connect(address(), choice(), largest, clientQueue, deadline());
        assertThat(acceptor.takeConnected().peerPrivateData()).isEqualTo(largest);

        byte[] tooLarge = new byte[Fabric.PRIVATE_DATA_BYTES_MAX + 1];
        assertThatThrownBy(() -> client.connect(address(), choice(), tooLarge, clientQueue, deadline()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void refusalReachesTheOtherSidesUser() {
        assertThatThrownBy(
                        () -> client.connect(address(), choice(), RecordingAcceptor.REFUSE_ME, clientQueue, deadline()))
                .isInstanceOfSatisfying(
                        FabricException.class, e -> assertThat(e.reason()).isEqualTo(FabricException.Reason.REFUSED))
                .hasMessageContaining(RecordingAcceptor.REFUSAL);
    }

    @Test
    void nobodyListensIsUnreachable() {
        InetSocketAddress address = listener.address();
        listener.close();
        assertThatThrownBy(() -> client.connect(address, choice(), new byte[0], clientQueue, deadline()))
                .isInstanceOfSatisfying(
                        FabricException.class,
                        e -> assertThat(e.reason()).isEqualTo(FabricException.Reason.UNREACHABLE));
    }

    @Test
    void writeThenReadBackOfManySizes() throws FabricException {
        int length = 3 * MIB + 4097;
        MemoryRegion region = serverRegion(length);
        Connection connection = connect();
        MemorySegment source = local(length);
        MemorySegment target = local(length);
        fillPattern(source, 1);
        WorkRequest write = new WorkRequest();
        WorkRequest read = new WorkRequest();
        for (int size : new int[] {1, 7, 8, 9, 63, 64, 4095, 4096, 65_537, MIB, MIB + 1, length}) {
            int offset = (length - size) / 3;
            target.fill((byte) 0);
            connection.post(write.writeFrom(source, offset, size, region.remote(), offset));
            // Not awaited: a READ posted after a WRITE sees it.
            connection.post(read.readInto(target, offset, size, region.remote(), offset));
            connection.await(read, deadline());
            assertThat(write.status()).isEqualTo(WorkStatus.SUCCESS);
            assertThat(MemorySegment.mismatch(source, offset, offset + size, target, offset, offset + size))
                    .as("size %d", size)
                    .isEqualTo(-1);
            assertThat(MemorySegment.mismatch(source, offset, offset + size, region.memory(), offset, offset + size))
                    .isEqualTo(-1);
            if (offset > 0) {
                assertThat(target.get(ValueLayout.JAVA_BYTE, offset - 1)).isZero();
            }
        }
    }

    /** A listener is called for all of it or not at all, with the bytes in place, once and in order. */
    @Test
    void pieceListenerSeesEveryByteIfAny() throws FabricException {
        int length = 2 * PieceListener.PIECE_BYTES + 100;
        MemoryRegion region = serverRegion(length);
        fillPattern(region.memory(), 5);
        Connection connection = connect();
        MemorySegment memory = local(length + 64);
        WorkRequest request = new WorkRequest();
        for (boolean read : new boolean[] {true, false}) {
            long[] next = {64};
            PieceListener listener = (local, offset, bytes) -> {
                assertThat(offset).isEqualTo(next[0]);
                assertThat(bytes).isEqualTo((int) Math.min(PieceListener.PIECE_BYTES, length + 64 - offset));
                assertThat(MemorySegment.mismatch(
                                local, offset, offset + bytes, region.memory(), offset - 64, offset - 64 + bytes))
                        .as("bytes at %d", offset)
                        .isEqualTo(-1);
                next[0] += bytes;
            };
            if (read) {
                request.readInto(memory, 64, length, region.remote(), 0);
            } else {
                request.writeFrom(memory, 64, length, region.remote(), 0);
            }
            execute(connection, request.pieceListener(listener));
            assertThat(next[0]).isEqualTo(request.isPieced() ? length + 64 : 64);
        }
        execute(connection, request.readInto(memory, 64, length, region.remote(), 0));
        assertThat(request.isPieced()).as("without a listener").isFalse();
    }

    @Test
    void heapMemoryWorksToo() throws FabricException {
        MemoryRegion region = serverRegion(4096);
        Connection connection = connect();
        byte[] bytes = "on the heap".getBytes(UTF_8);
        byte[] back = new byte[bytes.length];
        execute(connection, new WorkRequest().writeFrom(MemorySegment.ofArray(bytes), 0, 11, region.remote(), 100));
        execute(connection, new WorkRequest().readInto(MemorySegment.ofArray(back), 0, 11, region.remote(), 100));
        assertThat(back).isEqualTo(bytes);
    }

    @Test
    void immediateArrivesAfterItsDataAndInOrder() throws FabricException {
        int count = 2000;
        MemoryRegion region = serverRegion(count * 8L);
        AtomicInteger wrong = new AtomicInteger();
        acceptor.alsoReceive((connection, immediate) -> {
            long seen = region.memory().get(ValueLayout.JAVA_LONG, immediate * 8L);
            if (seen != 1_000_000L + immediate) {
                wrong.incrementAndGet();
            }
        });
        Connection connection = connect();
        MemorySegment source = local(count * 8L);
        List<WorkRequest> requests = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            source.set(ValueLayout.JAVA_LONG, i * 8L, 1_000_000L + i);
            WorkRequest request = new WorkRequest().writeImmediateFrom(source, i * 8L, 8, region.remote(), i * 8L, i);
            requests.add(request);
            connection.post(request);
        }
        for (int i = 0; i < count; i++) {
            assertThat(acceptor.takeImmediate()).isEqualTo(i);
        }
        assertThat(wrong).hasValue(0);
        for (WorkRequest request : requests) {
            connection.await(request, deadline());
        }
    }

    @Test
    void immediateWithoutDataNeedsNoRegionAndCarriesAll32Bits() throws FabricException {
        Connection connection = connect();
        for (int immediate : new int[] {0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, 0xFFFF_0000, 1}) {
            execute(connection, new WorkRequest().immediateOnly(immediate));
            assertThat(acceptor.takeImmediate()).isEqualTo(immediate);
        }
    }

    @Test
    void serverWritesToTheClientAndTalksBothWays() throws Exception {
        MemoryRegion clientMemory = client.allocate(8192, Access.readWrite());
        Connection connection = connect();
        LinkedBlockingQueue<Integer> arrived = new LinkedBlockingQueue<>();
        connection.receiver((from, immediate) -> arrived.add(immediate));
        connection.grant(clientMemory);
        Connection accepted = acceptor.takeConnected();
        RemoteRegion remote = clientMemory.remote();
        MemorySegment source = local(64);
        source.set(ValueLayout.JAVA_LONG, 0, 4711);
        WorkRequest reply = new WorkRequest();
        acceptor.alsoReceive(
                (from, immediate) -> from.post(reply.writeImmediateFrom(source, 0, 8, remote, 128, immediate + 1)));

        execute(connection, new WorkRequest().immediateOnly(41));

        assertThat(arrived.poll(20, TimeUnit.SECONDS)).isEqualTo(42);
        assertThat(clientMemory.memory().get(ValueLayout.JAVA_LONG, 128)).isEqualTo(4711);
        accepted.await(reply, deadline());
    }

    @Test
    void manyRequestsOutstandingAtOnce() throws FabricException {
        int count = 3000;
        MemoryRegion region = serverRegion(64 * 1024);
        Connection connection = connect();
        MemorySegment source = local(count * 8L);
        MemorySegment target = local(count * 8L);
        WorkRequest[] batch = new WorkRequest[2 * count];
        for (int i = 0; i < count; i++) {
            source.set(ValueLayout.JAVA_LONG, i * 8L, i + 1L);
            // All to one place: each READ must see exactly the WRITE before it.
            batch[2 * i] = new WorkRequest().writeFrom(source, i * 8L, 8, region.remote(), 4096);
            batch[2 * i + 1] = new WorkRequest().readInto(target, i * 8L, 8, region.remote(), 4096);
        }
        connection.post(batch, 0, batch.length);
        for (WorkRequest request : batch) {
            connection.await(request, deadline());
        }
        assertThat(source.mismatch(target)).isEqualTo(-1);
    }

    /** Each with memory that is confined to it, though a transport may have whichever thread waits move the bytes of all. */
    @ParameterizedTest
    @ValueSource(ints = {4096, 300_000})
    void manyThreadsShareOneConnection(int bytes) throws Exception {
        int threads = 4;
        int rounds = 300;
        MemoryRegion region = serverRegion((long) threads * bytes);
        Connection connection = connect();
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        List<Thread> running = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            long offset = (long) t * bytes;
            int seed = t;
            running.add(Thread.ofPlatform().start(() -> {
                try (Arena own = Arena.ofConfined()) {
                    MemorySegment source = own.allocate(bytes);
                    MemorySegment target = own.allocate(bytes);
                    WorkRequest write = new WorkRequest();
                    WorkRequest read = new WorkRequest();
                    for (int round = 0; round < rounds; round++) {
                        source.fill((byte) (seed * rounds + round));
                        connection.post(write.writeFrom(source, 0, bytes, region.remote(), offset));
                        connection.post(read.readInto(target, 0, bytes, region.remote(), offset));
                        connection.await(read, deadline());
                        assertThat(source.mismatch(target)).isEqualTo(-1);
                    }
                } catch (Exception | AssertionError e) {
                    failures.add(e);
                }
            }));
        }
        for (Thread thread : running) {
            thread.join();
        }
        assertThat(failures).isEmpty();
    }

    @Test
    void largestRegionIsReachableToItsLastByte() throws FabricException {
        MemoryRegion region = serverRegion(MemoryRegion.LENGTH_BYTES_MAX);
        Connection connection = connect();
        MemorySegment source = local(16);
        source.fill((byte) 0x5A);
        execute(connection, new WorkRequest().writeFrom(source, 0, 16, region.remote(), region.lengthBytes() - 16));
        assertThat(region.memory().get(ValueLayout.JAVA_BYTE, region.lengthBytes() - 1))
                .isEqualTo((byte) 0x5A);
        assertThatThrownBy(() -> server.allocate(MemoryRegion.LENGTH_BYTES_MAX + 1, Access.readWrite()))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    private void assertFails(Connection connection, WorkRequest request, WorkStatus expected) throws Exception {
        WorkRequest after = new WorkRequest().immediateOnly(99);
        connection.post(request);
        connection.post(after);
        assertThatThrownBy(() -> connection.await(request, deadline()))
                .isInstanceOfSatisfying(
                        FabricException.class,
                        e -> assertThat(e.reason()).isEqualTo(FabricException.Reason.REMOTE_ERROR));
        assertThat(request.status()).isEqualTo(expected);
        assertThatThrownBy(() -> connection.await(after, deadline()))
                .isInstanceOfSatisfying(
                        FabricException.class,
                        e -> assertThat(e.reason()).isEqualTo(FabricException.Reason.CONNECTION_FAILED));
        assertThat(connection.state()).isEqualTo(ConnectionState.FAILED);
        assertThat(connection.failureReason()).isNotEmpty();
        acceptor.takeFailed(); // the other end learns of it too
        assertThat(acceptor.immediateCount()).isZero();
        connection.close();
    }

    @Test
    void boundsAreChecked() throws Exception {
        MemoryRegion region = serverRegion(4096);
        long rkey = region.rkey();
        MemorySegment memory = local(8192);
        assertFails(connect(), new WorkRequest().readInto(memory, 0, 1, rkey, 4096), WorkStatus.REMOTE_BOUNDS_ERROR);
        assertFails(connect(), new WorkRequest().readInto(memory, 0, 4097, rkey, 0), WorkStatus.REMOTE_BOUNDS_ERROR);
        assertFails(connect(), new WorkRequest().writeFrom(memory, 0, 16, rkey, -8), WorkStatus.REMOTE_BOUNDS_ERROR);
        assertFails(
                connect(),
                new WorkRequest().writeFrom(memory, 0, 16, rkey, Long.MAX_VALUE - 8),
                WorkStatus.REMOTE_BOUNDS_ERROR);
        assertFails(
                connect(),
                new WorkRequest().writeImmediateFrom(memory, 0, 2, rkey, 4095, 5),
                WorkStatus.REMOTE_BOUNDS_ERROR);
    }

    @Test
    void onlyGrantedMemoryIsReachable() throws Exception {
        MemoryRegion secret = server.allocate(4096, Access.readWrite());
        MemorySegment memory = local(64);
        assertFails(
                connect(),
                new WorkRequest().readInto(memory, 0, 8, secret.remote(), 0),
                WorkStatus.REMOTE_ACCESS_ERROR);
        assertFails(
                connect(),
                new WorkRequest().readInto(memory, 0, 8, RemoteRegion.rkey(4_000_000, 1), 0),
                WorkStatus.REMOTE_ACCESS_ERROR);
        assertFails(
                connect(),
                new WorkRequest().readInto(memory, 0, 8, RemoteRegion.rkey(-1, 1), 0),
                WorkStatus.REMOTE_ACCESS_ERROR);
    }

    @Test
    void readOnlyGrantsAreReadOnly() throws Exception {
        MemoryRegion region = server.allocate(4096, Access.readWrite());
        acceptor.grants(region, Access.readOnly());
        region.memory().set(ValueLayout.JAVA_LONG, 0, 77);
        MemorySegment memory = local(64);
        Connection connection = connect();
        execute(connection, new WorkRequest().readInto(memory, 0, 8, region.remote(), 0));
        assertThat(memory.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(77);
        assertFails(
                connection,
                new WorkRequest().writeFrom(memory, 0, 8, region.remote(), 8),
                WorkStatus.REMOTE_ACCESS_ERROR);
        assertThat(region.memory().get(ValueLayout.JAVA_LONG, 8)).isZero();
    }

    @Test
    void grantIsNeverMoreThanTheRegionHas() throws FabricException {
        MemoryRegion region = server.allocate(4096, Access.readOnly());
        connect();
        Connection accepted = acceptor.takeConnected();
        assertThatThrownBy(() -> accepted.grant(region, Access.readWrite()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void newGenerationEndsOldRkeysAndStartsNewOnes() throws Exception {
        MemoryRegion region = serverRegion(4096);
        Connection connection = connect();
        MemorySegment memory = local(64);
        RemoteRegion before = region.remote();
        execute(connection, new WorkRequest().writeFrom(memory, 0, 8, before, 0));
        region.renew();
        assertThat(region.rkey()).isNotEqualTo(before.rkey());
        execute(connection, new WorkRequest().writeFrom(memory, 0, 8, region.remote(), 0));
        assertFails(connection, new WorkRequest().writeFrom(memory, 0, 8, before, 0), WorkStatus.REMOTE_ACCESS_ERROR);
    }

    @Test
    void revokedAndClosedRegionsAreOutOfReach() throws Exception {
        MemoryRegion region = serverRegion(4096);
        MemorySegment memory = local(64);
        Connection connection = connect();
        Connection accepted = acceptor.takeConnected();
        execute(connection, new WorkRequest().readInto(memory, 0, 8, region.remote(), 0));
        accepted.revoke(region);
        long deadline = deadline();
        while (!accepted.isQuiet()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.onSpinWait();
        }
        assertFails(
                connection,
                new WorkRequest().readInto(memory, 0, 8, region.remote(), 0),
                WorkStatus.REMOTE_ACCESS_ERROR);

        Connection second = connect();
        RemoteRegion remote = region.remote();
        execute(second, new WorkRequest().readInto(memory, 0, 8, remote, 0));
        region.close();
        assertFails(second, new WorkRequest().readInto(memory, 0, 8, remote, 0), WorkStatus.REMOTE_ACCESS_ERROR);
    }

    @Test
    void memoryGrantedLaterIsReachable() throws Exception {
        Connection connection = connect();
        Connection accepted = acceptor.takeConnected();
        MemorySegment memory = local(64);
        for (int i = 0; i < 20; i++) {
            MemoryRegion region = server.allocate(4096, Access.readWrite());
            region.memory().set(ValueLayout.JAVA_LONG, 16, i);
            accepted.grant(region);
            execute(connection, new WorkRequest().readInto(memory, 0, 8, region.remote(), 16));
            assertThat(memory.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(i);
            region.close();
        }
    }

    @Test
    void closeFailsTheOtherEndOnceAndCompletesLaterPosts() throws Exception {
        AtomicInteger failures = new AtomicInteger();
        Connection connection = connect();
        Connection accepted = acceptor.takeConnected();
        CountDownLatch failed = new CountDownLatch(1);
        connection.onFailure(() -> {
            failures.incrementAndGet();
            failed.countDown();
        });
        accepted.close();
        assertThat(failed.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(connection.state()).isEqualTo(ConnectionState.FAILED);
        WorkRequest late = new WorkRequest().immediateOnly(1);
        connection.post(late);
        assertThat(late.status()).isEqualTo(WorkStatus.CONNECTION_FAILED);
        connection.close();
        connection.close();
        assertThat(connection.state()).isEqualTo(ConnectionState.CLOSED);
        assertThat(failures).hasValue(1);
        assertThat(acceptor.failedCount()).isZero(); // closing is no failure at the side that closes
        late.immediateOnly(2);
        connection.post(late);
        assertThat(late.status()).isEqualTo(WorkStatus.CONNECTION_FAILED);
    }

    @Test
    void closedFabricIsDead() throws Exception {
        Connection connection = connect();
        CountDownLatch failed = new CountDownLatch(1);
        connection.onFailure(failed::countDown);
        serverThread.close();
        server.close();
        assertThat(failed.await(20, TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(this::connect).isInstanceOf(FabricException.class);
    }

    @Test
    void wakeupEndsTheWaitOfAQueue() throws Exception {
        ReceiveQueue queue = client.createReceiveQueue();
        queue.wakeup();
        assertThat(queue.await(deadline())).isTrue();
        long start = System.nanoTime();
        assertThat(queue.await(start + 30_000_000L)).isFalse();
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(30_000_000L);
        Thread waker = Thread.ofPlatform().start(queue::wakeup);
        assertThat(queue.await(deadline())).isTrue();
        waker.join();
        queue.close();
        assertThat(queue.await(deadline())).isFalse();
        assertThat(queue.poll(1)).isZero();
    }

    /** Threads that wait use no CPU: measured as the CPU time of the threads themselves over an idle time. */
    @Test
    void idleUsesNoCpu() throws FabricException {
        Connection connection = connect();
        execute(connection, new WorkRequest().immediateOnly(1));
        acceptor.takeImmediate();
        ReceiveQueue idle = client.createReceiveQueue();
        assertThat(idle.await(client.nanoTime() + 100_000_000L)).isFalse(); // all have spun and parked by now
        long before = fabricThreadsCpuNanos();
        assertThat(idle.await(client.nanoTime() + 500_000_000L)).isFalse();
        long used = fabricThreadsCpuNanos() - before;
        // Half a second of one spinning thread would be 500 ms; parked threads measure a few microseconds, but some
        // kernels
        // count whole ticks of 10 ms.
        assertThat(used).isLessThan(100_000_000L);
        execute(connection, new WorkRequest().immediateOnly(2)); // and they wake up again
        assertThat(acceptor.takeImmediate()).isEqualTo(2);
    }

    private static boolean isFabricThread(Thread thread) {
        return thread.getName().startsWith(TestFabricConfig.THREAD_PREFIX)
                || thread.getName().startsWith(QueueThread.NAME);
    }

    private static long fabricThreadsCpuNanos() {
        ThreadMXBean bean = ManagementFactory.getThreadMXBean();
        long sum = 0;
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (isFabricThread(thread)) {
                sum += Math.max(0, bean.getThreadCpuTime(thread.threadId()));
            }
        }
        return sum;
    }

    /** Descriptors, mappings and threads return to what they were, whichever side closes, also after failures. */
    @Test
    void nothingLeaks() throws Exception {
        useAndCloseEverything(); // class loading opens files of its own
        Leaks before = Leaks.count();
        for (int i = 0; i < 5; i++) {
            useAndCloseEverything();
        }
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        Leaks after = Leaks.count();
        while (!after.equals(before) && System.nanoTime() < deadline) {
            Thread.onSpinWait(); // the last thread may be on its way out
            after = Leaks.count();
        }
        assertThat(after).isEqualTo(before);
    }

    private void useAndCloseEverything() throws Exception {
        try (Fabric near = createFabric(TestFabricConfig.named("near"));
                Fabric far = createFabric(TestFabricConfig.named("far"))) {
            RecordingAcceptor farAcceptor = new RecordingAcceptor();
            MemoryRegion region = far.allocate(1 << 16, Access.readWrite());
            farAcceptor.grants(region, Access.readWrite());
            ReceiveQueue farQueue = far.createReceiveQueue();
            ReceiveQueue nearQueue = near.createReceiveQueue();
            Listener door =
                    far.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), farQueue, farAcceptor);
            try (QueueThread farThread = new QueueThread(farQueue)) {
                assertThat(farThread.thread().isAlive()).isTrue();
                MemorySegment memory = local(64);
                for (int i = 0; i < 3; i++) {
                    Connection connection = near.connect(door.address(), choice(), new byte[0], nearQueue, deadline());
                    Connection accepted = farAcceptor.takeConnected();
                    execute(connection, new WorkRequest().writeImmediateFrom(memory, 0, 64, region.remote(), 0, i));
                    if (i == 0) {
                        connection.close();
                        farAcceptor.takeFailed();
                    } else if (i == 1) {
                        accepted.close();
                    } // the last one is left to the fabric's close
                }
                assertThatThrownBy(() -> near.connect(
                                door.address(), choice(), RecordingAcceptor.REFUSE_ME, nearQueue, deadline()))
                        .isInstanceOf(FabricException.class);
            }
        }
    }

    /** What a fabric takes from the process. */
    private record Leaks(long descriptors, long mappings, long threads) {
        static Leaks count() throws IOException {
            long descriptors = 0;
            try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
                for (Path descriptor : all) {
                    descriptors += isFabricDescriptor(descriptor) ? 1 : 0;
                }
            }
            long mappings;
            try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
                mappings = lines.filter(line -> line.contains("memfd:octofs")).count();
            }
            long threads = Thread.getAllStackTraces().keySet().stream()
                    .filter(FabricContract::isFabricThread)
                    .count();
            return new Leaks(descriptors, mappings, threads);
        }

        private static boolean isFabricDescriptor(Path descriptor) {
            try {
                String target = Files.readSymbolicLink(descriptor).toString();
                return target.startsWith("socket:")
                        || target.startsWith("/memfd:octofs")
                        || target.startsWith("anon_inode:");
            } catch (IOException closedMeanwhile) {
                return false;
            }
        }
    }

    @Test
    void requestInUseCannotBeFilledOrPostedTwice() throws FabricException {
        Connection connection = connect();
        WorkRequest request = new WorkRequest().immediateOnly(1);
        execute(connection, request);
        assertThatThrownBy(() -> connection.post(request)).isInstanceOf(IllegalStateException.class);
    }
}
