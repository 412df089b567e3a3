package org.octofs.server.txn;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.agrona.collections.LongHashSet;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.TransactionsRequest;
import org.octofs.rpc.rpc.RpcCall;
import org.octofs.rpc.rpc.RpcException;
import org.octofs.server.ops.ServerState;

/**
 * What the transactions of this server share: their numbers, the pauses of those that found something busy, and what has been
 * committed. Confined to the worker.
 */
final class Coordinator {
    private static final long PAUSE_NANOS_MIN = 20_000;
    private static final long PAUSE_NANOS_MAX = 20_000_000;
    private static final int PAUSE_DOUBLINGS_MAX = 10;
    private static final long ABORT_DEADLINE_NANOS = 1_000_000_000L;

    private final ServerState state;
    private final int incarnation;
    private final CoordinatorLog log;
    private final AncestorsHandler ancestors;
    private final RandomGenerator random;
    private final TxnObserver observer;
    private final LongHashSet active = new LongHashSet(0);
    private final List<Paused> paused = new ArrayList<>();
    private ServerPeers peers;
    private long lastNumber;
    private long retries;

    private record Paused(CollectDispatchTransaction transaction, long dueNanos) {}

    Coordinator(
            ServerState state,
            int incarnation,
            CoordinatorLog log,
            AncestorsHandler ancestors,
            RandomGenerator random,
            TxnObserver observer) {
        this.state = state;
        this.incarnation = incarnation;
        this.log = log;
        this.ancestors = ancestors;
        this.random = random;
        this.observer = observer;
    }

    void start(ServerPeers value) {
        peers = value;
    }

    ServerState state() {
        return state;
    }

    ServerPeers peers() {
        return peers;
    }

    CoordinatorLog log() {
        return log;
    }

    /** Walks the directories of this server. */
    AncestorsHandler ancestors() {
        return ancestors;
    }

    TxnObserver observer() {
        return observer;
    }

    /** Attempts that found something busy. */
    long retries() {
        return retries;
    }

    /** Transactions that are neither committed nor given up, pauses not counted. */
    int activeCount() {
        return active.size();
    }

    int pausedCount() {
        return paused.size();
    }

    /** A transaction begins (again); its id. */
    long begin(CollectDispatchTransaction transaction) {
        lastNumber = lastNumber == 0xFFFF_FFFFL ? 1 : lastNumber + 1;
        long txnId = TransactionId.of(state.nodeId(), incarnation, lastNumber);
        active.add(txnId);
        return txnId;
    }

    boolean isActive(long txnId) {
        return active.contains(txnId);
    }

    /** An attempt is given up: it will never commit. */
    void forget(long txnId) {
        active.remove(txnId);
    }

    /** A request has been answered. */
    void finished(CollectDispatchTransaction transaction) {
        active.remove(transaction.txnId());
    }

    /**
     * Has a transaction run again after a random pause, the longer the more often it was tried.
     *
     * @return false if its request's time is over before that
     */
    boolean retry(CollectDispatchTransaction transaction, int attempts) {
        long now = state.clock().monotonicNanos();
        long most = Math.min(PAUSE_NANOS_MAX, PAUSE_NANOS_MIN << Math.min(attempts, PAUSE_DOUBLINGS_MAX));
        long due = now + PAUSE_NANOS_MIN / 2 + random.nextLong(most);
        if (due - transaction.request.deadlineNanos() >= 0) {
            return false;
        }
        retries++;
        paused.add(new Paused(transaction, due));
        return true;
    }

    /** Tells a participant that may hold a lock somewhere that nothing happened. If it cannot be told, it asks. */
    void abortByCall(int node, long txnId) {
        int bytes = TransactionsRequest.bodyBytes(1);
        RpcCall call;
        try {
            call = peers.begin(node, OpCode.ABORT, bytes, state.clock().monotonicNanos() + ABORT_DEADLINE_NANOS);
        } catch (RpcException e) {
            return;
        }
        new TransactionsRequest().wrap(call.request()).set(state.nodeId(), 1).txnId(0, txnId);
        call.sendAsync(bytes, (done, failure) -> done.close());
    }

    /** Runs the transactions whose pause is over. */
    int doWork(long now) {
        if (paused.isEmpty()) {
            return 0;
        }
        List<Paused> due = new ArrayList<>();
        for (int i = paused.size() - 1; i >= 0; i--) {
            if (paused.get(i).dueNanos - now <= 0) {
                due.add(paused.remove(i));
            }
        }
        for (int i = due.size() - 1; i >= 0; i--) {
            due.get(i).transaction.run();
        }
        return due.size();
    }

    /** When {@link #doWork} has something to do; {@link Long#MAX_VALUE} for never. */
    long nextDeadlineNanos(long now) {
        long wait = Long.MAX_VALUE;
        for (Paused each : paused) {
            wait = Math.min(wait, Math.max(0, each.dueNanos - now));
        }
        return wait == Long.MAX_VALUE ? wait : now + wait;
    }
}
