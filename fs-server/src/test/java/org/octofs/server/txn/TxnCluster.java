package org.octofs.server.txn;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.octofs.pmem.medium.CrashPoint;
import org.octofs.pmem.medium.PmemMedium;
import org.octofs.pmem.medium.Progress;
import org.octofs.pmem.medium.RecordingMedium;
import org.octofs.pmem.pool.GeometryOptions;
import org.octofs.pmem.pool.PoolFormatter;
import org.octofs.pmem.pool.PoolIdentity;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.cluster.ClusterNode;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.rpc.RpcCall;
import org.octofs.rpc.rpc.RpcCompletion;
import org.octofs.rpc.rpc.RpcException;
import org.octofs.rpc.rpc.RpcTimeoutException;

/**
 * Servers, and the wires between them, in one thread. What one server sends to another arrives in order, some time: a
 * random source picks who is next. A server may be crashed at any moment, also from inside itself by {@link CrashError},
 * and starts again from what its medium kept; calls to it that were under way are sent again, as the RPC layer does.
 */
final class TxnCluster implements AutoCloseable {
    static final int SHARDS = 8;
    private static final long POOL_BYTES = 2 << 20;
    private static final long STEP_NANOS = 2_000;
    private static final long IDLE_NANOS = 1_000_000;

    final ClusterMap map;
    final TestClock clock = new TestClock();
    private final Random random;
    private final TxnNode[] nodes;
    private final MemorySegment[] images;
    private final NodePeers[] peers;
    private final List<Wire> wires = new ArrayList<>();
    private final List<TestRequest> requests = new ArrayList<>();
    private final List<Integer> requestNodes = new ArrayList<>();
    private TxnObserver observer = TxnObserver.NONE;
    private Kept kept = Kept.ALL_STORED;
    private final long[] stopAt;
    private int current = -1;
    private long callCount;
    private long writeCount;

    /** A formatted cluster, all servers running. */
    TxnCluster(int nodeCount, long seed) {
        random = new Random(seed);
        List<ClusterNode> list = new ArrayList<>();
        for (int i = 0; i < nodeCount; i++) {
            list.add(new ClusterNode(i, "node" + i, 1, java.nio.file.Path.of("/none")));
        }
        map = new ClusterMap(new UUID(1, 2), "test", 1, SHARDS, list);
        nodes = new TxnNode[nodeCount];
        images = new MemorySegment[nodeCount];
        peers = new NodePeers[nodeCount];
        stopAt = new long[nodeCount];
        for (int from = 0; from < nodeCount; from++) {
            peers[from] = new NodePeers(from);
            for (int to = 0; to < nodeCount; to++) {
                if (from != to) {
                    wires.add(new Wire(from, to));
                }
            }
        }
        for (int i = 0; i < nodeCount; i++) {
            RecordingMedium medium = new RecordingMedium(POOL_BYTES);
            PoolFormatter.format(
                    medium,
                    new PoolIdentity(map.id(), i, nodeCount, SHARDS),
                    GeometryOptions.tinyDefaults().withMetadataShare(2),
                    0,
                    Progress.NONE);
            images[i] = medium.memory();
            start(i);
        }
    }

    /** Sees the steps of every server from now on; {@link #stepping} tells whose. */
    void observe(TxnObserver value) {
        observer = value;
    }

    /** The server that is running now. */
    int stepping() {
        return current;
    }

    /** What a crash leaves on the medium. */
    enum Kept {
        /** Whatever was not fenced is lost. */
        ONLY_FENCED,
        /** Nothing that was stored is lost. */
        ALL_STORED,
        /** Of each line a random part. */
        RANDOM
    }

    /** From now on crashes leave this. */
    void crashesKeep(Kept value) {
        kept = value;
    }

    /** Has a server crash at the n-th store, flush or fence from now. */
    void crashAtEvent(int id, long events) {
        if (nodes[id] != null && stopAt[id] == Long.MAX_VALUE) {
            stopAt[id] = nodes[id].medium.eventCount() + events;
            nodes[id].medium.stopAt(stopAt[id]);
        }
    }

