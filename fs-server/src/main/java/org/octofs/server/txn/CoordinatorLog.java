package org.octofs.server.txn;

import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.Long2ObjectHashMap;
import org.octofs.pmem.log.LogRecordView;
import org.octofs.pmem.log.RedoLog;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.TransactionsReply;
import org.octofs.rpc.protocol.message.TransactionsRequest;
import org.octofs.rpc.rpc.RpcCall;
import org.octofs.rpc.rpc.RpcException;
import org.octofs.server.store.RecordType;

/**
 * What this server has committed for other servers and not yet heard to be durable there. The redo log retains the records
 * of these transactions; here is what they hold, and the questions to the participants.
 *
 * <p>A participant is asked (FLUSHED) lazily and for many transactions at once. It says that a lock is gone, which it clears
 * only together with making the images durable, or that it holds it; then everything is dispatched again, since nobody
 * else can have released it and the answer came after all effects of earlier connections.
 * Threading:  confined to the worker.
 * Durability: {@link #add} is called when the record is durable; after a crash {@link #replayed} finds it again.
 */
final class CoordinatorLog {
    private static final int BATCH = 64;
    private static final int RECORD_OVERHEAD_BYTES = 128;
    private static final int ENTRY_OVERHEAD_BYTES = 32;
    private static final long LAZY_NANOS = 5_000_000L;
    private static final long AGAIN_NANOS = 2_000_000L;
    private static final long DEADLINE_NANOS = 1_000_000_000L;

    private final RedoLog log;
    private final int nodeId;
    private final int nodeCount;
    private final TxnObserver observer;
    private final Long2ObjectHashMap<Committed> committed = new Long2ObjectHashMap<>();
    private final List<List<Dispatch>> pending = new ArrayList<>();
    private final boolean[] asking;
    private final long[] notBeforeNanos;
    private final TransactionsRequest message = new TransactionsRequest();
    private final TransactionsReply answer = new TransactionsReply();
    private ServerPeers peers;
    private long redispatches;

    private static final class Committed {
        final long sequence;
        final List<Dispatch> dispatches = new ArrayList<>(3);

        Committed(long sequence) {
            this.sequence = sequence;
        }
    }

    CoordinatorLog(RedoLog log, int nodeId, int nodeCount, TxnObserver observer) {
        this.log = log;
        this.nodeId = nodeId;
        this.nodeCount = nodeCount;
        this.observer = observer;
        this.asking = new boolean[nodeCount];
        this.notBeforeNanos = new long[nodeCount];
        for (int i = 0; i < nodeCount; i++) {
            pending.add(new ArrayList<>());
        }
    }

    void start(ServerPeers value) {
        peers = value;
    }

    /** Replay has met a record: keeps it if it is one of ours. */
    void replayed(LogRecordView view) {
        if (view.type() != RecordType.DISTRIBUTED) {
            return;
        }
        Committed transaction = null;
        while (view.next()) {
            if (view.isPayload()) {
                if (transaction == null) {
                    transaction = new Committed(view.sequence());
                    log.retain(view.sequence());
                    committed.put(view.txnId(), transaction);
                }
                add(transaction, new Dispatch(view.txnId(), view.tag(), DispatchWrites.decode(view.data())));
            }
        }
    }

    /** A record is durable and retained; its dispatches are posted with {@link #post}. */
    void add(long txnId, long sequence, List<Dispatch> dispatches, long now) {
        Committed transaction = new Committed(sequence);
        committed.put(txnId, transaction);
        for (Dispatch dispatch : dispatches) {
            dispatch.sinceNanos = now;
            add(transaction, dispatch);
        }
    }

    private void add(Committed transaction, Dispatch dispatch) {
        if (dispatch.node >= nodeCount) {
            throw new IllegalStateException("transaction " + TransactionId.toString(dispatch.txnId) + " is for node "
                    + dispatch.node + " of " + nodeCount);
        }
        transaction.dispatches.add(dispatch);
        pending.get(dispatch.node).add(dispatch);
    }

    /** Writes the images and the release, for a participant that is in {@code incarnation} and holds the lock. */
    void post(Dispatch dispatch, int incarnation) {
        dispatch.posting = true;
        dispatch.urgent = false;
        long release = ReleaseWord.committed(dispatch.txnId, incarnation);
        peers.write(dispatch.node, dispatch.writes.withRelease(release), success -> {
            dispatch.posting = false;
            dispatch.urgent |= !success;
        });
    }

