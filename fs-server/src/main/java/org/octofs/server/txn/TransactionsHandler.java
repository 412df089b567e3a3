package org.octofs.server.txn;

import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.TransactionsReply;
import org.octofs.rpc.protocol.message.TransactionsRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.ops.OperationException;
import org.octofs.server.ops.OperationHandler;
import org.octofs.server.ops.ServerState;

/**
 * ABORT and FLUSHED from a coordinator, OUTCOME from a participant: how transactions stand here. Fails only for those who
 * are no servers (EPERM).
 */
final class TransactionsHandler implements OperationHandler {
    private final Participant participant;
    private final Coordinator coordinator;
    private final TransactionsRequest message = new TransactionsRequest();
    private final TransactionsReply answer = new TransactionsReply();

    TransactionsHandler(Participant participant, Coordinator coordinator) {
        this.participant = participant;
        this.coordinator = coordinator;
    }

    @Override
    public void handle(RpcRequest request, ServerState state) {
        if (!participant.isServer(request)) {
            throw OperationException.of(Errno.EPERM);
        }
        // What was dispatched before this call was sent is here: finish it first.
        participant.pollReleases();
        message.wrap(request.body());
        int count = message.count();
        int node = message.nodeId();
        int bodyBytes = TransactionsReply.bodyBytes(count);
        answer.wrap(request.reply(bodyBytes)).set(participant.incarnation(), count);
        for (int i = 0; i < count; i++) {
            long txnId = message.txnId(i);
            switch (request.opCode()) {
                case OpCode.ABORT -> {
                    HeldLock lock = participant.find(txnId);
                    if (lock != null) {
                        participant.abort(lock);
                    }
                    answer.state(i, TransactionsReply.GONE, 0);
                }
                case OpCode.FLUSHED -> {
                    HeldLock lock = participant.find(txnId);
                    answer.state(
                            i,
                            lock == null ? TransactionsReply.GONE : TransactionsReply.HELD,
                            lock == null ? 0 : participant.table().releaseOffset(lock.index));
                }
                default -> answer.state(i, outcome(txnId, node), 0);
            }
        }
        request.send(0, bodyBytes);
    }

    private int outcome(long txnId, int node) {
        if (coordinator.log().contains(txnId)) {
            coordinator.log().hurry(txnId, node);
            return TransactionsReply.COMMITTED;
        }
        return coordinator.isActive(txnId) ? TransactionsReply.UNDECIDED : TransactionsReply.UNKNOWN;
    }
}
