package org.octofs.server.server;

import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.message.ReclaimRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.ops.OperationException;
import org.octofs.server.ops.OperationHandler;
import org.octofs.server.ops.ServerState;
import org.octofs.server.session.ClientSession;
import org.octofs.server.session.Sessions;

/**
 * RECLAIM: what a client has open and locked, told after this server has restarted; until the last part has come, nothing that
 * the client could hold is given to others. Answers EINVAL from somebody without a session, EPROTO for a list that does not fit.
 */
final class ReclaimHandler implements OperationHandler {
    private static final int OPEN_COUNT_OFFSET = 8;

    private final ReclaimRequest message = new ReclaimRequest();
    private final Sessions sessions;

    ReclaimHandler(Sessions sessions) {
        this.sessions = sessions;
    }

    @Override
    public void handle(RpcRequest request, ServerState state) {
        ClientSession session = state.session(request);
        if (session == null) {
            throw OperationException.of(Errno.EINVAL);
        }
        MessageBuffer body = request.body();
        message.wrap(body);
        int opens = message.opensCount();
        if (opens < 0 || opens > body.lengthBytes() / 16) {
            throw OperationException.of(Errno.EPROTO);
        }
        // Opens of this life of the server are known already, and an inode that is gone cannot be held.
        for (int i = 0; i < opens && !session.isReclaimed(); i++) {
            int at = message.opens(i);
            long ino = body.getU64(at);
            long count = body.getU64(at + OPEN_COUNT_OFFSET);
            if (count > 0 && state.isHome(ino) && state.inodes().slotOffset(ino) != 0) {
                state.opens().open(session, ino, count);
                state.orphans().opened(ino);
            }
        }
        if (message.last() != 0) {
            sessions.reclaimed(session);
        }
        request.send(0, 0);
    }
}
