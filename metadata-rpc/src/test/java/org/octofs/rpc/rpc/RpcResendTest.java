package org.octofs.rpc.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.octofs.rpc.rpc.RpcWorld.OP_ECHO;
import static org.octofs.rpc.rpc.RpcWorld.in;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.protocol.Errno;

/** Connections break at bad moments; a request is executed once all the same, and its caller gets the outcome. */
@Timeout(60)
class RpcResendTest {
    private final LoopbackWires wires = new LoopbackWires();
    private RpcWorld world;

    @BeforeEach
    void openWorld() throws Exception {
        world = new RpcWorld(wires).startServer();
    }

    @AfterEach
    void closeWorld() throws Exception {
        world.close();
    }

    /** The connection breaks while the request is in work: the resend is ignored and the outcome is delivered once. */
    @Test
    void aRequestInWorkIsNotExecutedAgain() throws Exception {
        world.keepRequests();
        RpcClient client = world.client(1);
        try (RpcCall call = client.begin(OP_ECHO, 8, in(20))) {
            call.request().putU64(0, 42);
            call.send(8);
            RpcRequest request = world.takeKept();
            breakAndReconnect(client);
            awaitTrue(() -> world.server.counters().resends() == 1);
            world.inWorker(() -> RpcWorld.echo(request));
            assertThat(call.await()).isZero();
            assertThat(call.reply().getU64(0)).isEqualTo(42);
        }
        assertThat(world.server.counters().calls()).isEqualTo(1);
        assertThat(world.kept).isEmpty();
    }

    /** The reply is given while the client is away: it comes out of the cache, large or small. */
    @Test
    void aReplyGivenWhileTheClientIsAwayWaitsInTheCache() throws Exception {
        for (int bytes : new int[] {8, 50_000}) {
            world.keepRequests();
            RpcClient client = world.client(world.clientConfig(bytes).withSlotCount(2));
            try (RpcCall call = client.begin(OP_ECHO, bytes, in(20))) {
                call.request().putU64(bytes - 8, 43);
                call.send(bytes);
                awaitTrue(() -> client.poll() >= 0 && !world.kept.isEmpty());
                RpcRequest request = world.takeKept();
                world.rejection = "not now";
                wires.fail(client.connection());
                assertThat(pollUntilDisconnected(client)).isTrue();
                awaitTrue(() -> world.lost.get() >= 1);
                world.inWorkerNow(() -> RpcWorld.echo(request));
                world.rejection = null;
                assertThat(call.await()).isZero();
                assertThat(call.reply().getU64(bytes - 8)).isEqualTo(43);
            }
            client.close();
        }
        assertThat(world.server.counters().calls()).isEqualTo(2);
    }