    /** Takes back every crash that was arranged and has not come. */
    void noMoreCrashes() {
        for (int i = 0; i < nodes.length; i++) {
            stopAt[i] = Long.MAX_VALUE;
            if (nodes[i] != null) {
                nodes[i].medium.stopAt(Long.MAX_VALUE);
            }
        }
    }

    /** The machine has stopped in the middle of something: whatever its program still does reaches nobody. */
    private boolean isStopped(int id) {
        return nodes[id] != null && nodes[id].medium.eventCount() >= stopAt[id];
    }

    TxnNode node(int id) {
        return nodes[id];
    }

    int nodeCount() {
        return nodes.length;
    }

    boolean isUp(int id) {
        return nodes[id] != null;
    }

    ServerPeers peersOf(int id) {
        return peers[id];
    }

    /** Calls between servers so far. */
    long callCount() {
        return callCount;
    }

    /** One-sided writes between servers so far. */
    long writeCount() {
        return writeCount;
    }

    // ------------------------------------------------------------------------------------------------ life

    void start(int id) {
        RecordingMedium medium = RecordingMedium.of(images[id]).startRecording();
        stopAt[id] = Long.MAX_VALUE;
        runOn(id, () -> {
            try {
                nodes[id] = new TxnNode(this, id, medium, (step, txnId) -> observer.reached(step, txnId));
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
    }

    /** What the pools would hold if all servers stopped now; nothing happens to them. */
    List<PmemMedium> afterPowerLoss() {
        List<PmemMedium> media = new ArrayList<>();
        for (int id = 0; id < nodes.length; id++) {
            media.add(RecordingMedium.of(nodes[id] == null ? images[id] : imageAfterCrash(id)));
        }
        return media;
    }

    private MemorySegment imageAfterCrash(int id) {
        return switch (kept) {
            case ONLY_FENCED -> nodes[id].medium.durableImage();
            case ALL_STORED -> nodes[id].medium.memory();
            case RANDOM -> nodes[id].medium.crashImages(1, 0).sample(random);
        };
    }

    void crash(int id) {
        if (nodes[id] == null) {
            return;
        }
        images[id] = imageAfterCrash(id);
        nodes[id].pool.abandon();
        nodes[id] = null;
        for (Wire wire : wires) {
            if (wire.from == id) {
                wire.reset(false);
            } else if (wire.to == id) {
                wire.reset(true);
            }
        }
        for (int i = 0; i < requests.size(); i++) {
            if (requestNodes.get(i) == id && !requests.get(i).isAnswered()) {
                requests.get(i).lose();
            }
        }
    }

    /** Runs something as server {@code id}; a {@link CrashError} in it crashes that server. */
    private void runOn(int id, Runnable action) {
        int before = current;
        current = id;
        try {
            action.run();
        } catch (CrashError e) {
            crash(e.node);
        } catch (CrashPoint e) {
            crash(id);
        } finally {
            current = before;
        }
        if (isStopped(id)) {
            crash(id);
        }
    }

    // ------------------------------------------------------------------------------------------------ work

    /** Gives a server a request of a client. */
    TestRequest submit(int id, int opCode, byte[] body, long timeoutNanos) {
        return submit(id, new TestRequest(opCode, body, clock.monotonicNanos() + timeoutNanos));
    }

    /** Gives a server a request of a client. */
    TestRequest submit(int id, TestRequest request) {
        requests.add(request);
        requestNodes.add(id);
        request.muteWhen(() -> isStopped(id));
        if (nodes[id] == null) {
            request.lose();
        } else {
            runOn(id, () -> nodes[id].dispatcher.handle(request));
        }
        return request;
    }

    /** Steps until something holds. */
    void until(BooleanSupplier condition) {
        for (int i = 0; i < 200_000 && !condition.getAsBoolean(); i++) {
            if (!step()) {
                clock.advance(IDLE_NANOS);
            }
        }
        if (!condition.getAsBoolean()) {
            throw new AssertionError("what was waited for does not happen");
        }
    }

    /** One thing happens somewhere; false if there is nothing but time to pass. */
    boolean step() {
        clock.advance(STEP_NANOS);
        int first = random.nextInt(wires.size() + nodes.length);
        for (int i = 0; i < wires.size() + nodes.length; i++) {
            int at = (first + i) % (wires.size() + nodes.length);
            if (at < wires.size() ? wires.get(at).deliver() : work(at - wires.size())) {
                return true;
            }
        }
        return false;
    }

    private boolean work(int id) {
        int[] done = new int[1];
        if (nodes[id] != null) {
            TxnNode node = nodes[id];
            runOn(id, () -> done[0] = node.doWork());
        }
        return done[0] > 0;
    }

    /** Steps until a request has its answer or has lost its server. */
    void await(TestRequest request) {
        for (int i = 0; i < 200_000; i++) {
            if (request.isAnswered() || request.isLost()) {
                return;
            }
            if (!step()) {
                clock.advance(IDLE_NANOS);
            }
        }
        throw new AssertionError("request " + request.opCode() + " gets no answer");
    }

    /** Steps until every server is up to date: nothing held, nothing unconfirmed, nothing under way. All servers must be up. */
    void settle() {
        for (int i = 0; i < 200_000; i++) {
            boolean moved = step();
            if (!moved) {
                if (isQuiet()) {
                    return;
                }
                clock.advance(IDLE_NANOS);
            }
        }
        StringBuilder text = new StringBuilder("the cluster does not settle:");
        for (TxnNode node : nodes) {
            text.append(" node ").append(node.id).append(": held ").append(node.transactions.heldCount());
            text.append(" unconfirmed ").append(node.transactions.unconfirmedCount());
            text.append(" running ").append(node.transactions.runningCount());
            text.append(" locks ").append(node.state.locks().size());
        }
        throw new AssertionError(text.toString());
    }

    private boolean isQuiet() {
        for (TxnNode node : nodes) {
            if (node.transactions.heldCount() > 0
                    || node.transactions.unconfirmedCount() > 0
                    || node.transactions.runningCount() > 0
                    || node.dispatcher.waitingCount() > 0
                    || node.state.locks().size() > 0) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() {
        for (TxnNode node : nodes) {
            if (node != null) {
                node.pool.abandon();
            }
        }
    }

    // ------------------------------------------------------------------------------------------------ wires

    /** What one server has sent to another and has not arrived; calls keep what is needed to send them again. */
    private final class Wire {
        final int from;
        final int to;
        private final ArrayDeque<Runnable> there = new ArrayDeque<>();
        private final ArrayDeque<Runnable> back = new ArrayDeque<>();
        private final List<Call> calls = new ArrayList<>();
        private long life;

        Wire(int from, int to) {
            this.from = from;
            this.to = to;
        }

        boolean isUp() {
            return nodes[from] != null && nodes[to] != null;
        }

        boolean deliver() {
            if (nodes[from] == null) {
                return false;
            }
            expire();
            boolean canGo = nodes[to] != null && !there.isEmpty();
            if (canGo && (back.isEmpty() || random.nextBoolean())) {
                Runnable next = there.poll();
                runOn(to, next);
                return true;
            }
            if (!back.isEmpty()) {
                Runnable next = back.poll();
                runOn(from, next);
                return true;
            }
            return false;
        }

        private void expire() {
            for (int i = calls.size() - 1; i >= 0; i--) {
                Call call = calls.get(i);
                if (call.deadlineNanos - clock.monotonicNanos() < 0) {
                    calls.remove(i);
                    back.add(() -> call.finish(new RpcTimeoutException("no answer in time", true)));
                }
            }
        }

        /** The connection is gone with everything on it. Calls of a living caller are sent again over the next one. */
        void reset(boolean callerLives) {
            life++;
            there.clear();
            List<Runnable> answers = new ArrayList<>(back);
            back.clear();
            if (!callerLives) {
                calls.clear();
                return;
            }
            // What has come before the failure counts; writes that have not were told to fail.
            back.addAll(answers);
            for (Runnable failed : failures) {
                back.add(failed);
            }
            failures.clear();
            for (Call call : calls) {
                there.add(call::arrive);
            }
        }

        private final List<Runnable> failures = new ArrayList<>();

        void write(DispatchWrites writes, ServerPeers.WriteCompletion completion) {
            if (isStopped(from)) {
                return;
            }
            if (!isUp()) {
                back.add(() -> completion.completed(false));
                return;
            }
            Runnable failed = () -> completion.completed(false);
            failures.add(failed);
            for (int i = 0; i < writes.count(); i++) {
                int index = i;
                there.add(() -> {
                    writeCount++;
                    RecordingMedium medium = nodes[to].medium;
                    MemorySegment.copy(
                            writes.segment(),
                            writes.position(index),
                            medium.memory(),
                            writes.poolOffset(index),
                            writes.length(index));
                    medium.recordRemoteWrite(writes.poolOffset(index), writes.length(index));
                    if (index == writes.count() - 1) {
                        failures.remove(failed);
                        back.add(() -> completion.completed(true));
                    }
                });
            }
        }
    }

    private final class NodePeers implements ServerPeers {
        private final int from;

        NodePeers(int from) {
            this.from = from;
        }

        private Wire wire(int node) {
            for (Wire wire : wires) {
                if (wire.from == from && wire.to == node) {
                    return wire;
                }
            }
            throw new IllegalArgumentException("no wire to node " + node);
        }

        @Override
        public boolean isReady(int node) {
            return node != from && wire(node).isUp();
        }

        @Override
        public int incarnation(int node) {
            return nodes[node].incarnation();
        }

        @Override
        public RpcCall begin(int node, int opCode, int maxRequestBytes, long deadlineNanos) {
            return new Call(wire(node), opCode, maxRequestBytes, deadlineNanos);
        }

        @Override
        public void write(int node, DispatchWrites writes, WriteCompletion completion) {
            wire(node).write(writes, completion);
        }
    }

    /** One call. */
    private final class Call implements RpcCall {
        private final Wire wire;
        private final int opCode;
        private final long deadlineNanos;
        private final byte[] bytes;
        private final MessageBuffer request;
        private byte[] sent;
        private RpcCompletion completion;
        private TestRequest served;
        private boolean finished;

        Call(Wire wire, int opCode, int maxRequestBytes, long deadlineNanos) {
            this.wire = wire;
            this.opCode = opCode;
            this.deadlineNanos = deadlineNanos;
            bytes = new byte[maxRequestBytes];
            request = new MessageBuffer(MemorySegment.ofArray(bytes));
        }

        @Override
        public void sendAsync(int bodyBytes, RpcCompletion then) {
            if (isStopped(wire.from)) {
                return;
            }
            callCount++;
            sent = java.util.Arrays.copyOf(bytes, bodyBytes);
            completion = then;
            wire.calls.add(this);
            wire.there.add(this::arrive);
        }

        void arrive() {
            if (finished) {
                return;
            }
            TestRequest attempt = new TestRequest(opCode, sent, deadlineNanos);
            long life = wire.life;
            attempt.muteWhen(() -> isStopped(wire.to));
            attempt.whenAnswered(() -> {
                if (life == wire.life) {
                    served = attempt;
                    wire.back.add(() -> finish(null));
                }
            });
            nodes[wire.to].dispatcher.handle(attempt);
        }

        void finish(RpcException failure) {
            if (!finished) {
                finished = true;
                wire.calls.remove(this);
                completion.completed(this, failure);
            }
        }

        @Override
        public MessageBuffer request() {
            return request;
        }

        @Override
        public long requestId() {
            return 0;
        }

        @Override
        public int slot() {
            return 0;
        }

        @Override
        public RpcCall mapEpoch(int mapEpoch) {
            return this;
        }

        @Override
        public void send(int bodyBytes) {
            throw new UnsupportedOperationException("transactions never wait");
        }

        @Override
        public int await() {
            throw new UnsupportedOperationException("transactions never wait");
        }

        @Override
        public int errno() {
            return served.errno();
        }

        @Override
        public int replyMapEpoch() {
            return 1;
        }

        @Override
        public MessageBuffer reply() {
            return served.answer();
        }

        @Override
        public void close() {
            // Nothing to give back.
        }
    }

    /** The errno of an answered request. */
    static Errno errnoOf(TestRequest request) {
        return Errno.of(request.errno());
    }
}
