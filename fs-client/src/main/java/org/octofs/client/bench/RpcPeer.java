package org.octofs.client.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.FabricFactory;
import org.octofs.rpc.fabric.MemoryRegion;
import org.octofs.rpc.fabric.WorkRequest;
import org.octofs.rpc.fabric.WorkStatus;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.rpc.RpcHandler;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.rpc.rpc.RpcServer;
import org.octofs.rpc.rpc.RpcServerConfig;
import org.octofs.rpc.rpc.RpcSession;

/**
 * A server of the product's RPC with a piece of memory, whose bytes get to a client and back in three ways: the client asks where they are
 * and moves them itself; this server moves them with one-sided verbs of its own; they travel inside of the messages.
 * Threading: confined to the thread that runs it.
 */
final class RpcPeer implements RpcHandler {
    /** Bytes of memory; larger than the processor's caches. */
    static final int REGION_BYTES = BenchPeer.REGION_BYTES;

    /** {u64 number} → {u64 number + 1}. */
    static final int ECHO = 1;

    /** {u64 offset, u64 bytes} → {u64 rkey, u64 offset}. */
    static final int LOCATE = 2;

    /** {u64 offset, u64 bytes, u64 rkey, u64 offset at the client} → nothing, and the bytes are there. */
    static final int FETCH = 3;

    /** The same for the other direction. */
    static final int STORE = 4;

    /** {u64 offset, u64 bytes} → {the bytes}. */
    static final int FETCH_MESSAGE = 5;

    /** {u64 offset, u64 bytes, the bytes} → nothing. */
    static final int STORE_MESSAGE = 6;

    static final int HEADER_BYTES = 2 * Long.BYTES;
    static final int MOVE_BYTES = 4 * Long.BYTES;

    private static final int ARRIVALS = 64;
    private static final long WAIT_NANOS = 1_000_000_000L;

    private final Fabric fabric;
    private final MemoryRegion region;
    private final RpcServer server;
    private final List<Move> moves = new ArrayList<>();

    /** Bytes that are under way from a client, whose request waits for them. */
    private record Move(RpcRequest request, WorkRequest work, Deque<WorkRequest> free) {}

    RpcPeer() throws IOException, FabricException {
        fabric = FabricFactory.create(BenchFabric.plainConfig("bench rpc peer"));
        region = fabric.allocate(REGION_BYTES, Access.readWrite());
        region.memory().fill((byte) 1);
        server = new RpcServer(
                fabric, RpcServerConfig.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)), this);
    }

    int port() {
        return server.address().getPort();
    }

    /** Serves for ever. */
    void run() {
        PeerWait moving = new PeerWait();
        while (true) {
            if (server.poll(ARRIVALS) + answerMoves() > 0) {
                moving.worked();
            } else if (moves.isEmpty()) {
                server.await(fabric.nanoTime() + WAIT_NANOS);
            } else {
                moving.pause();
            }
        }
    }

    private int answerMoves() {
        int done = 0;
        for (Iterator<Move> all = moves.iterator(); all.hasNext(); ) {
            Move move = all.next();
            if (move.work.isDone()) {
                all.remove();
                move.request.send(move.work.status() == WorkStatus.SUCCESS ? 0 : Errno.EIO.value, 0);
                move.free.add(move.work);
                done++;
            }
        }
        return done;
    }

    @Override
    public void handle(RpcRequest request) {
        MessageBuffer body = request.body();
        long offset = body.getU64(0);
        if (request.opCode() == ECHO) {
            request.reply(Long.BYTES).putU64(0, offset + 1);
            request.send(0, Long.BYTES);
            return;
        }
        int bytes = (int) body.getU64(Long.BYTES);
        switch (request.opCode()) {
            case LOCATE -> {
                MessageBuffer reply = request.reply(HEADER_BYTES);
                reply.putU64(0, region.rkey());
                reply.putU64(Long.BYTES, offset);
                request.send(0, HEADER_BYTES);
            }
            case FETCH -> {
                Deque<WorkRequest> free = free(request.session());
                WorkRequest work = take(free);
                request.session()
                        .connection()
                        .post(work.writeFrom(region.memory(), offset, bytes, body.getU64(16), body.getU64(24)));
                free.add(work);
                // The reply goes the same way, so it arrives after the bytes.
                request.send(0, 0);
            }
            case STORE -> {
                Deque<WorkRequest> free = free(request.session());
                WorkRequest work = take(free);
                request.session()
                        .connection()
                        .post(work.readInto(region.memory(), offset, bytes, body.getU64(16), body.getU64(24)));
                moves.add(new Move(request, work, free));
            }
            case FETCH_MESSAGE -> {
                request.reply(bytes).putBytes(0, region.memory(), offset, bytes);
                request.send(0, bytes);
            }
            case STORE_MESSAGE -> {
                body.getBytes(HEADER_BYTES, region.memory(), offset, bytes);
                request.send(0, 0);
            }
            default -> request.send(Errno.ENOSYS.value, 0);
        }
    }

    @SuppressWarnings("unchecked")
    private static Deque<WorkRequest> free(RpcSession session) {
        return (Deque<WorkRequest>) session.attachment();
    }

    /** One whose last outcome is known; there are as many as were ever needed at a time. */
    private static WorkRequest take(Deque<WorkRequest> free) {
        WorkRequest oldest = free.peek();
        return oldest == null || oldest.status() == WorkStatus.PENDING ? new WorkRequest() : free.remove();
    }

    @Override
    public byte[] sessionOpened(RpcSession session, byte[] hello) {
        session.attach(new ArrayDeque<WorkRequest>());
        return ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(region.rkey())
                .array();
    }

    @Override
    public void sessionConnected(RpcSession session) {
        session.connection().grant(region);
    }

    @Override
    public void sessionLost(RpcSession session) {
        server.endSession(session.clientId());
    }
}
