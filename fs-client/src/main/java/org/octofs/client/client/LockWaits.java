package org.octofs.client.client;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.octofs.client.link.ReclaimSource.HeldLock;
import org.octofs.rpc.protocol.Errno;

/**
 * Who of this client waits for which POSIX lock, so that a wait that would close a circle of waits fails. Circles over
 * several clients are not seen.
 *
 * <p>Threading: thread-safe; one thread at a time looks for circles, so that one wait of a circle fails and not all of them.
 */
final class LockWaits {
    private record Wait(long ino, LockSpec spec) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Long, Wait> waits = new HashMap<>();
    private final HeldLocks held;

    LockWaits(HeldLocks held) {
        this.held = held;
    }

    /**
     * Notes that the owner of {@code spec} waits; asked again at each attempt, since others come and go.
     *
     * @throws FsException EDEADLK if somebody whom it waits for waits for it; then it does not wait any more
     */
    void waiting(long ino, LockSpec spec) throws FsException {
        lock.lock();
        try {
            waits.put(spec.owner(), new Wait(ino, spec));
            if (closesCircle(spec.owner())) {
                waits.remove(spec.owner());
                throw new FsException(Errno.EDEADLK);
            }
        } finally {
            lock.unlock();
        }
    }

    void done(LockSpec spec) {
        lock.lock();
        try {
            waits.remove(spec.owner());
        } finally {
            lock.unlock();
        }
    }

    private boolean closesCircle(long owner) {
        List<HeldLock> all = held.all();
        Set<Long> seen = new HashSet<>();
        return reaches(owner, owner, all, seen);
    }

    private boolean reaches(long from, long target, List<HeldLock> all, Set<Long> seen) {
        Wait wait = waits.get(from);
        if (wait == null || !seen.add(from)) {
            return false;
        }
        for (HeldLock other : all) {
            if (blocks(other, wait, from) && (other.owner() == target || reaches(other.owner(), target, all, seen))) {
                return true;
            }
        }
        return false;
    }

    private static boolean blocks(HeldLock other, Wait wait, long owner) {
        LockSpec wanted = wait.spec();
        return other.ino() == wait.ino()
                && other.flags() == 0
                && other.owner() != owner
                && other.start() <= wanted.end()
                && wanted.start() <= other.end()
                && (other.type() == LockSpec.TYPE_WRITE || wanted.type() == LockSpec.TYPE_WRITE);
    }
}