    /** The connection breaks again and again under load: every call is executed exactly once. */
    @Test
    void everyCallIsExecutedOnceWhileConnectionsBreak() throws Exception {
        AtomicLong executed = new AtomicLong();
        world.onRequest = request -> {
            executed.incrementAndGet();
            RpcWorld.echo(request);
        };
        RpcClient client = world.client(world.clientConfig(1).withSlotCount(6));
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger breaks = new AtomicInteger();
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            Future<?> breaker = threads.submit(() -> {
                while (!stop.get()) {
                    Connection connection = client.connection();
                    if (connection != null) {
                        wires.fail(connection);
                        breaks.incrementAndGet();
                    }
                    LockSupport.parkNanos(3_000_000);
                }
            });
            try {
                RpcContract.inThreads(8, thread -> {
                    for (int i = 0; i < 400; i++) {
                        int size = i % 50 == 0 ? 20_000 : 40;
                        assertThat(RpcContract.echo(client, size, thread * 1000L + i))
                                .isTrue();
                    }
                    return null;
                });
            } finally {
                stop.set(true);
                breaker.get(10, TimeUnit.SECONDS);
            }
        }
        assertThat(breaks.get()).isGreaterThan(3);
        assertThat(executed.get()).isEqualTo(8 * 400);
    }

    /** After a restart the server knows nothing; the handler is asked for the outcome before anything is executed. */
    @Test
    void aRestartedServerAsksItsHandlerForOldOutcomes() throws Exception {
        world.keepRequests();
        RpcClient client = world.client(1);
        AtomicInteger asked = new AtomicInteger();
        try (RpcCall known = client.begin(OP_ECHO, 8, in(20));
                RpcCall unknown = client.begin(OP_ECHO, 8, in(20))) {
            known.request().putU64(0, 1);
            known.send(8);
            unknown.request().putU64(0, 2);
            unknown.send(8);
            world.takeKept();
            world.takeKept();
            world.killServer();
            AtomicInteger handled = new AtomicInteger();
            world.onRequest = request -> {
                assertThat(request.isResend()).isTrue();
                handled.incrementAndGet();
                RpcWorld.echo(request);
            };
            world.onRecover = request -> {
                asked.incrementAndGet();
                if (request.body().getU64(0) == 1) {
                    request.reply(8).putU64(0, 100);
                    request.send(Errno.EEXIST.value, 8);
                    return true;
                }
                return false;
            };
            world.startServer();
            assertThat(Errno.of(known.await())).isEqualTo(Errno.EEXIST);
            assertThat(known.reply().getU64(0)).isEqualTo(100);
            assertThat(unknown.await()).isZero();
            assertThat(handled.get()).isEqualTo(1);
        }
        assertThat(asked.get()).isEqualTo(2);
        world.onRequest = RpcWorld::echo;
        assertThat(RpcContract.outcome(client)).as("no resend any more").isEqualTo(Errno.OK);
    }

    /** A call that was given up is not executed by a restarted server, and its slot comes back. */
    @Test
    void anAbandonedCallIsNotExecutedLater() throws Exception {
        world.keepRequests();
        RpcClient client = world.client(world.clientConfig(1).withSlotCount(1));
        try (RpcCall call = client.begin(OP_ECHO, 8, in(20))) {
            call.send(8);
            world.takeKept();
        }
        world.killServer();
        AtomicInteger handled = new AtomicInteger();
        world.onRequest = request -> {
            handled.incrementAndGet();
            RpcWorld.echo(request);
        };
        world.startServer();
        assertThat(RpcContract.echo(client, 8, 5)).isTrue();
        assertThat(handled.get()).isEqualTo(1);
    }

    /** The session outlives the connection: the attachment is found again, until it is ended. */
    @Test
    void sessionsOutliveConnections() throws Exception {
        RpcClient client = world.client(77);
        world.inWorkerNow(() -> world.server.session(77).attach("mine"));
        breakAndReconnect(client);
        assertThat(world.opened.get()).isEqualTo(2);
        assertThat(world.lost.get()).isEqualTo(1);
        world.inWorkerNow(() -> {
            assertThat(world.server.session(77).attachment()).isEqualTo("mine");
            assertThat(world.server.session(77).isConnected()).isTrue();
            assertThat(world.server.session(77).peerProcessKnownDead()).isFalse();
            world.server.endSession(77);
            assertThat(world.server.session(77)).isNull();
        });
        assertThat(RpcContract.outcome(client)).as("as a new session").isEqualTo(Errno.OK);
    }

    private void breakAndReconnect(RpcClient client) throws Exception {
        long before = client.counters().connects();
        wires.fail(client.connection());
        assertThat(pollUntilDisconnected(client) || client.counters().connects() > before)
                .isTrue();
        client.awaitConnected(in(10));
    }

    private static boolean pollUntilDisconnected(RpcClient client) {
        long before = client.counters().connects();
        long end = in(10);
        while (client.isConnected() && client.counters().connects() == before && System.nanoTime() < end) {
            client.poll();
        }
        return !client.isConnected();
    }

    static void awaitTrue(java.util.function.BooleanSupplier condition) {
        long end = in(10);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("deadline of the test").isLessThan(end);
            Thread.onSpinWait();
        }
    }
}
