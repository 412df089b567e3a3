package org.octofs.server.txn;

import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.message.AncestorsReply;
import org.octofs.rpc.protocol.message.AncestorsRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.ops.OperationException;
import org.octofs.server.ops.OperationHandler;
import org.octofs.server.ops.ServerState;
import org.octofs.server.store.InodeRecord;

/**
 * ANCESTORS: the part of a walk to the root that is at this server. A directory that another transaction holds may be about to
 * get another parent: EBUSY, not a wait, since the asking transaction holds locks. Answers also ESTALE, EPERM (not a server).
 */
final class AncestorsHandler implements OperationHandler {
    private static final int DEPTH_MAX = 1 << 20;

    private final ServerState state;
    private final Participant participant;
    private final AncestorsRequest message = new AncestorsRequest();
    private final AncestorsReply answer = new AncestorsReply();
    private final InodeRecord record = new InodeRecord();

    AncestorsHandler(ServerState state, Participant participant) {
        this.state = state;
        this.participant = participant;
    }

    @Override
    public void handle(RpcRequest request, ServerState unused) {
        if (!participant.isServer(request)) {
            throw OperationException.of(Errno.EPERM);
        }
        participant.pollReleases();
        message.wrap(request.body());
        long next;
        try {
            next = walk(message.txnId(), message.from(), message.sought());
        } catch (BusyException e) {
            throw OperationException.of(Errno.EBUSY);
        }
        answer.wrap(request.reply(AncestorsReply.FIXED_BYTES)).next(next);
        request.send(0, AncestorsReply.FIXED_BYTES);
    }

    /**
     * Goes from {@code from} upwards as long as the directories are here.
     *
     * @return {@code sought} if it was met, 0 if the root was, else the first one that is elsewhere
     * @throws BusyException if another transaction holds one of them
     */
    long walk(long txnId, long from, long sought) {
        long at = from;
        for (int depth = 0; depth < DEPTH_MAX; depth++) {
            if (at == sought) {
                return sought;
            }
            if (at == InodeNumber.ROOT) {
                return 0;
            }
            if (!state.isHome(at)) {
                return at;
            }
            long owner = state.locks().owner(at);
            if (owner != 0 && owner != txnId) {
                throw BusyException.INSTANCE;
            }
            if (!state.inodes().find(at, record) || !record.isDirectory()) {
                throw OperationException.of(Errno.ESTALE);
            }
            at = record.parent();
        }
        throw new IllegalStateException("the parents of directory " + Long.toHexString(from) + " form a loop");
    }
}
