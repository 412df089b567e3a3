package org.octofs.rpc.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.octofs.rpc.rpc.RpcWorld.OP_ECHO;
import static org.octofs.rpc.rpc.RpcWorld.in;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.octofs.rpc.fabric.TransportChoice;

/** Servers call each other from their workers: asynchronously, over the queue they poll anyway, never blocking. */
@Timeout(60)
class RpcPeersTest {
    /** A request to A makes A ask B, which asks A back; nobody blocks, and the answer travels all the way back. */
    @Test
    void workersCallEachOther() throws Exception {
        LoopbackWires wires = new LoopbackWires();
        try (RpcWorld a = new RpcWorld(wires);
                RpcWorld b = new RpcWorld(wires)) {
            a.startServer();
            b.startServer();
            RpcClientConfig toB = RpcClientConfig.of(b.address, 100)
                    .withTransport(TransportChoice.LOOPBACK)
                    .withSlotCount(1)
                    .withSharedQueue(a.server.receiveQueue());
            RpcClientConfig toA = RpcClientConfig.of(a.address, 200)
                    .withTransport(TransportChoice.LOOPBACK)
                    .withSharedQueue(b.server.receiveQueue());
            RpcClient aToB = new RpcClient(serverFabric(a), toB);
            RpcClient bToA = new RpcClient(serverFabric(b), toA);
            aToB.awaitConnected(in(10));
            bToA.awaitConnected(in(10));
            AtomicReference<Thread> completedIn = new AtomicReference<>();
            a.onRequest = request -> {
                long hops = request.body().getU64(0);
                if (hops == 1) {
                    forward(aToB, request, 2, completedIn);
                } else {
                    answer(request, hops * 10);
                }
            };
            b.onRequest = request -> forward(bToA, request, request.body().getU64(0) + 1, new AtomicReference<>());
            RpcClient client = a.client(1);
            try (RpcCall call = client.begin(OP_ECHO, 8, in(10))) {
                call.request().putU64(0, 1);
                call.send(8);
                assertThat(call.await()).isZero();
                assertThat(call.reply().getU64(0)).isEqualTo(30);
            }
            assertThat(completedIn.get()).isSameAs(a.worker);
            beginNeverWaits(a, b, aToB);
            aToB.close();
            bToA.close();
        }
    }

    /** With all slots in flight, a worker is told at once instead of waiting for itself. */
    private static void beginNeverWaits(RpcWorld a, RpcWorld b, RpcClient aToB) throws Exception {
        b.keepRequests();
        AtomicInteger refused = new AtomicInteger();
        a.inWorkerNow(() -> {
            try {
                RpcCall first = aToB.begin(OP_ECHO, 8, in(20));
                first.sendAsync(8, (call, failure) -> call.close());
                assertThatThrownBy(() -> aToB.begin(OP_ECHO, 8, in(20))).isInstanceOf(RpcTimeoutException.class);
                refused.incrementAndGet();
            } catch (RpcException e) {
                throw new AssertionError(e);
            }
        });
        assertThat(refused.get()).isEqualTo(1);
        RpcRequest request = b.takeKept();
        b.inWorkerNow(() -> request.send(0, 0));
    }

    private static org.octofs.rpc.fabric.Fabric serverFabric(RpcWorld world) {
        return world.serverFabric();
    }

    private static void forward(RpcClient client, RpcRequest request, long value, AtomicReference<Thread> completedIn) {
        try {
            RpcCall call = client.begin(OP_ECHO, 8, request.deadlineNanos());
            call.request().putU64(0, value);
            call.sendAsync(8, (done, failure) -> {
                completedIn.set(Thread.currentThread());
                answer(request, failure == null ? done.reply().getU64(0) : -1);
                done.close();
            });
        } catch (RpcException e) {
            answer(request, -2);
        }
    }

    private static void answer(RpcRequest request, long value) {
        request.reply(8).putU64(0, value);
        request.send(0, 8);
    }
}
