package org.octofs.client.bench;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.octofs.rpc.fabric.AcceptDecision;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.fabric.ConnectionAcceptor;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.FabricFactory;
import org.octofs.rpc.fabric.IncomingConnection;
import org.octofs.rpc.fabric.Listener;
import org.octofs.rpc.fabric.MemoryRegion;
import org.octofs.rpc.fabric.ReceiveQueue;
import org.octofs.rpc.fabric.WorkRequest;

/**
 * A server that finds requests in slots, one for each client, in one of two ways: an immediate names the slot (self-identified), or
 * it looks through the slots of all clients, over and over (buffer scanning). Answers are the same in both: a WRITE with an immediate.
 * Threading: confined to the thread that runs it.
 */
final class SlotPeer implements ConnectionAcceptor {
    /** Where a request's sequence number is, its last word, which is written after the rest. */
    static final int SEQUENCE_OFFSET = CallWire.MESSAGE_BYTES - Long.BYTES;

    /** Immediates to a server that scans; slots are below. */
    static final int SCAN = CallWire.CLIENTS_MAX;

    /** See {@link #SCAN}. */
    static final int REST = SCAN + 1;

    private static final VarHandle WORD =
            ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
    private static final ValueLayout.OfLong NUMBER = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** The completion of an answer may be noticed after the client's next request. */
    private static final int ANSWERS = 16;

    private static final int ARRIVALS = 64;
    private static final long WAIT_NANOS = 1_000_000_000L;

    /** New connections and the end of scanning are looked for after so many rounds. */
    private static final int ROUNDS = 64;

    private final boolean scans;
    private final Fabric fabric;
    private final ReceiveQueue queue;
    private final MemoryRegion slots;
    private final MemoryRegion answers;
    private final Connection[] connections = new Connection[CallWire.CLIENTS_MAX];
    private final long[] replyKeys = new long[CallWire.CLIENTS_MAX];
    private final long[] seen = new long[CallWire.CLIENTS_MAX];
    private final WorkRequest[][] works = new WorkRequest[CallWire.CLIENTS_MAX][ANSWERS];
    private int clients;
    private boolean scanning;

    SlotPeer(boolean scans) throws FabricException {
        this.scans = scans;
        fabric = FabricFactory.create(BenchFabric.config("bench call peer"));
        queue = fabric.createReceiveQueue();
        int bytes = CallWire.CLIENTS_MAX * CallWire.MESSAGE_BYTES;
        slots = fabric.allocate(bytes, Access.readWrite());
        answers = fabric.allocate(bytes, Access.readWrite());
        for (WorkRequest[] ring : works) {
            for (int i = 0; i < ring.length; i++) {
                ring[i] = new WorkRequest();
            }
        }
    }

    Listener listen() throws IOException {
        return fabric.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), queue, this);
    }

    /** Serves for ever. */
    void run() {
        PeerWait idle = new PeerWait();
        int rounds = 0;
        while (true) {
            if (!scanning) {
                queue.await(fabric.nanoTime() + WAIT_NANOS);
                queue.poll(ARRIVALS);
            } else if (scan()) {
                idle.worked();
                if (++rounds % ROUNDS == 0) {
                    queue.poll(ARRIVALS);
                }
            } else if (queue.poll(ARRIVALS) == 0) {
                // Nothing can wake it: that nobody calls is not known until all slots have been looked at again.
                idle.pause();
            }
        }
    }

    private boolean scan() {
        boolean found = false;
        MemorySegment memory = slots.memory();
        for (int client = 0; client < clients; client++) {
            long sequence = (long) WORD.getAcquire(memory, (long) client * CallWire.MESSAGE_BYTES + SEQUENCE_OFFSET);
            if (sequence != seen[client]) {
                seen[client] = sequence;
                answer(client);
                found = true;
            }
        }
        return found;
    }

    private void answer(int client) {
        long at = (long) client * CallWire.MESSAGE_BYTES;
        long number = slots.memory().get(NUMBER, at);
        answers.memory().set(NUMBER, at, number + 1);
        WorkRequest work = works[client][(int) (number % ANSWERS)];
        connections[client].post(
                work.writeImmediateFrom(answers.memory(), at, CallWire.MESSAGE_BYTES, replyKeys[client], at, client));
    }

    @Override
    public AcceptDecision onConnect(IncomingConnection incoming) {
        return AcceptDecision.accept(ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(slots.rkey())
                .array());
    }

    @Override
    public void onConnected(Connection connection) {
        connection.grant(slots);
        ByteBuffer hello = ByteBuffer.wrap(connection.peerPrivateData()).order(ByteOrder.LITTLE_ENDIAN);
        long key = hello.getLong();
        int client = hello.getInt();
        connections[client] = connection;
        replyKeys[client] = key;
        long at = (long) client * CallWire.MESSAGE_BYTES + SEQUENCE_OFFSET;
        seen[client] = (long) WORD.getAcquire(slots.memory(), at);
        clients = Math.max(clients, client + 1);
        connection.receiver((from, immediate) -> {
            if (!scans) {
                answer(immediate);
            } else {
                scanning = immediate == SCAN;
            }
        });
    }

    @Override
    public void onFailed(Connection connection) {
        connection.close();
    }
}
