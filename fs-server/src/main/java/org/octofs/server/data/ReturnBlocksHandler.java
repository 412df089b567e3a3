package org.octofs.server.data;

import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.message.ReturnBlocksRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.ops.OperationException;
import org.octofs.server.ops.OperationHandler;
import org.octofs.server.ops.ServerState;
import org.octofs.server.space.ReservationTable;
import org.octofs.server.space.ShardSpace;
import org.octofs.server.store.MetaTransaction;
import org.octofs.server.store.RecordType;

/**
 * RETURN_BLOCKS: gives lent blocks back, all or none; durable when answered. The inode number only names the shard, since
 * the file may be gone. Answers EINVAL (blocks that are not lent to the caller, named twice, or too many runs), ENOT_HOME.
 */
public final class ReturnBlocksHandler implements OperationHandler {
    /** Most runs of one request. */
    public static final int RUNS_MAX = 4096;

    private final ShardSpace space;
    private final ReturnBlocksRequest message = new ReturnBlocksRequest();
    private final long[] locations = new long[RUNS_MAX];
    private final int[] counts = new int[RUNS_MAX];
    private final RunOrder order = new RunOrder(RUNS_MAX);

    public ReturnBlocksHandler(FileSpace files) {
        this.space = files.space();
    }

    @Override
    public void handle(RpcRequest request, ServerState state) {
        MessageBuffer body = request.body();
        message.wrap(body);
        long ino = message.ino();
        int runs = message.grantsCount();
        if (!state.isHome(ino)) {
            throw OperationException.of(Errno.ENOT_HOME);
        }
        if (runs < 0 || runs > RUNS_MAX) {
            throw OperationException.of(Errno.EINVAL);
        }
        for (int i = 0; i < runs; i++) {
            int at = message.grants(i);
            locations[i] = body.getU64(at);
            counts[i] = body.getI32(at + GrantWriter.COUNT_OFFSET);
            if (counts[i] < 1 || locations[i] != BlockLocation.withoutFlags(locations[i])) {
                throw OperationException.of(Errno.EINVAL);
            }
        }
        order.sort(locations, runs);
        int shard = InodeNumber.shard(ino);
        ReservationTable reservations = space.reservations();
        reservations.takeBegin();
        for (int i = 0; i < runs; i++) {
            int run = order.at(i);
            if (!reservations.take(request.clientId(), shard, locations[run], counts[run])) {
                reservations.takeCancel();
                throw OperationException.of(Errno.EINVAL);
            }
        }
        MetaTransaction tx = state.begin(RecordType.RESERVATION).shard(shard);
        reservations.takeStage(tx);
        for (int i = 0; i < runs; i++) {
            space.freeAfter(tx, shard, locations[i], counts[i]);
        }
        state.commit(request, 0, ino, 0);
        request.send(0, 0);
    }
}
