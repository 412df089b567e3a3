package org.octofs.rpc.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.octofs.rpc.rpc.RpcWorld.OP_ECHO;
import static org.octofs.rpc.rpc.RpcWorld.SECOND;
import static org.octofs.rpc.rpc.RpcWorld.in;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.ProtocolException;

/**
 * What a call is, whatever it travels by. Each test has a server with a worker thread and clients in fabrics of their own;
 * a subclass says of which transport.
 */
@Timeout(60)
abstract class RpcContract {
    abstract RpcWorld.Wires wires() throws Exception;

    RpcWorld world;

    @BeforeEach
    void openWorld() throws Exception {
        world = new RpcWorld(wires());
    }

    @AfterEach
    void closeWorld() throws Exception {
        world.close();
    }

    /** Any body comes back as it was sent, empty, small, across the sizes at which slots grow, and the largest. */
    @Test
    void bodiesOfAllSizesComeBack() throws Exception {
        world.startServer();
        RpcClient client = world.client(1);
        int[] sizes = {0, 1, 63, 4032, 4033, 100, 8128, 8129, 65_536, 10, 192 << 10, RpcLimits.BODY_BYTES_MAX, 5};
        for (int size : sizes) {
            assertThat(echo(client, size, size)).as("body of %d bytes", size).isTrue();
        }
    }

