package org.octofs.server.lease;

import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.message.RecallFlags;
import org.octofs.rpc.protocol.message.RecallsRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.ops.OperationException;
import org.octofs.server.ops.OperationHandler;
import org.octofs.server.ops.ServerState;
import org.octofs.server.session.ClientSession;

/**
 * RECALLS: takes what the client has dropped, and answers what else it has to drop: at once with the flag BEGIN, with nothing at
 * once if it does not want to wait, else as soon as there is something. Answers ESTALE (the client has to begin anew), EINVAL
 * (no session that could have leases), EPROTO.
 */
public final class RecallsHandler implements OperationHandler {
    private static final int DROPPED_MAX = 4096;
    private static final long WAIT_MILLIS_MAX = 60_000;
    private static final long MILLI = 1_000_000L;

    private final RecallsRequest message = new RecallsRequest();

    @Override
    public void handle(RpcRequest request, ServerState state) {
        ClientSession session = state.session(request);
        if (session == null || session.tableIndex() == ClientSession.NOT_RECORDED) {
            throw OperationException.of(Errno.EINVAL);
        }
        MessageBuffer body = request.body();
        message.wrap(body);
        int flags = message.flags();
        int count = message.droppedCount();
        long waitMillis = message.waitMillis();
        if (count < 0 || count > DROPPED_MAX || waitMillis < 0 || waitMillis > WAIT_MILLIS_MAX) {
            throw OperationException.of(Errno.EPROTO);
        }
        if ((flags & RecallFlags.BEGIN) != 0) {
            state.leases().begin(request, session.tableIndex(), (flags & RecallFlags.NOTHING_KEPT) != 0);
            return;
        }
        long[] dropped = new long[count];
        for (int i = 0; i < count; i++) {
            dropped[i] = body.getU64(message.dropped(i));
        }
        state.leases().recalls(request, dropped, waitMillis * MILLI);
    }
}
