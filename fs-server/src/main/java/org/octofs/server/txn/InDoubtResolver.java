package org.octofs.server.txn;

import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.TransactionsReply;
import org.octofs.rpc.protocol.message.TransactionsRequest;
import org.octofs.rpc.rpc.RpcCall;
import org.octofs.rpc.rpc.RpcException;

/**
 * Asks coordinators what became of transactions whose locks this participant holds: those of an earlier life of this server at
 * once and again and again, others when they have been held for long (a coordinator that gave up may not have reached us).
 * A coordinator that knows nothing of a transaction will never commit it, so it is aborted here; one that has committed it
 * dispatches again. Until then the objects stay locked, and everything else is served.
 * Threading: confined to the worker. Limits: one question per coordinator at a time.
 */
final class InDoubtResolver {
    /** How long a lock is left alone. */
    static final long PATIENCE_NANOS = 1_000_000_000L;

    private static final long AGAIN_NANOS = 20_000_000L;
    private static final long DEADLINE_NANOS = 1_000_000_000L;

    private final Participant participant;
    private final ServerPeers peers;
    private final TransactionsRequest message = new TransactionsRequest();
    private final TransactionsReply answer = new TransactionsReply();
    private final boolean[] asking;
    private final long[] asked = new long[TransactionsRequest.COUNT_MAX];

    InDoubtResolver(Participant participant, ServerPeers peers) {
        this.participant = participant;
        this.peers = peers;
        this.asking = new boolean[participant.state().map().nodeCount()];
    }

    /** Sends what questions are due. */
    int doWork(long now) {
        int done = 0;
        for (int i = 0; i < participant.held().size(); i++) {
            HeldLock lock = participant.held().get(i);
            int node = TransactionId.node(lock.txnId);
            if (lock.askAtNanos - now <= 0 && node < asking.length && !asking[node] && peers.isReady(node)) {
                ask(node, now);
                done++;
            }
        }
        return done;
    }

    /** When the next question is due; {@link Long#MAX_VALUE} for none. */
    long nextDeadlineNanos(long now) {
        long earliest = Long.MAX_VALUE;
        for (HeldLock lock : participant.held()) {
            earliest = Math.min(earliest, Math.max(0, lock.askAtNanos - now));
        }
        return earliest == Long.MAX_VALUE ? earliest : now + Math.max(earliest, AGAIN_NANOS / 4);
    }

    private void ask(int node, long now) {
        int count = 0;
        for (HeldLock lock : participant.held()) {
            if (TransactionId.node(lock.txnId) == node && lock.askAtNanos - now <= 0 && count < asked.length) {
                lock.askAtNanos = now + AGAIN_NANOS;
                asked[count++] = lock.txnId;
            }
        }
        RpcCall call;
        try {
            call = peers.begin(node, OpCode.OUTCOME, TransactionsRequest.bodyBytes(count), now + DEADLINE_NANOS);
        } catch (RpcException e) {
            return; // Tried again when the locks are due again.
        }
        message.wrap(call.request()).set(participant.state().nodeId(), count);
        long[] ids = new long[count];
        for (int i = 0; i < count; i++) {
            ids[i] = asked[i];
            message.txnId(i, asked[i]);
        }
        asking[node] = true;
        call.sendAsync(TransactionsRequest.bodyBytes(count), (done, failure) -> {
            asking[node] = false;
            try (done) {
                if (failure == null && done.errno() == 0) {
                    answered(ids, done.reply());
                }
            }
        });
    }

    private void answered(long[] ids, MessageBuffer body) {
        answer.wrap(body);
        for (int i = 0; i < ids.length && i < answer.count(); i++) {
            HeldLock lock = participant.find(ids[i]);
            if (lock != null && answer.state(i) == TransactionsReply.UNKNOWN) {
                participant.abort(lock);
            }
        }
    }
}
