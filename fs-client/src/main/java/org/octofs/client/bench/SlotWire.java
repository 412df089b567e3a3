package org.octofs.client.bench;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.FabricFactory;
import org.octofs.rpc.fabric.MemoryRegion;
import org.octofs.rpc.fabric.ReceiveQueue;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.fabric.WorkRequest;
import org.octofs.rpc.fabric.WorkStatus;

/** Clients of a {@link SlotPeer}. One thread. */
final class SlotWire implements CallWire {
    private static final ValueLayout.OfLong NUMBER = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final long DEADLINE_NANOS = 20_000_000_000L;
    private static final long WAIT_NANOS = 1_000_000_000L;
    private static final int ARRIVALS = 64;

    private final boolean scanned;
    private final PeerProcess peer;
    private final Fabric fabric;
    private final ReceiveQueue queue;
    private final MemoryRegion requests;
    private final MemoryRegion answers;
    private final Connection[] connections;
    private final WorkRequest[][] works;
    private final long[] rkeys;
    private final CheckedCalls calls;

    /** Starts the server too. */
    SlotWire(boolean scanned, int clients, TransportChoice transport) throws IOException, FabricException {
        this.scanned = scanned;
        peer = new PeerProcess("bench-call-peer", scanned ? "scan" : "immediate");
        fabric = FabricFactory.create(BenchFabric.config("bench calls"));
        queue = fabric.createReceiveQueue();
        requests = fabric.allocate((long) CLIENTS_MAX * MESSAGE_BYTES, Access.readWrite());
        answers = fabric.allocate((long) CLIENTS_MAX * MESSAGE_BYTES, Access.readWrite());
        connections = new Connection[clients];
        rkeys = new long[clients];
        calls = new CheckedCalls(clients);
        works = new WorkRequest[clients][];
        for (int client = 0; client < clients; client++) {
            works[client] = new WorkRequest[] {new WorkRequest(), new WorkRequest()};
            byte[] hello = ByteBuffer.allocate(Long.BYTES + Integer.BYTES)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putLong(answers.rkey())
                    .putInt(client)
                    .array();
            Connection connection =
                    fabric.connect(peer.address(), transport, hello, queue, fabric.nanoTime() + DEADLINE_NANOS);
            connections[client] = connection;
            connection.grant(answers);
            connection.receiver((from, immediate) -> onAnswer(immediate));
            rkeys[client] = ByteBuffer.wrap(connection.peerPrivateData())
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .getLong();
        }
    }

    @Override
    public void call(int client) throws FabricException {
        Connection connection = connections[client];
        WorkRequest[] own = works[client];
        for (WorkRequest work : own) {
            if (work.status() == WorkStatus.PENDING) {
                // The answer may be there before the completion of the request.
                connection.await(work, fabric.nanoTime() + DEADLINE_NANOS);
            }
        }
        long at = (long) client * MESSAGE_BYTES;
        long number = calls.next(client);
        MemorySegment local = requests.memory();
        local.set(NUMBER, at, number);
        if (!scanned) {
            connection.post(own[0].writeImmediateFrom(local, at, MESSAGE_BYTES, rkeys[client], at, client));
            return;
        }
        // The word that is looked for goes last: writes of one connection take effect in order.
        long last = at + SlotPeer.SEQUENCE_OFFSET;
        local.set(NUMBER, last, number);
        own[0].writeFrom(local, at, SlotPeer.SEQUENCE_OFFSET, rkeys[client], at);
        own[1].writeFrom(local, last, Long.BYTES, rkeys[client], last);
        connection.post(own, 0, own.length);
    }

    private void onAnswer(int client) {
        calls.answered(client, answers.memory().get(NUMBER, (long) client * MESSAGE_BYTES));
    }

    @Override
    public void poll(Answers answered) throws Exception {
        calls.listener(answered);
        if (queue.poll(ARRIVALS) == 0) {
            queue.await(fabric.nanoTime() + WAIT_NANOS);
        }
        calls.check();
    }

    @Override
    public void wake() throws FabricException {
        tell(SlotPeer.SCAN);
    }

    @Override
    public void rest() throws FabricException {
        tell(SlotPeer.REST);
    }

    private void tell(int immediate) throws FabricException {
        if (scanned) {
            WorkRequest work = new WorkRequest();
            connections[0].post(work.immediateOnly(immediate));
            connections[0].await(work, fabric.nanoTime() + DEADLINE_NANOS);
        }
    }

    @Override
    public long serverCpuNanos() {
        return peer.cpuNanos();
    }

    @Override
    public void close() {
        fabric.close();
        peer.close();
    }
}
