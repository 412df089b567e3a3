package org.octofs.client.bench;

import java.io.IOException;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.FabricFactory;
import org.octofs.rpc.fabric.ReceiveQueue;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.rpc.RpcCall;
import org.octofs.rpc.rpc.RpcClient;
import org.octofs.rpc.rpc.RpcClientConfig;
import org.octofs.rpc.rpc.RpcCompletion;
import org.octofs.rpc.rpc.RpcException;

/** Clients of a {@link RpcPeer}: self-identified calls with all that the product's RPC does besides. One thread. */
final class RpcWire implements CallWire {
    private static final long DEADLINE_NANOS = 60_000_000_000L;
    private static final long WAIT_NANOS = 1_000_000_000L;
    private static final int ARRIVALS = 64;

    private final PeerProcess peer;
    private final Fabric fabric;
    private final ReceiveQueue queue;
    private final RpcClient[] clients;
    private final Completion[] completions;
    private final CheckedCalls calls;

    /** Starts the server too. */
    RpcWire(int count, TransportChoice transport) throws IOException, FabricException {
        peer = new PeerProcess("bench-call-peer", "product");
        fabric = FabricFactory.create(BenchFabric.config("bench calls"));
        queue = fabric.createReceiveQueue();
        clients = new RpcClient[count];
        completions = new Completion[count];
        calls = new CheckedCalls(count);
        for (int client = 0; client < count; client++) {
            clients[client] = new RpcClient(
                    fabric,
                    RpcClientConfig.of(peer.address(), client + 1L)
                            .withTransport(transport)
                            .withSlotCount(1)
                            .withSharedQueue(queue));
            clients[client].awaitConnected(fabric.nanoTime() + DEADLINE_NANOS);
            completions[client] = new Completion(client);
        }
    }

    /** What happens when a client's call is over. */
    private final class Completion implements RpcCompletion {
        private final int client;

        Completion(int client) {
            this.client = client;
        }

        @Override
        public void completed(RpcCall call, RpcException reason) {
            if (reason != null) {
                calls.failed(reason);
                return;
            }
            long found = call.reply().getU64(0);
            call.close();
            calls.answered(client, found);
        }
    }

    @Override
    public void call(int client) throws RpcException {
        RpcCall call = clients[client].begin(RpcPeer.ECHO, Long.BYTES, fabric.nanoTime() + DEADLINE_NANOS);
        call.request().putU64(0, calls.next(client));
        call.sendAsync(Long.BYTES, completions[client]);
    }

    @Override
    public void poll(Answers answers) throws Exception {
        calls.listener(answers);
        if (queue.poll(ARRIVALS) == 0) {
            queue.await(fabric.nanoTime() + WAIT_NANOS);
        }
        calls.check();
    }

    @Override
    public long serverCpuNanos() {
        return peer.cpuNanos();
    }

    @Override
    public void close() {
        for (RpcClient client : clients) {
            client.close();
        }
        fabric.close();
        peer.close();
    }
}