    /** Transactions that are not confirmed by all. */
    int size() {
        return committed.size();
    }

    /** Dispatches that were done again. */
    long redispatches() {
        return redispatches;
    }

    boolean contains(long txnId) {
        return committed.containsKey(txnId);
    }

    /** A participant is in doubt about a transaction. */
    void hurry(long txnId, int node) {
        Committed transaction = committed.get(txnId);
        if (transaction != null) {
            for (Dispatch dispatch : transaction.dispatches) {
                if (dispatch.node == node) {
                    dispatch.urgent = true;
                }
            }
        }
    }

    /** Whether a record with these payloads can be retained as well. */
    boolean hasRoom(List<Dispatch> dispatches) {
        int bytes = RECORD_OVERHEAD_BYTES;
        for (Dispatch dispatch : dispatches) {
            bytes += dispatch.writes.encodedBytes() + ENTRY_OVERHEAD_BYTES;
        }
        return log.retainedBytes() + bytes <= log.retainedBytesMax();
    }

    /** Asks participants, if it is time. */
    int doWork(long now) {
        int done = 0;
        boolean pressed = log.retainedBytes() > log.retainedBytesMax() / 2;
        for (int node = 0; node < nodeCount; node++) {
            List<Dispatch> list = pending.get(node);
            if (list.isEmpty() || asking[node] || notBeforeNanos[node] - now > 0 || !peers.isReady(node)) {
                continue;
            }
            if ((pressed || list.size() >= BATCH || isDue(list, now)) && ask(node, list, now)) {
                done++;
            }
        }
        return done;
    }

    private static boolean isDue(List<Dispatch> list, long now) {
        for (Dispatch dispatch : list) {
            if (dispatch.urgent || now - dispatch.sinceNanos >= LAZY_NANOS) {
                return true;
            }
        }
        return false;
    }

    /** When {@link #doWork} has something to do; {@link Long#MAX_VALUE} for never. */
    long nextDeadlineNanos(long now) {
        return committed.isEmpty() ? Long.MAX_VALUE : now + LAZY_NANOS;
    }

    /** Answers false if there is nobody to ask about, since all is being written: the worker may wait for that. */
    private boolean ask(int node, List<Dispatch> list, long now) {
        List<Dispatch> asked = new ArrayList<>();
        for (Dispatch dispatch : list) {
            if (!dispatch.posting && asked.size() < TransactionsRequest.COUNT_MAX) {
                asked.add(dispatch);
            }
        }
        if (asked.isEmpty()) {
            return false;
        }
        notBeforeNanos[node] = now + AGAIN_NANOS;
        RpcCall call;
        int bodyBytes = TransactionsRequest.bodyBytes(asked.size());
        try {
            call = peers.begin(node, OpCode.FLUSHED, bodyBytes, now + DEADLINE_NANOS);
        } catch (RpcException e) {
            return false; // Asked again a little later.
        }
        message.wrap(call.request()).set(nodeId, asked.size());
        for (int i = 0; i < asked.size(); i++) {
            message.txnId(i, asked.get(i).txnId);
        }
        asking[node] = true;
        call.sendAsync(bodyBytes, (finished, failure) -> {
            asking[node] = false;
            try (finished) {
                if (failure == null && finished.errno() == 0) {
                    answered(node, asked, finished.reply());
                }
            }
        });
        return true;
    }

    private void answered(int node, List<Dispatch> asked, MessageBuffer body) {
        answer.wrap(body);
        int incarnation = answer.incarnation();
        for (int i = 0; i < asked.size() && i < answer.count(); i++) {
            Dispatch dispatch = asked.get(i);
            if (answer.state(i) == TransactionsReply.GONE) {
                confirm(dispatch);
            } else if (peers.isReady(node) && peers.incarnation(node) == incarnation) {
                redispatches++;
                post(dispatch, incarnation);
            }
        }
    }

    private void confirm(Dispatch dispatch) {
        dispatch.confirmed = true;
        pending.get(dispatch.node).remove(dispatch);
        Committed transaction = committed.get(dispatch.txnId);
        for (Dispatch other : transaction.dispatches) {
            if (!other.confirmed) {
                return;
            }
        }
        observer.reached(TxnStep.CONFIRMED, dispatch.txnId);
        committed.remove(dispatch.txnId);
        log.release(transaction.sequence);
        observer.reached(TxnStep.RECORD_RELEASED, dispatch.txnId);
    }
}
