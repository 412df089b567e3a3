package org.octofs.server.server;

import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.message.ReclaimRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.lease.FileLock;
import org.octofs.server.lease.FileLocks;
import org.octofs.server.ops.OperationException;
import org.octofs.server.ops.OperationHandler;
import org.octofs.server.ops.ServerState;
import org.octofs.server.session.ClientSession;
import org.octofs.server.session.Sessions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * RECLAIM: what a client has open and locked, told after this server has restarted; until the last part has come, nothing that
 * the client could hold is given to others. Answers EINVAL from somebody without a session, EPROTO for a list that does not fit.
 */
final class ReclaimHandler implements OperationHandler {
    private static final Logger LOG = LoggerFactory.getLogger(ReclaimHandler.class);
    private static final int OPEN_COUNT_OFFSET = 8;
    private static final int LOCK_BYTES = 48;
    private static final int LOCK_OWNER_OFFSET = 8;
    private static final int LOCK_START_OFFSET = 16;
    private static final int LOCK_END_OFFSET = 24;
    private static final int LOCK_TYPE_OFFSET = 32;
    private static final int LOCK_FLAGS_OFFSET = 36;
    private static final int LOCK_PID_OFFSET = 40;

    private final ReclaimRequest message = new ReclaimRequest();
    private final Sessions sessions;
    private final FileLocks fileLocks;

    ReclaimHandler(Sessions sessions, FileLocks fileLocks) {
        this.sessions = sessions;
        this.fileLocks = fileLocks;
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
        int locks = message.locksCount();
        if (locks < 0 || locks > body.lengthBytes() / LOCK_BYTES) {
            throw OperationException.of(Errno.EPROTO);
        }
        for (int i = 0; i < locks && !session.isReclaimed(); i++) {
            reclaimLock(body, message.locks(i), session, state);
        }
        if (message.last() != 0) {
            sessions.reclaimed(session);
        }
        request.send(0, 0);
    }

    private void reclaimLock(MessageBuffer body, int at, ClientSession session, ServerState state) {
        long ino = body.getU64(at);
        long start = body.getU64(at + LOCK_START_OFFSET);
        long end = body.getU64(at + LOCK_END_OFFSET);
        int type = body.getI32(at + LOCK_TYPE_OFFSET);
        boolean known = state.isHome(ino) && state.inodes().slotOffset(ino) != 0;
        if (!known || start < 0 || end < start || type < FileLocks.READ_LOCK || type > FileLocks.WRITE_LOCK) {
            return;
        }
        FileLock lock = new FileLock(
                session.clientId(),
                body.getU64(at + LOCK_OWNER_OFFSET),
                start,
                end,
                type == FileLocks.WRITE_LOCK,
                body.getI32(at + LOCK_PID_OFFSET));
        if (!fileLocks.reclaim(ino, lock, body.getI32(at + LOCK_FLAGS_OFFSET))) {
            LOG.warn("client {} was late: its lock on inode {} went to another one", session.clientId(), ino);
        }
    }
}
