package org.octofs.server.server;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadFactory;
import java.util.function.BooleanSupplier;
import org.octofs.pmem.PoolMismatchException;
import org.octofs.pmem.layout.Zone;
import org.octofs.pmem.layout.ZoneKind;
import org.octofs.pmem.pool.PmemPool;
import org.octofs.rpc.cluster.ClusterHello;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.cluster.ClusterNode;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.ProtocolException;
import org.octofs.rpc.rpc.RpcClient;
import org.octofs.rpc.rpc.RpcHandler;
import org.octofs.rpc.rpc.RpcRejectedException;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.rpc.rpc.RpcServer;
import org.octofs.rpc.rpc.RpcServerConfig;
import org.octofs.rpc.rpc.RpcSession;
import org.octofs.server.ServerClock;
import org.octofs.server.data.DataOperations;
import org.octofs.server.data.FileSpace;
import org.octofs.server.lease.FileLocks;
import org.octofs.server.lease.LeaseHandler;
import org.octofs.server.lease.LockHandler;
import org.octofs.server.lease.RecallsHandler;
import org.octofs.server.ops.Dispatcher;
import org.octofs.server.ops.Handlers;
import org.octofs.server.ops.InodeChanges;
import org.octofs.server.ops.OrphanReclaimer;
import org.octofs.server.ops.ServerState;
import org.octofs.server.recovery.MetadataRecovery;
import org.octofs.server.recovery.RecoveryProgress;
import org.octofs.server.session.ClientSession;
import org.octofs.server.session.Sessions;
import org.octofs.server.space.RpcSegmentPeers;
import org.octofs.server.store.MetaStore;
import org.octofs.server.txn.DistributedTransactions;
import org.octofs.server.txn.TxnObserver;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One server over one pool: recovers it, exports it, answers calls.
 * Threading:  one worker calls {@link #doWork} and {@link #await} (or {@link #run}); only {@link #wakeup} and {@link #address} are for
 *             others. The constructor may run on another thread before the worker starts.
 * Ownership:  owns the pool from the moment that the constructor is entered; borrows the fabric.
 * Durability: what an answer promises is durable. {@link #close} leaves a clean pool; a crash needs no help.
 *
 * <p>A failure in the middle of making a change visible cannot be mended here: {@link #doWork} throws, the pool is let go
 * as it is, and the next start replays the log.
 */
public final class FsServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FsServer.class);
    private static final int ARRIVALS_PER_TURN = 64;
    private static final long IDLE_WAIT_NANOS = 1_000_000_000L;
    private static final long BUSY_WAIT_NANOS = 10_000_000L;

    private final ServerConfig config;
    private final PmemPool pool;
    private final ServerClock clock;
    private final ServerState state;
    private final Dispatcher dispatcher;
    private final Sessions sessions;
    private final OrphanReclaimer orphanReclaimer;
    private final FileLocks fileLocks;
    private final FileSpace files;
    private final ExportedRegions regions;
    private final RpcServer rpcServer;
    private final Peers peers;
    private final DistributedTransactions transactions;
    private final FabricPeers fabricPeers;
    private final ClientEnds clientEnds;
    private RuntimeException fatal;
    private long turnNanos;
    private boolean closed;

    /**
     * Recovers the pool and starts to listen; clients wait until the first {@link #doWork}.
     *
     * @throws PoolMismatchException if the pool was formatted for another shape of the cluster
     * @throws org.octofs.pmem.PoolCorruptException if the pool must not be served
     * @throws IOException if the address cannot be bound, or the fabric has no memory
     */
    public FsServer(ServerConfig config, PmemPool pool, Fabric fabric, ServerClock clock, RecoveryProgress progress)
            throws IOException {
        this(config, pool, fabric, clock, progress, TxnObserver.NONE);
    }

    /** As the other, with somebody who sees the steps of transactions. */
    public FsServer(
            ServerConfig config,
            PmemPool pool,
            Fabric fabric,
            ServerClock clock,
            RecoveryProgress progress,
            TxnObserver observer)
            throws IOException {
        this.config = config;
        this.pool = pool;
        this.clock = clock;
        ExportedRegions exported = null;
        RpcServer listening = null;
        boolean recovered = false;
        boolean done = false;
        try {
            pool.identity().checkShape(config.map().nodeCount(), config.map().shardCount());
            Zone sessionZone = pool.zone(ZoneKind.SESSION_TABLE);
            MetaStore store = new MetaStore(
                    pool.medium(), pool.redoLog(), pool.zone(ZoneKind.METADATA), pool.zone(ZoneKind.PAGE_TABLE));
            state = new ServerState(
                    store, sessionZone.offset(), sessionZone.lengthBytes(), config.map(), config.nodeId(), clock);
            state.orphans().linger(config.linger().toNanos());
            dispatcher = new Dispatcher(state);
            InodeChanges changes = new InodeChanges(state);
            sessions = new Sessions(
                    state.sessionTable(),
                    state.transaction(),
                    state.opens(),
                    clock,
                    config.lease().toNanos(),
                    new SessionEnds());
            orphanReclaimer = new OrphanReclaimer(state, changes);
            Handlers.registerNamespace(dispatcher, changes);
            Zone lockZone = pool.zone(ZoneKind.LOCK_TABLE);
            transactions = new DistributedTransactions(
                    state,
                    changes,
                    lockZone.offset(),
                    lockZone.lengthBytes(),
                    pool.openedIncarnation(),
                    new SplittableRandom(config.restartId()),
                    observer);
            state.transactions(transactions);
            transactions.register(dispatcher);
            fileLocks = new FileLocks(sessions::isRecoveryOver);
            dispatcher
                    .register(OpCode.LOCK, new LockHandler(fileLocks))
                    .register(OpCode.LEASE, new LeaseHandler())
                    .register(OpCode.RECALLS, new RecallsHandler());
            files = DataOperations.install(
                    state, dispatcher, pool, new RpcSegmentPeers(this::peerClient, clock::monotonicNanos));

            recover(progress, fabric.config().threads());
            recovered = true;

            exported = export(fabric, config.map().nodeCount() > 1);
            regions = exported;
            dispatcher.register(
                    OpCode.REGIONS, new RegionsHandler(regions, pool.openedIncarnation(), pool.segmentSizeBytes()));
            dispatcher.register(OpCode.RECLAIM, new ReclaimHandler(sessions, fileLocks));
            dispatcher.register(OpCode.GOODBYE, new GoodbyeHandler(sessions));
            dispatcher.register(OpCode.FENCE, new FenceHandler(sessions));
            ClusterNode node = config.map().node(config.nodeId());
            listening = new RpcServer(
                    fabric,
                    new RpcServerConfig(
                            new InetSocketAddress(node.host(), node.port()),
                            state.sessionTable().capacity() + ClusterMap.NODES_MAX,
                            config.map().epoch()),
                    new Requests());
            rpcServer = listening;
            peers = new Peers(fabric, config, pool.openedIncarnation(), rpcServer.receiveQueue());
            clientEnds = new ClientEnds(new PeerFencer(peers, clock), fileLocks::clientGone, clock, config.nodeId());
            files.endLoansOfOthers(clientId -> sessions.find(clientId) != null, clientEnds);
            fabricPeers = new FabricPeers(peers, clock);
            transactions.start(fabricPeers);
            done = true;
        } finally {
            if (!done) {
                if (listening != null) {
                    listening.close();
                }
                if (exported != null) {
                    exported.close();
                }
                if (recovered) {
                    pool.close(); // nothing is wrong with it: the address was taken, or the fabric has no memory
                } else {
                    pool.abandon();
                }
            }
        }
    }

    private void recover(RecoveryProgress progress, ThreadFactory threads) {
        long start = clock.monotonicNanos();
        pool.redoLog().replay(transactions::replayed);
        // Pages count as free below, and are written past the log later: no old record may still name them.
        pool.redoLog().checkpoint();
        transactions.recoverLocks();
        MetadataRecovery recovery = new MetadataRecovery(state, transactions);
        recovery.run(progress, threads);
        transactions.recovered();
        sessions.recover();
        state.leases().recover(pool.openedIncarnation());
        LOG.info(
                "recovered {} inodes ({} without a name), {} dentries, {} sessions in {} ms after {} shutdown",
                recovery.inodeCount(),
                recovery.orphanCount(),
                recovery.dentryCount(),
                state.sessionTable().size(),
                (clock.monotonicNanos() - start) / 1_000_000,
                pool.wasCleanShutdown() ? "a clean" : "an unclean");
    }

    /** The client of another node; null while this server starts. */
    private RpcClient peerClient(int node) {
        return peers == null ? null : peers.client(node);
    }

    private ExportedRegions export(Fabric fabric, boolean hasPeers) throws IOException {
        try {
            return new ExportedRegions(fabric, pool, hasPeers);
        } catch (FabricException e) {
            throw new IOException("cannot export the pool: " + e.getMessage(), e);
        }
    }

    /**
     * A turn of the worker: answers requests, goes on with what was begun, ends sessions, frees orphans.
     *
     * @return how much was done; 0 = nothing to do
     * @throws RuntimeException if the server must stop; {@link #close} then leaves the pool to the next start's recovery
     */
    public int doWork() {
        if (fatal != null) {
            throw fatal;
        }
        int done = 0;
        try {
            // Once a turn: asking takes as long as all else that a turn does when there is nothing to do.
            long now = clock.monotonicNanos();
            turnNanos = now;
            done += rpcServer.poll(ARRIVALS_PER_TURN, now);
            done += peers.doWork();
            done += fabricPeers.doWork();
            if (fatal != null) {
                throw fatal;
            }
            done += state.transactions().doWork(now);
            done += state.leases().doWork();
            done += dispatcher.retryWaiting();
            done += state.leases().tell();
            done += sessions.doWork(now);
            done += clientEnds.doWork(now);
            if (orphanReclaimer.isHeld() && sessions.isRecoveryOver()) {
                orphanReclaimer.release();
            }
            done += orphanReclaimer.doWork();
            done += state.contents().doWork(now);
        } catch (RuntimeException e) {
            fatal = e;
            throw e;
        }
        return done;
    }

    /** Waits until there may be work, at most a second; spins briefly, then parks. */
    public boolean await() {
        long now = turnNanos;
        boolean busy = state.locks().size() > 0 || dispatcher.waitingCount() > 0 || files.isWaiting();
        long deadline = now + (busy ? BUSY_WAIT_NANOS : IDLE_WAIT_NANOS);
        long peerDeadline = peers.nextDeadlineNanos(now);
        if (peerDeadline != Long.MAX_VALUE && peerDeadline - deadline < 0) {
            deadline = peerDeadline;
        }
        long transactionDeadline = transactions.nextDeadlineNanos(now);
        if (transactionDeadline != Long.MAX_VALUE && transactionDeadline - deadline < 0) {
            deadline = transactionDeadline;
        }
        return rpcServer.await(deadline);
    }

    /** The worker's loop, until told to stop (with {@link #wakeup}). */
    public void run(BooleanSupplier stop) {
        while (!stop.getAsBoolean()) {
            if (doWork() == 0) {
                await();
            }
        }
    }

    /** Ends a wait of the worker; from any thread. */
    public void wakeup() {
        rpcServer.wakeup();
    }

    /** Where the server listens; from any thread. */
    public InetSocketAddress address() {
        return rpcServer.address();
    }

    /** The state, for tests and for commands that look inside; only on the worker's thread. */
    public ServerState state() {
        return state;
    }

    public Dispatcher dispatcher() {
        return dispatcher;
    }

    public Sessions sessions() {
        return sessions;
    }

    public Peers peers() {
        return peers;
    }

    /** Transactions over several homes, for tests and commands that look inside; only on the worker's thread. */
    public DistributedTransactions transactions() {
        return transactions;
    }

    public ServerConfig config() {
        return config;
    }

    /** Stops listening and closes the pool: cleanly, or as a crash would after a fatal failure. On the worker's thread. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        peers.close();
        rpcServer.close();
        regions.close();
        if (fatal == null) {
            state.transaction().abort();
            pool.close();
        } else {
            pool.abandon();
        }
    }

    /** Goes away as a killed process would: nothing is written any more. For tests. */
    public void crash() {
        if (!closed) {
            closed = true;
            peers.close();
            rpcServer.close();
            regions.close();
            pool.abandon();
        }
    }

    /** What the RPC layer calls. */
    private final class Requests implements RpcHandler {
        @Override
        public void handle(RpcRequest request) {
            guard(() -> dispatcher.handle(request));
        }

        @Override
        public boolean recoverReply(RpcRequest request) {
            boolean[] answered = new boolean[1];
            guard(() -> answered[0] = dispatcher.answerAgain(request));
            return answered[0];
        }

        @Override
        public byte[] sessionOpened(RpcSession session, byte[] hello) throws RpcRejectedException {
            if (fatal != null) {
                throw new RpcRejectedException("the server is stopping after a failure; see its log");
            }
            ClusterHello said;
            try {
                said = ClusterHello.decode(hello);
            } catch (ProtocolException e) {
                rpcServer.endSession(session.clientId());
                throw new RpcRejectedException(e.getMessage());
            }
            if (!said.clusterId().equals(config.map().id())) {
                rpcServer.endSession(session.clientId());
                throw new RpcRejectedException("this is node " + config.nodeId() + " of cluster "
                        + config.map().id() + " (" + config.map().name() + "), not of cluster " + said.clusterId()
                        + "; check the address in the cluster file");
            }
            boolean known = sessions.find(session.clientId()) != null;
            try {
                sessions.opened(session, said);
            } catch (RpcRejectedException e) {
                rpcServer.endSession(session.clientId());
                throw e;
            }
            // 0 tells a client that comes back that what it held (opens, locks, lent blocks) is gone with its old
            // session.
            return new byte[] {(byte) (known ? 1 : 0)};
        }

        @Override
        public void sessionConnected(RpcSession session) {
            ClientSession known = sessions.find(session.clientId());
            if (known != null) {
                guard(() -> sessions.connected(known, session.connection()));
            }
            regions.grant(session.connection(), known != null && known.isServer());
        }

        @Override
        public void sessionLost(RpcSession session) {
            LOG.info("lost the connection of client {}", Long.toHexString(session.clientId()));
        }

        private void guard(Runnable action) {
            if (fatal != null) {
                return;
            }
            try {
                action.run();
            } catch (RuntimeException e) {
                LOG.error("stopping: a change could not be made visible", e);
                fatal = e;
                throw e;
            }
        }
    }

    /** What the end of a session means. */
    private final class SessionEnds implements Sessions.Owner {
        @Override
        public void leaving(ClientSession session) {
            state.contents().clientLeft(session.clientId());
            fileLocks.clientGone(session.clientId());
        }

        @Override
        public void ended(ClientSession session) {
            state.leases().clientGone(session.clientId(), false);
            if (!session.isServer() && !session.hasLeft()) {
                state.contents().clientGone(session.clientId());
                clientEnds.ended(session.clientId());
            }
            rpcServer.endSession(session.clientId());
        }

        @Override
        public void loosened(ClientSession session) {
            fileLocks.clientGone(session.clientId());
        }

        @Override
        public void disconnect(ClientSession session) {
            rpcServer.disconnect(session.clientId());
        }

        @Override
        public void closed(long ino) {
            state.orphans().closed(ino);
        }
    }
}
