package org.octofs.server.txn;

import java.io.IOException;
import java.util.SplittableRandom;
import org.octofs.pmem.layout.Zone;
import org.octofs.pmem.layout.ZoneKind;
import org.octofs.pmem.medium.RecordingMedium;
import org.octofs.pmem.pool.PmemPool;
import org.octofs.pmem.pool.PoolExpectation;
import org.octofs.server.ops.Dispatcher;
import org.octofs.server.ops.Handlers;
import org.octofs.server.ops.InodeChanges;
import org.octofs.server.ops.OrphanReclaimer;
import org.octofs.server.ops.ServerState;
import org.octofs.server.recovery.MetadataRecovery;
import org.octofs.server.recovery.RecoveryProgress;
import org.octofs.server.store.MetaStore;

/** One life of one server, without sessions and sockets: pool, recovery, operations, transactions. */
final class TxnNode {
    final int id;
    final RecordingMedium medium;
    final PmemPool pool;
    final ServerState state;
    final Dispatcher dispatcher;
    final DistributedTransactions transactions;
    final OrphanReclaimer reclaimer;

    TxnNode(TxnCluster cluster, int id, RecordingMedium medium, TxnObserver observer) throws IOException {
        this.id = id;
        this.medium = medium;
        pool = PmemPool.open(medium, PoolExpectation.ANY);
        MetaStore store =
                new MetaStore(medium, pool.redoLog(), pool.zone(ZoneKind.METADATA), pool.zone(ZoneKind.PAGE_TABLE));
        Zone sessions = pool.zone(ZoneKind.SESSION_TABLE);
        state = new ServerState(store, sessions.offset(), sessions.lengthBytes(), cluster.map, id, cluster.clock);
        InodeChanges changes = new InodeChanges(state);
        dispatcher = new Dispatcher(state);
        Handlers.registerNamespace(dispatcher, changes);
        Zone locks = pool.zone(ZoneKind.LOCK_TABLE);
        transactions = new DistributedTransactions(
                state,
                changes,
                locks.offset(),
                locks.lengthBytes(),
                pool.openedIncarnation(),
                new SplittableRandom(id + pool.openedIncarnation() * 31),
                observer);
        state.transactions(transactions);
        transactions.register(dispatcher);
        reclaimer = new OrphanReclaimer(state, changes);
        pool.redoLog().replay(transactions::replayed);
        pool.redoLog().checkpoint();
        transactions.recoverLocks();
        new MetadataRecovery(state, transactions).run(RecoveryProgress.NONE);
        transactions.recovered();
        transactions.start(cluster.peersOf(id));
        reclaimer.release();
    }

    int incarnation() {
        return (int) pool.openedIncarnation();
    }

    int doWork() {
        int done = transactions.doWork(state.clock().monotonicNanos());
        done += dispatcher.retryWaiting();
        done += reclaimer.doWork();
        return done;
    }
}
