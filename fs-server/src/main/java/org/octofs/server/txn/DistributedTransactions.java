package org.octofs.server.txn;

import java.util.random.RandomGenerator;
import org.octofs.pmem.log.LogRecordView;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.ops.Dispatcher;
import org.octofs.server.ops.InodeChanges;
import org.octofs.server.ops.NamespaceTransactions;
import org.octofs.server.ops.Replies;
import org.octofs.server.ops.ServerState;
import org.octofs.server.recovery.MetadataRecovery;

/**
 * Transactions over several homes: everything of this package, wired up. Order of use at start: {@link #replayed} for each log
 * record, {@link #recoverLocks}, the scan of the pool (which asks {@link #contains} and {@link #isNew}), {@link #recovered},
 * {@link #register}, {@link #start}; then {@link #doWork} in each turn of the worker.
 * Threading: confined to the worker.
 */
public final class DistributedTransactions implements NamespaceTransactions, MetadataRecovery.LockedSlots {
    private final InodeChanges changes;
    private final Replies replies = new Replies();
    private final Participant participant;
    private final Coordinator coordinator;
    private final CoordinatorLog log;
    private final AncestorsHandler ancestors;
    private InDoubtResolver resolver;

    /**
     * @param lockZoneOffset pool offset of the LOCK_TABLE zone
     * @param lockZoneBytes its length
     * @param incarnation of this open of the pool
     * @param random for the pauses between attempts
     */
    public DistributedTransactions(
            ServerState state,
            InodeChanges changes,
            long lockZoneOffset,
            long lockZoneBytes,
            long incarnation,
            RandomGenerator random,
            TxnObserver observer) {
        this.changes = changes;
        LockTable table = new LockTable(state.store(), lockZoneOffset, lockZoneBytes);
        participant = new Participant(state, table, (int) incarnation, observer);
        log = new CoordinatorLog(
                state.store().log(), state.nodeId(), state.map().nodeCount(), observer);
        ancestors = new AncestorsHandler(state, participant);
        coordinator = new Coordinator(state, (int) incarnation, log, ancestors, random, observer);
    }

    // ---------------------------------------------------------------------------------------------- start

    /** Replay has met a record. */
    public void replayed(LogRecordView view) {
        log.replayed(view);
    }

    /** Reads the lock records; after the replay, before any slot is looked at. */
    public void recoverLocks() {
        participant.recover();
    }

    @Override
    public boolean contains(long slotOffset) {
        return participant.kindOf(slotOffset) != 0;
    }

    @Override
    public boolean isNew(long slotOffset) {
        int kind = participant.kindOf(slotOffset);
        return kind == LockRecordLayout.NEW_INODE || kind == LockRecordLayout.NEW_DENTRY;
    }

    /** The scan is over: what is in doubt is locked, before anything is served. */
    public void recovered() {
        participant.recovered();
    }

    /** Registers what other servers ask for. */
    public void register(Dispatcher dispatcher) {
        TransactionsHandler transactions = new TransactionsHandler(participant, coordinator);
        dispatcher
                .register(OpCode.COLLECT, new CollectHandler(participant))
                .register(OpCode.ABORT, transactions)
                .register(OpCode.OUTCOME, transactions)
                .register(OpCode.FLUSHED, transactions)
                .register(OpCode.ANCESTORS, ancestors);
    }

    /** The other servers can be reached from now on. */
    public void start(ServerPeers peers) {
        coordinator.start(peers);
        log.start(peers);
        resolver = new InDoubtResolver(participant, peers);
    }

    // ---------------------------------------------------------------------------------------------- work

    @Override
    public int doWork(long nowNanos) {
        int done = participant.pollReleases();
        if (resolver == null) {
            return done;
        }
        done += coordinator.doWork(nowNanos);
        done += log.doWork(nowNanos);
        done += resolver.doWork(nowNanos);
        return done;
    }

    /** When {@link #doWork} should be called next even if nothing arrives; {@link Long#MAX_VALUE} if it need not be. */
    public long nextDeadlineNanos(long now) {
        long next = coordinator.nextDeadlineNanos(now);
        next = earlier(next, log.nextDeadlineNanos(now));
        return resolver == null ? next : earlier(next, resolver.nextDeadlineNanos(now));
    }

    private static long earlier(long a, long b) {
        if (a == Long.MAX_VALUE || b == Long.MAX_VALUE) {
            return a == Long.MAX_VALUE ? b : a;
        }
        return a - b < 0 ? a : b;
    }

    /** Locks held here for transactions of other servers. */
    public int heldCount() {
        return participant.held().size();
    }

    /** Committed transactions that some participant has not confirmed yet. */
    public int unconfirmedCount() {
        return log.size();
    }

    /** Transactions under way here, those that pause included. */
    public int runningCount() {
        return coordinator.activeCount() + coordinator.pausedCount();
    }

    /** Attempts that found something busy. */
    public long retries() {
        return coordinator.retries();
    }

    // ---------------------------------------------------------------------------------------------- operations

    @Override
    public void mkdir(RpcRequest request, ServerState unused, int childShard) {
        new MkdirTransaction(coordinator, changes, request, childShard).run();
    }

    @Override
    public void rmdir(RpcRequest request, ServerState unused) {
        new RemoveTransaction(coordinator, changes, replies, request, true).run();
    }

    @Override
    public void unlink(RpcRequest request, ServerState unused) {
        new RemoveTransaction(coordinator, changes, replies, request, false).run();
    }

    @Override
    public void link(RpcRequest request, ServerState unused) {
        new LinkTransaction(coordinator, changes, replies, request).run();
    }

    @Override
    public void rename(RpcRequest request, ServerState unused) {
        new RenameTransaction(coordinator, changes, request).run();
    }
}
