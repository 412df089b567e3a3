package org.octofs.server.data;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.octofs.pmem.layout.ZoneKind;
import org.octofs.pmem.log.ReplayVisitor;
import org.octofs.pmem.medium.PmemMedium;
import org.octofs.pmem.medium.RecordingMedium;
import org.octofs.pmem.pool.GeometryOptions;
import org.octofs.pmem.pool.PmemPool;
import org.octofs.pmem.pool.PoolExpectation;
import org.octofs.pmem.pool.PoolFormatter;
import org.octofs.pmem.pool.PoolIdentity;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.cluster.ClusterNode;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.server.ServerClock;
import org.octofs.server.ops.Dispatcher;
import org.octofs.server.ops.InodeChanges;
import org.octofs.server.ops.ServerState;
import org.octofs.server.recovery.MetadataRecovery;
import org.octofs.server.recovery.RecoveryProgress;
import org.octofs.server.space.SegmentPeers;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.MetaStore;
import org.octofs.server.store.MetaTransaction;
import org.octofs.server.store.RecordType;

/** One server's store, space and data on a recording medium, without wire, threads or real time. */
final class DataNode {
    static final UUID CLUSTER = new UUID(7, 7);
    static final int SHARDS = 4;
    static final long POOL_BYTES = 10L << 20;

    final RecordingMedium medium;
    final PmemPool pool;
    final MetaStore store;
    final ServerState state;
    final Dispatcher dispatcher;
    final FileSpace files;
    final TestClock clock;
    final Network network;
    private long nextRequest;

    /** Time that only tests move. */
    static final class TestClock implements ServerClock {
        long nanos = 1_000_000_000L;

        @Override
        public long monotonicNanos() {
            return nanos;
        }

        @Override
        public long wallNanos() {
            return 1_800_000_000_000_000_000L + nanos;
        }
    }

    /** Calls between the nodes of a test: they wait until {@link #deliver}. */
    static final class Network implements SegmentPeers {
        final DataNode[] nodes = new DataNode[8];
        final boolean[] down = new boolean[8];
        final List<Runnable> pending = new ArrayList<>();
        boolean loseAnswers;
        int calls;

        @Override
        public boolean call(int node, int opCode, int bodyBytesMax, Filler filler, Completion completion) {
            if (nodes[node] == null || down[node]) {
                return false;
            }
            TestRequest request = new TestRequest(opCode, -1, ++calls, bodyBytesMax);
            MessageBuffer body = request.body();
            body.wrap(body.memory(), 0, filler.fill(body));
            pending.add(() -> {
                if (nodes[node] == null || down[node]) {
                    completion.completed(UNKNOWN, null);
                    return;
                }
                nodes[node].dispatcher.handle(request);
                if (loseAnswers) {
                    completion.completed(UNKNOWN, null);
                } else {
                    completion.completed(request.errno(), request.errno() == 0 ? request.answer() : null);
                }
            });
            return true;
        }

        int deliver() {
            List<Runnable> now = List.copyOf(pending);
            pending.clear();
            now.forEach(Runnable::run);
            return now.size();
        }
    }

    static ClusterMap map(int nodeCount) {
        List<ClusterNode> nodes = new ArrayList<>();
        for (int node = 0; node < nodeCount; node++) {
            nodes.add(new ClusterNode(node, "host", 7000 + node, Path.of("pool" + node)));
        }
        return new ClusterMap(CLUSTER, "test", 1, SHARDS, nodes);
    }

    /** A freshly formatted node, alone. */
    static DataNode create() {
        return create(0, 1, POOL_BYTES, new Network(), new TestClock());
    }

    static DataNode create(int nodeId, int nodeCount, long poolBytes, Network network, TestClock clock) {
        return create(nodeId, nodeCount, poolBytes, 1 << 20, network, clock);
    }

    static DataNode create(int nodeId, int nodeCount, long poolBytes, int logBytes, Network network, TestClock clock) {
        RecordingMedium medium = new RecordingMedium(poolBytes);
        GeometryOptions options = GeometryOptions.tinyDefaults()
                .withSegmentSizeBytes(1 << 20)
                .withMetadataShare(4)
                .withRedoLogBytes(logBytes);
        PoolFormatter.format(medium, new PoolIdentity(CLUSTER, nodeId, nodeCount, SHARDS), options, 1, (_, _) -> {});
        return new DataNode(medium, nodeId, nodeCount, network, clock);
    }

    /** Recovers a node from what is on a medium. */
    DataNode(RecordingMedium medium, int nodeId, int nodeCount, Network network, TestClock clock) {
        this.medium = medium;
        this.network = network;
        this.clock = clock;
        try {
            pool = PmemPool.open(medium, new PoolExpectation(CLUSTER, nodeId));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        pool.redoLog().replay(ReplayVisitor.NONE);
        store = new MetaStore(
                (PmemMedium) medium, pool.redoLog(), pool.zone(ZoneKind.METADATA), pool.zone(ZoneKind.PAGE_TABLE));
        state = new ServerState(
                store,
                pool.zone(ZoneKind.SESSION_TABLE).offset(),
                pool.zone(ZoneKind.SESSION_TABLE).lengthBytes(),
                map(nodeCount),
                nodeId,
                clock);
        dispatcher = new Dispatcher(state);
        network.nodes[nodeId] = this;
        files = DataOperations.install(state, dispatcher, pool, network);
        new MetadataRecovery(state, _ -> false).run(RecoveryProgress.NONE);
    }

    /** The same media after an orderly or a sudden end. */
    DataNode restart() {
        return restart(medium.memory());
    }

    DataNode restart(MemorySegment image) {
        return new DataNode(
                RecordingMedium.of(image), state.nodeId(), state.map().nodeCount(), network, clock);
    }

    /** A new empty file in a shard of this home; it has no name. */
    long createFile(int shard) {
        MetaTransaction tx = state.begin(RecordType.NAMESPACE);
        InodeRecord inode = state.inodes().create(tx, shard);
        inode.mode(FileMode.REGULAR | 0644).nlink(1);
        long ino = inode.ino();
        tx.commit();
        return ino;
    }

    /** Frees a file and all it has. */
    void deleteFile(long ino) {
        MetaTransaction tx = state.begin(RecordType.RECLAIM);
        InodeRecord inode = state.inodes().edit(tx, ino);
        if (!new InodeChanges(state).freeIfSmall(tx, inode)) {
            throw new AssertionError("release needs more steps");
        }
        tx.commit();
    }

    InodeRecord inode(long ino) {
        InodeRecord record = new InodeRecord();
        if (!state.inodes().find(ino, record)) {
            throw new AssertionError("no inode " + ino);
        }
        return record;
    }

    TestRequest request(int opCode, long clientId, int bodyBytes) {
        return new TestRequest(opCode, clientId, ++nextRequest, bodyBytes);
    }

    /** Runs a request and whatever it waits for. */
    TestRequest run(TestRequest request) {
        dispatcher.handle(request);
        for (int i = 0; i < 100 && !request.isAnswered(); i++) {
            settle();
        }
        return request;
    }

    /** Does all work in the background that is due. */
    void settle() {
        int done;
        do {
            done = files.doWork(clock.nanos) + network.deliver();
        } while (done > 0);
    }
}
