package org.octofs.tests.crash;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.rpc.RpcCall;
import org.octofs.rpc.rpc.RpcException;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.ops.OperationHandler;
import org.octofs.server.ops.ServerState;
import org.octofs.server.server.FsServer;
import org.octofs.server.store.MetaTransaction;
import org.octofs.server.store.RecordType;

/**
 * Two-phase commit as it is in the books, for comparison only: the same servers, log, messages and amounts of metadata, but each
 * participant makes what it is to do durable when it is asked to prepare, and does it when it is told of the decision; the client is
 * answered when all have done so. What is written means nothing, and goes to a page that nobody uses.
 */
public final class TwoPhaseCommit {
    /** Begins a transaction: {@link #request}. */
    public static final int BEGIN = 210;

    private static final int PREPARE = 200;
    private static final int DECIDE = 201;
    private static final int MESSAGE_BYTES = 24;
    private static final int BEGIN_HEADER_BYTES = 8;
    private static final int PART_BYTES = 12;
    private static final long DEADLINE_NANOS = 10_000_000_000L;
    private static final int RESULT_BYTES = 304;

    private final FsServer server;
    private final ServerState state;
    private final long page;
    private final MemorySegment images = MemorySegment.ofArray(new byte[4096]);
    private long lastTransaction;

    /** What a participant has to do: lock so many objects, change so many bytes. */
    public record Part(int node, int objects, int bytes) {}

    private TwoPhaseCommit(FsServer server) {
        this.server = server;
        this.state = server.state();
        this.page = state.store().pageOffset(state.store().pageCount() - 1);
        images.fill((byte) 1);
    }

    /** Teaches a server to take part and to coordinate. */
    public static void install(FsServer server) {
        TwoPhaseCommit protocol = new TwoPhaseCommit(server);
        server.dispatcher().register(PREPARE, new Handler(protocol::prepare));
        server.dispatcher().register(DECIDE, new Handler(protocol::decide));
        server.dispatcher().register(BEGIN, new Handler(protocol::begin));
    }

    private interface Work {
        void run(RpcRequest request);
    }

    private record Handler(Work work) implements OperationHandler {
        @Override
        public void handle(RpcRequest request, ServerState unused) {
            work.run(request);
        }
    }

    /** Fills a request to the coordinator. */
    public static int request(MessageBuffer body, int ownBytes, List<Part> parts) {
        body.putU32(0, ownBytes);
        body.putU32(4, parts.size());
        int at = BEGIN_HEADER_BYTES;
        for (Part part : parts) {
            body.putU32(at, part.node);
            body.putU32(at + 4, part.objects);
            body.putU32(at + 8, part.bytes);
            at += PART_BYTES;
        }
        return at;
    }

    // ------------------------------------------------------------------------------------------------ participant

    private void prepare(RpcRequest request) {
        MessageBuffer body = request.body();
        long transaction = body.getU64(0);
        int objects = body.getI32(8);
        for (int i = 0; i < objects; i++) {
            state.locks().tryLock(-1 - i, transaction);
        }
        MetaTransaction tx = state.begin(RecordType.LOCK);
        tx.payload(0, images, 0, body.getI32(12));
        tx.commit();
        request.reply(RESULT_BYTES);
        request.send(0, RESULT_BYTES);
    }

    private void decide(RpcRequest request) {
        MessageBuffer body = request.body();
        long transaction = body.getU64(0);
        int objects = body.getI32(8);
        MetaTransaction tx = state.begin(RecordType.LOCK);
        tx.update(page, images, 0, body.getI32(12));
        tx.commit();
        for (int i = 0; i < objects; i++) {
            state.locks().unlock(-1 - i, transaction);
        }
        request.send(0, 0);
    }

    // ------------------------------------------------------------------------------------------------ coordinator

    private void begin(RpcRequest request) {
        MessageBuffer body = request.body();
        int ownBytes = body.getI32(0);
        List<Part> parts = new ArrayList<>();
        for (int i = 0; i < body.getI32(4); i++) {
            int at = BEGIN_HEADER_BYTES + i * PART_BYTES;
            parts.add(new Part(body.getI32(at), body.getI32(at + 4), body.getI32(at + 8)));
        }
        long transaction = (long) state.nodeId() << 48 | ++lastTransaction;
        prepare(transaction, parts, 0, () -> {
            MetaTransaction tx = state.begin(RecordType.LOCK);
            tx.update(page, images, 0, ownBytes);
            state.commit(request, 0, 1, 0);
            ask(DECIDE, transaction, parts, () -> {
                request.reply(RESULT_BYTES);
                request.send(0, RESULT_BYTES);
            });
        });
    }

    /** One after the other: that there is a third server is known from the answer of the second. */
    private void prepare(long transaction, List<Part> parts, int next, Runnable then) {
        if (next == parts.size()) {
            then.run();
        } else {
            ask(PREPARE, transaction, parts.subList(next, next + 1), () -> prepare(transaction, parts, next + 1, then));
        }
    }

    private void ask(int opCode, long transaction, List<Part> parts, Runnable then) {
        int[] missing = {parts.size()};
        for (Part part : parts) {
            try {
                RpcCall call = server.peers()
                        .client(part.node)
                        .begin(opCode, MESSAGE_BYTES, state.clock().monotonicNanos() + DEADLINE_NANOS);
                call.request().putU64(0, transaction);
                call.request().putU32(8, part.objects);
                call.request().putU32(12, part.bytes);
                call.request().putU64(16, 0);
                call.sendAsync(MESSAGE_BYTES, (done, failure) -> {
                    if (failure != null || done.errno() != Errno.OK.value) {
                        throw new IllegalStateException("a participant fails in a comparison", failure);
                    }
                    done.close();
                    if (--missing[0] == 0) {
                        then.run();
                    }
                });
            } catch (RpcException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
