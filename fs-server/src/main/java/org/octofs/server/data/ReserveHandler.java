package org.octofs.server.data;

import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.message.GrantReply;
import org.octofs.rpc.protocol.message.ReserveRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.ops.OperationException;
import org.octofs.server.ops.OperationHandler;
import org.octofs.server.ops.ServerState;
import org.octofs.server.session.RecordedReply;
import org.octofs.server.space.ReservationLayout;
import org.octofs.server.space.ShardSpace;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.MetaTransaction;
import org.octofs.server.store.RecordType;

/**
 * RESERVE: lends free blocks to push data into; the loan is durable when answered. Lends fewer than asked if there are not
 * more. When there is nothing at the moment, but another node has been asked for a segment or the blocks of deleted files
 * are still being collected, the request waits for that, until its deadline.
 *
 * <p>Answers EINVAL (not a regular file, no blocks wanted, a block no file has), ENOSPC (nothing is left anywhere, or too
 * much is lent already), ESTALE, ENOT_HOME.
 */
public final class ReserveHandler implements OperationHandler {
    private final FileSpace files;
    private final ShardSpace space;
    private final ReserveRequest message = new ReserveRequest();
    private final GrantReply answer = new GrantReply();
    private final GrantWriter grants = new GrantWriter();
    private final InodeRecord inode = new InodeRecord();
    private final ArrayDeque<RpcRequest> waiting = new ArrayDeque<>();

    public ReserveHandler(FileSpace files) {
        this.files = files;
        this.space = files.space();
    }

    @Override
    public void handle(RpcRequest request, ServerState state) {
        message.wrap(request.body());
        long ino = message.ino();
        long firstBlock = message.firstBlock();
        int wanted = message.blockCount();
        state.require(ino, inode);
        if (!inode.isRegular() || wanted < 1 || firstBlock < 0 || firstBlock >= BlockMapLayout.FILE_BLOCKS_MAX) {
            throw OperationException.of(Errno.EINVAL);
        }
        if (lend(request, state, ino, firstBlock, wanted)) {
            return;
        }
        if (state.orphans().hurry() || files.freeMore() || space.isPending(InodeNumber.shard(ino))) {
            waiting.add(request);
            return;
        }
        throw OperationException.of(Errno.ENOSPC);
    }

    private boolean lend(RpcRequest request, ServerState state, long ino, long firstBlock, int wanted) {
        MessageBuffer body = request.reply(GrantReply.FIXED_BYTES + ShardSpace.RUNS_MAX * GrantWriter.GRANT_BYTES);
        answer.wrap(body).reserved(0).grantsCount(0);
        int shard = InodeNumber.shard(ino);
        MetaTransaction tx = state.begin(RecordType.RESERVATION).shard(shard);
        long tag = ReservationLayout.tag(shard, request.slot(), request.requestId());
        grants.start(body, answer.grantsOffset());
        int lent = space.lend(tx, ino, firstBlock, wanted, request.clientId(), tag, grants);
        if (lent == 0) {
            tx.abort();
            return false;
        }
        state.commit(request, 0, ino, 0);
        request.send(0, answer.grantsCount(grants.count()).bodyBytes());
        return true;
    }

    /** Requests that wait for space. */
    int waitingCount() {
        return waiting.size();
    }

    /**
     * Tries the waiting requests again.
     *
     * @param again runs a request from its beginning; it may wait again
     * @return how many were answered
     */
    int retry(long nowNanos, Consumer<RpcRequest> again) {
        int before = waiting.size();
        for (int left = before; left > 0; left--) {
            RpcRequest request = waiting.poll();
            if (request.deadlineNanos() - nowNanos < 0) {
                request.send(Errno.ENOSPC.value, 0);
            } else {
                again.accept(request);
            }
        }
        return before - waiting.size();
    }

    @Override
    public void answerAgain(RpcRequest request, ServerState state, RecordedReply recorded) {
        MessageBuffer body = request.reply(GrantReply.FIXED_BYTES + ShardSpace.RUNS_MAX * GrantWriter.GRANT_BYTES);
        answer.wrap(body).reserved(0).grantsCount(0);
        grants.start(body, answer.grantsOffset());
        long tag = ReservationLayout.tag(InodeNumber.shard(recorded.ino()), request.slot(), request.requestId());
        space.reservations()
                .forRequest(request.clientId(), tag, (location, count, _, _) -> grants.run(location, count));
        request.send(0, answer.grantsCount(grants.count()).bodyBytes());
    }
}
