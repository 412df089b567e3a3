package org.octofs.server.lease;

import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.message.LockReply;
import org.octofs.rpc.protocol.message.LockRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.ops.OperationException;
import org.octofs.server.ops.OperationHandler;
import org.octofs.server.ops.ServerState;
import org.octofs.server.store.InodeRecord;

/**
 * LOCK: sets, clears or tests an advisory lock of the calling client; never waits. Nothing is durable: the client tells its
 * locks again after a restart. Doing it twice is the same as once.
 *
 * <p>Answers EAGAIN with the lock in the way (after a restart, before everybody has told their locks, with one on the whole
 * file that stands for what is not known yet), EINVAL (type, flags or range), ENOLCK (too many locks on the file), ESTALE,
 * ENOT_HOME.
 */
public final class LockHandler implements OperationHandler {
    private final FileLocks locks;
    private final LockRequest message = new LockRequest();
    private final LockReply answer = new LockReply();
    private final InodeRecord inode = new InodeRecord();

    public LockHandler(FileLocks locks) {
        this.locks = locks;
    }

    @Override
    public void handle(RpcRequest request, ServerState state) {
        message.wrap(request.body());
        long ino = message.ino();
        int type = message.type();
        int flags = message.flags();
        long start = message.start();
        long end = message.end();
        if (type < FileLocks.READ_LOCK
                || type > FileLocks.UNLOCK
                || (flags & ~(FileLocks.FLAG_FLOCK | FileLocks.FLAG_TEST)) != 0
                || start < 0
                || end < start) {
            throw OperationException.of(Errno.EINVAL);
        }
        FileLock wanted = new FileLock(
                request.clientId(), message.owner(), start, end, type == FileLocks.WRITE_LOCK, message.pid());
        FileLockTable table = locks.table(flags);
        if (type == FileLocks.UNLOCK) {
            // Not even the inode needs to be there: the file may have been removed meanwhile.
            OperationException.check(table.unlock(ino, wanted) ? Errno.OK : Errno.ENOLCK);
            send(request, Errno.OK, null);
            return;
        }
        state.require(ino, inode);
        FileLock conflict = table.conflict(ino, wanted);
        if (conflict == null && !locks.isOpen()) {
            // Nobody knows yet. To say "taken" would be a guess like any other, and a program may believe it.
            throw OperationException.of(Errno.ENOT_READY);
        }
        if ((flags & FileLocks.FLAG_TEST) != 0) {
            send(request, Errno.OK, conflict);
        } else if (conflict != null) {
            send(request, Errno.EAGAIN, conflict);
        } else {
            OperationException.check(
                    table.lock(ino, wanted) == FileLockTable.Outcome.GRANTED ? Errno.OK : Errno.ENOLCK);
            send(request, Errno.OK, null);
        }
    }

    private void send(RpcRequest request, Errno errno, FileLock lock) {
        answer.wrap(request.reply(LockReply.FIXED_BYTES));
        if (lock == null) {
            answer.start(0).end(0).type(FileLocks.UNLOCK).pid(0);
        } else {
            answer.start(lock.start())
                    .end(lock.end())
                    .type(lock.exclusive() ? FileLocks.WRITE_LOCK : FileLocks.READ_LOCK)
                    .pid(lock.pid());
        }
        request.send(errno.value, LockReply.FIXED_BYTES);
    }
}
