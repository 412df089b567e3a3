package org.octofs.client.bench;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.FabricFactory;
import org.octofs.rpc.fabric.MemoryRegion;
import org.octofs.rpc.fabric.ReceiveQueue;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.fabric.TransportKind;
import org.octofs.rpc.fabric.WorkRequest;
import org.octofs.rpc.fabric.WorkStatus;

/** One connection to a {@link BenchPeer}: what the transport does without a file system. One thread. */
final class RawLimits implements AutoCloseable {
    private static final long DEADLINE_NANOS = 20_000_000_000L;
    private static final int PAGE_BYTES = 4096;

    /** Where the clock is a system call, asking it for each operation would be a good part of what is measured. */
    private static final int OPERATIONS_PER_DEADLINE = 16;

    private final Fabric fabric;
    private final ReceiveQueue queue;
    private final MemoryRegion pong;
    private final Connection connection;
    private final long rkey;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment local;
    private MemorySegment other;
    private final WorkRequest request = new WorkRequest();
    private final SplittableRandom random = new SplittableRandom(1);
    private int lastPong = -1;
    private long deadline;
    private int deadlineLeft;

    /** Works on local memory as large as the largest operation, at least a page. */
    RawLimits(InetSocketAddress peer, TransportChoice choice, MemorySegment local) throws FabricException {
        this.local = local;
        fabric = FabricFactory.create(BenchFabric.config("bench"));
        queue = fabric.createReceiveQueue();
        pong = fabric.allocate(PAGE_BYTES, Access.readWrite());
        ByteBuffer hello =
                ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(pong.rkey());
        connection = fabric.connect(peer, choice, hello.array(), queue, fabric.nanoTime() + DEADLINE_NANOS);
        connection.receiver((from, immediate) -> lastPong = immediate);
        connection.grant(pong);
        rkey = ByteBuffer.wrap(connection.peerPrivateData())
                .order(ByteOrder.LITTLE_ENDIAN)
                .getLong();
        local.fill((byte) 2);
    }

    TransportKind transport() {
        return connection.transport();
    }

    /** A message there and one back. */
    void ping(long index) throws IOException, FabricException {
        int immediate = (int) (index & 0xF);
        lastPong = -1;
        connection.post(request.writeImmediateFrom(local, 0, BenchPeer.PING_BYTES, rkey, 0, immediate));
        while (lastPong != immediate) {
            if (!queue.await(deadline()) && !queue.await(freshDeadline())) {
                throw new IOException("the bench peer does not answer");
            }
            queue.poll(1);
        }
        await();
    }

    private void await() throws FabricException {
        try {
            connection.await(request, deadline());
        } catch (FabricException e) {
            if (request.status() != WorkStatus.PENDING) {
                throw e;
            }
            connection.await(request, freshDeadline()); // something else was measured since the deadline was set
        }
    }

    /** When what is waited for now has to be over: in some seconds, unless nothing was waited for in the meantime. */
    private long deadline() {
        return deadlineLeft-- > 0 ? deadline : freshDeadline();
    }

    private long freshDeadline() {
        deadline = fabric.nanoTime() + DEADLINE_NANOS;
        deadlineLeft = OPERATIONS_PER_DEADLINE;
        return deadline;
    }

    void read(long index, int bytes, boolean randomly) throws FabricException {
        connection.post(request.readInto(local, 0, bytes, rkey, place(index, bytes, randomly)));
        await();
    }

    void write(long index, int bytes, boolean randomly) throws FabricException {
        connection.post(request.writeFrom(local, 0, bytes, rkey, place(index, bytes, randomly)));
        await();
    }

    /** The same bytes by an ordinary copy within this process. */
    void copy(long index, int bytes, boolean randomly) {
        if (other == null) {
            other = arena.allocate(BenchPeer.REGION_BYTES, PAGE_BYTES);
            other.fill((byte) 3);
        }
        MemorySegment.copy(other, place(index, bytes, randomly), local, 0, bytes);
    }

    private long place(long index, int bytes, boolean randomly) {
        int places = BenchPeer.REGION_BYTES / bytes;
        return (randomly ? random.nextInt(places) : index % places) * bytes;
    }

    @Override
    public void close() {
        connection.close();
        pong.close();
        queue.close();
        fabric.close();
        arena.close();
    }
}