    /** One more byte than the largest body is refused before anything is sent. */
    @Test
    void largerBodiesAreRefused() throws Exception {
        world.startServer();
        RpcClient client = world.client(1);
        assertThatThrownBy(() -> client.begin(OP_ECHO, RpcLimits.BODY_BYTES_MAX + 1, in(5)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** Many threads share a client with fewer slots than threads; each gets its own replies. */
    @Test
    void manyThreadsShareAClient() throws Exception {
        world.startServer();
        RpcClient client = world.client(world.clientConfig(1).withSlotCount(5));
        inThreads(9, thread -> {
            for (int i = 0; i < 400; i++) {
                assertThat(echo(client, 16 + (i % 7) * 900, thread * 100_000 + i))
                        .isTrue();
            }
            return null;
        });
        assertThat(client.counters().calls()).isEqualTo(9 * 400);
    }

    /** The thread that takes replies for all leaves with its own; one of those that slept has to take its place. */
    @Test
    void theLeadIsPassedOn() throws Exception {
        world.keepRequests();
        world.startServer();
        RpcClient client = world.client(1);
        List<Thread> waiting = new ArrayList<>();
        List<RpcRequest> requests = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Thread thread = echoInThread(client);
            waiting.add(thread);
            requests.add(world.takeKept());
            RpcResendTest.awaitTrue(() -> isWaiting(thread));
        }
        for (int i = 0; i < 3; i++) {
            RpcRequest request = requests.get(i);
            world.inWorker(() -> RpcWorld.echo(request));
            assertThat(waiting.get(i).join(java.time.Duration.ofSeconds(10)))
                    .as("caller %d of 3", i)
                    .isTrue();
        }
    }

    private static Thread echoInThread(RpcClient client) {
        return Thread.ofPlatform().daemon().start(() -> {
            try {
                echo(client, 8, 1);
            } catch (RpcException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    /** True when the thread waits for its reply, as the leader or as one of those that follow. */
    private static boolean isWaiting(Thread thread) {
        return isIn(thread, "lead") || isIn(thread, "follow");
    }

    private static boolean isIn(Thread thread, String method) {
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (frame.getMethodName().equals(method)) {
                return true;
            }
        }
        return false;
    }

    /** Who waits patiently leads while it is alone, gives way to whoever comes, and leads again afterwards. */
    @Test
    void whoIsPatientGivesWay() throws Exception {
        world.keepRequests();
        world.startServer();
        RpcClient client = world.client(1);
        Thread patient = Thread.ofPlatform().daemon().start(() -> waitPatiently(client));
        RpcRequest held = world.takeKept();
        RpcResendTest.awaitTrue(() -> isIn(patient, "leadPatiently"));
        for (int round = 0; round < 3; round++) {
            Thread other = echoInThread(client);
            RpcRequest request = world.takeKept();
            RpcResendTest.awaitTrue(() -> isIn(other, "lead") && isIn(patient, "rest"));
            world.inWorker(() -> RpcWorld.echo(request));
            assertThat(other.join(java.time.Duration.ofSeconds(10))).isTrue();
            RpcResendTest.awaitTrue(() -> isIn(patient, "leadPatiently"));
        }
        world.inWorker(() -> RpcWorld.echo(held));
        assertThat(patient.join(java.time.Duration.ofSeconds(10))).isTrue();
    }

    private static void waitPatiently(RpcClient client) {
        try (RpcCall call = client.begin(OP_ECHO, 8, in(40))) {
            call.request().putU64(0, 7);
            call.send(8);
            assertThat(call.awaitPatiently()).isZero();
            assertThat(call.reply().getU64(0)).isEqualTo(7);
        } catch (RpcException e) {
            throw new IllegalStateException(e);
        }
    }

    /** No reply is missed, whoever of the patient and the others comes, goes and is answered when. */
    @Test
    void nobodyIsForgottenBesideThePatient() throws Exception {
        world.startServer();
        RpcClient client = world.client(1);
        inThreads(5, thread -> {
            Random random = new Random(thread);
            for (int i = 0; i < 300; i++) {
                if (thread < 3) {
                    waitPatiently(client);
                } else {
                    assertThat(echo(client, 16, thread * 100_000 + i)).isTrue();
                }
                if (random.nextInt(8) == 0) {
                    Thread.sleep(random.nextInt(3));
                }
            }
            return null;
        });
    }

    /** Replies may come in any order, and from the worker at any later time. */
    @Test
    void repliesComeOutOfOrder() throws Exception {
        world.keepRequests();
        world.startServer();
        RpcClient client = world.client(1);
        List<RpcCall> calls = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            RpcCall call = client.begin(OP_ECHO, 8, in(20));
            call.request().putU64(0, i);
            call.send(8);
            calls.add(call);
        }
        List<RpcRequest> requests = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            requests.add(world.takeKept());
        }
        Collections.reverse(requests);
        requests.forEach(request -> world.inWorker(() -> RpcWorld.echo(request)));
        for (int i = 0; i < 20; i++) {
            assertThat(calls.get(i).await()).isZero();
            assertThat(calls.get(i).reply().getU64(0)).isEqualTo(i);
            calls.get(i).close();
        }
    }

    /** The errno of an outcome, the epoch and the exact length of the body arrive; so do the fields of a request. */
    @Test
    void fieldsArriveOnBothSides() throws Exception {
        world.onRequest = request -> {
            assertThat(request.opCode()).isEqualTo(99);
            assertThat(request.clientId()).isEqualTo(-5L);
            assertThat(request.mapEpoch()).isEqualTo(12);
            assertThat(request.body().lengthBytes()).isEqualTo(3);
            assertThat(request.deadlineNanos() - System.nanoTime()).isBetween(1 * SECOND, 10 * SECOND);
            assertThat(request.isResend()).isFalse();
            request.reply(100).putU32(0, 77);
            request.send(Errno.ENOENT.value, 4);
        };
        world.startServer(11);
        RpcClient client = world.client(world.clientConfig(-5).withHello(new byte[] {9, 8}));
        assertThat(world.lastHello).containsExactly(9, 8);
        client.setMapEpoch(12);
        try (RpcCall call = client.begin(99, 10, in(10))) {
            call.send(3);
            assertThat(call.await()).isEqualTo(Errno.ENOENT.value);
            assertThat(call.replyMapEpoch()).isEqualTo(11);
            assertThat(call.reply().lengthBytes()).isEqualTo(4);
            assertThat(call.reply().getU32(0)).isEqualTo(77);
            assertThatThrownBy(() -> call.reply().getU8(4)).isInstanceOf(ProtocolException.class);
        }
    }

    /** An older epoch than the server's is refused with the server's; an equal, a newer, and none at all are served. */
    @Test
    void staleEpochsAreRefused() throws Exception {
        world.startServer(5);
        RpcClient client = world.client(1);
        int[] served = {0, 5, 6};
        for (int epoch : served) {
            client.setMapEpoch(epoch);
            assertThat(echo(client, 4, 1)).isTrue();
        }
        client.setMapEpoch(4);
        try (RpcCall call = client.begin(OP_ECHO, 4, in(10))) {
            call.send(4);
            assertThat(Errno.of(call.await())).isEqualTo(Errno.ESTALE_EPOCH);
            assertThat(call.replyMapEpoch()).isEqualTo(5);
        }
        assertThat(world.server.counters().calls()).isEqualTo(3);
    }

    /** A slot grows for a large message, request and reply apart, and is halved again after enough small ones. */
    @Test
    void slotsGrowAndShrink() throws Exception {
        world.onRequest = request -> {
            int wanted = (int) request.body().getU32(0);
            request.reply(wanted).putU8(wanted - 1, 0x5A);
            request.send(0, wanted);
        };
        world.startServer();
        RpcClient client = world.client(world.clientConfig(1).withSlotCount(1));
        askFor(client, 8, 30_000);
        assertThat(client.counters().slotMoves()).as("the reply slot alone").isEqualTo(1);
        assertThat(world.server.counters().slotMoves()).isZero();
        askFor(client, 100_000, 8);
        assertThat(world.server.counters().slotMoves()).as("the request slot").isEqualTo(1);
        for (int i = 0; i < SmallRun.LENGTH * 8; i++) {
            askFor(client, 8, 8);
        }
        assertThat(world.server.counters().slotMoves())
                .as("128 KiB back to 4 KiB in five halvings")
                .isEqualTo(6);
        askFor(client, 100_000, 200_000);
        assertThat(world.server.counters().calls()).isEqualTo(3 + SmallRun.LENGTH * 8);
    }

    private static void askFor(RpcClient client, int requestBytes, int replyBytes) throws RpcException {
        try (RpcCall call = client.begin(OP_ECHO, requestBytes, in(10))) {
            call.request().putU32(0, replyBytes);
            call.send(requestBytes);
            assertThat(call.await()).isZero();
            assertThat(call.reply().lengthBytes()).isEqualTo(replyBytes);
            assertThat(call.reply().getU8(replyBytes - 1)).isEqualTo(0x5A);
        }
    }

    /** A call without an answer ends at its deadline; its slot is used again only after the late answer. */
    @Test
    void deadlinesHoldAndSlotsWaitForLateReplies() throws Exception {
        world.keepRequests();
        world.startServer();
        RpcClient client = world.client(world.clientConfig(1).withSlotCount(1));
        long start = System.nanoTime();
        try (RpcCall call = client.begin(OP_ECHO, 4, in(0.2))) {
            call.send(4);
            assertThatThrownBy(call::await)
                    .isInstanceOfSatisfying(
                            RpcTimeoutException.class,
                            e -> assertThat(e.isOutcomeUnknown()).isTrue());
        }
        assertThat(System.nanoTime() - start).isBetween(SECOND / 5, 5 * SECOND);
        assertThatThrownBy(() -> client.begin(OP_ECHO, 4, in(0.1)))
                .isInstanceOfSatisfying(
                        RpcTimeoutException.class,
                        e -> assertThat(e.isOutcomeUnknown()).isFalse());
        RpcRequest late = world.takeKept();
        world.onRequest = RpcWorld::echo;
        world.inWorker(() -> late.send(0, 0));
        assertThat(echo(client, 100, 3)).isTrue();
    }

    /** Without a server a call fails at its deadline as never sent; begun early enough, it waits for the server. */
    @Test
    void callsWaitForAServer() throws Exception {
        world.startServer();
        world.killServer();
        RpcClient client = world.lazyClient(world.clientConfig(1));
        try (RpcCall call = client.begin(OP_ECHO, 4, in(0.1))) {
            call.send(4);
            assertThatThrownBy(call::await)
                    .isInstanceOfSatisfying(
                            RpcTimeoutException.class,
                            e -> assertThat(e.isOutcomeUnknown()).isFalse());
        }
        assertThatThrownBy(() -> client.awaitConnected(in(0.1))).isInstanceOf(RpcTimeoutException.class);
        try (RpcCall call = client.begin(OP_ECHO, 4, in(20))) {
            call.send(4);
            world.startServer();
            assertThat(call.await()).isZero();
        }
    }

    /** What the server says when it refuses a client reaches the client's user. */
    @Test
    void refusalsReachTheUser() throws Exception {
        world.rejection = "this is cluster A; mount it with A's cluster file";
        world.startServer();
        RpcClient client = world.lazyClient(world.clientConfig(1));
        assertThatThrownBy(() -> client.awaitConnected(in(10)))
                .isInstanceOf(RpcRejectedException.class)
                .hasMessageContaining("mount it with A's cluster file");
        world.rejection = null;
        assertThat(echo(client, 4, 4)).isTrue();
    }

    /** Asynchronous calls complete in the thread that polls, with their replies. */
    @Test
    void asynchronousCallsComplete() throws Exception {
        world.startServer();
        RpcClient client = world.client(1);
        BlockingQueue<Long> results = new LinkedBlockingQueue<>();
        for (int i = 0; i < 10; i++) {
            RpcCall call = client.begin(OP_ECHO, 8, in(10));
            call.request().putU64(0, i);
            call.sendAsync(8, (done, failure) -> {
                results.add(failure == null ? done.reply().getU64(0) : -1L);
                done.close();
            });
        }
        assertThat(results).as("nothing completes before somebody polls").isEmpty();
        long end = in(10);
        while (results.size() < 10 && System.nanoTime() < end) {
            client.poll();
            Thread.onSpinWait();
        }
        assertThat(results).containsExactlyInAnyOrder(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
        assertThat(client.nextDeadlineNanos()).isEqualTo(Long.MAX_VALUE);
    }

    /** An asynchronous call that gets no reply is reported at its deadline, once. */
    @Test
    void asynchronousCallsExpire() throws Exception {
        world.keepRequests();
        world.startServer();
        RpcClient client = world.client(1);
        BlockingQueue<RpcException> results = new LinkedBlockingQueue<>();
        RpcCall call = client.begin(OP_ECHO, 8, in(0.1));
        call.sendAsync(8, (done, failure) -> {
            results.add(failure);
            done.close();
        });
        long end = in(10);
        while (results.isEmpty() && System.nanoTime() < end) {
            client.poll();
            Thread.onSpinWait();
        }
        assertThat(results).hasSize(1).first().isInstanceOf(RpcTimeoutException.class);
        RpcRequest late = world.takeKept();
        world.inWorker(() -> late.send(0, 0));
        world.onRequest = RpcWorld::echo;
        assertThat(echo(client, 8, 1)).isTrue();
        assertThat(results).hasSize(1);
    }

    /** The body of an exception in a handler is an errno, and the server lives on. */
    @Test
    void handlersThatThrowAreAnswered() throws Exception {
        world.onRequest = request -> request.body().getU8(100);
        world.startServer();
        RpcClient client = world.client(1);
        assertThat(outcome(client)).isEqualTo(Errno.EPROTO);
        world.onRequest = request -> {
            throw new IllegalStateException("a bug for the test's sake");
        };
        assertThat(outcome(client)).isEqualTo(Errno.EIO);
        world.onRequest = RpcWorld::echo;
        assertThat(outcome(client)).isEqualTo(Errno.OK);
    }

    /** Closing a client ends its outstanding calls, waiting or asynchronous, and refuses new ones. */
    @Test
    void closingEndsOutstandingCalls() throws Exception {
        world.keepRequests();
        world.startServer();
        RpcClient client = world.client(1);
        BlockingQueue<RpcException> results = new LinkedBlockingQueue<>();
        RpcCall asynchronous = client.begin(OP_ECHO, 8, in(30));
        asynchronous.sendAsync(8, (done, failure) -> {
            results.add(failure);
            done.close();
        });
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Future<?>> waiting = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                waiting.add(threads.submit(() -> echo(client, 8, 1)));
            }
            for (int i = 0; i < 4; i++) {
                world.takeKept();
            }
            client.close();
            for (Future<?> future : waiting) {
                assertThatThrownBy(() -> future.get(10, TimeUnit.SECONDS)).hasCauseInstanceOf(RpcClosedException.class);
            }
        }
        client.poll();
        assertThat(results).hasSize(1).first().isInstanceOf(RpcClosedException.class);
        assertThatThrownBy(() -> client.begin(OP_ECHO, 8, in(1))).isInstanceOf(RpcClosedException.class);
    }

    /** A call costs no garbage, neither in the caller's thread nor in the worker's. */
    @Test
    void callsAllocateNothing() throws Exception {
        world.startServer();
        RpcClient client = world.client(1);
        var threads = (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
        int warmUp = allocationWarmUpCalls();
        int measured = warmUp / 4;
        nullCalls(client, warmUp);
        long caller = threads.getCurrentThreadAllocatedBytes();
        long worker = threads.getThreadAllocatedBytes(world.worker.threadId());
        nullCalls(client, measured);
        long callerBytes = threads.getCurrentThreadAllocatedBytes() - caller;
        long workerBytes = threads.getThreadAllocatedBytes(world.worker.threadId()) - worker;
        // What a background compilation may charge to the thread is far below one object per call.
        assertThat(callerBytes).as("caller").isLessThan(measured * allocationLimitBytes());
        assertThat(workerBytes).as("worker").isLessThan(measured * allocationLimitBytes());
    }

    /** Calls until everything is compiled. */
    int allocationWarmUpCalls() {
        return 20_000;
    }

    /** What a call may cost. */
    long allocationLimitBytes() {
        return 1;
    }

    static void nullCalls(RpcClient client, int count) throws RpcException {
        for (int i = 0; i < count; i++) {
            try (RpcCall call = client.begin(OP_ECHO, 8, in(10))) {
                call.send(8);
                if (call.await() != 0) {
                    throw new AssertionError("errno " + call.errno());
                }
            }
        }
    }

    static Errno outcome(RpcClient client) throws RpcException {
        try (RpcCall call = client.begin(OP_ECHO, 8, in(10))) {
            call.send(8);
            return Errno.of(call.await());
        }
    }

    /** Sends pseudo-random bytes and compares what comes back. */
    static boolean echo(RpcClient client, int size, long seed) throws RpcException {
        byte[] sent = new byte[size];
        new Random(seed).nextBytes(sent);
        try (RpcCall call = client.begin(OP_ECHO, size, in(20))) {
            call.request().putBytes(0, sent, 0, size);
            call.send(size);
            if (call.await() != 0 || call.reply().lengthBytes() != size) {
                return false;
            }
            byte[] received = new byte[size];
            call.reply().getBytes(0, received, 0, size);
            return java.util.Arrays.equals(sent, received);
        }
    }

    /** Work of one thread. */
    interface ThreadWork {
        Void run(int thread) throws Exception;
    }

    static void inThreads(int count, ThreadWork work) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(count)) {
            List<Callable<Void>> all = new ArrayList<>();
            for (int t = 0; t < count; t++) {
                int thread = t;
                all.add(() -> work.run(thread));
            }
            for (Future<Void> future : threads.invokeAll(all)) {
                future.get();
            }
        }
    }
}
