package org.octofs.fuse.memory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.octofs.fuse.fuse.LinuxErrno;
import org.octofs.fuse.fuse.LockRange;
import org.octofs.fuse.fuse.RequestContext;

/** POSIX and flock locks of one inode; its monitor is what waiters wait on. */
final class MemoryLocks {
    private record Held(long owner, int pid, int type, long first, long last) {}

    private final List<Held> posix = new ArrayList<>();
    private final Map<Long, Integer> whole = new HashMap<>();

    synchronized void test(long owner, LockRange lock) {
        for (Held held : posix) {
            if (conflicts(held, owner, lock)) {
                lock.type = held.type();
                lock.firstByte = held.first();
                lock.lastByte = held.last();
                lock.pid = held.pid();
                return;
            }
        }
        lock.type = LockRange.UNLOCK;
    }

    private static boolean conflicts(Held held, long owner, LockRange lock) {
        return held.owner() != owner
                && held.first() <= lock.lastByte
                && lock.firstByte <= held.last()
                && (held.type() == LockRange.WRITE || lock.type == LockRange.WRITE);
    }

    synchronized int set(RequestContext context, long owner, LockRange lock, boolean wait) {
        while (lock.type != LockRange.UNLOCK && posix.stream().anyMatch(held -> conflicts(held, owner, lock))) {
            if (!wait) {
                return -LinuxErrno.EAGAIN;
            }
            if (!awaitChange(context)) {
                return -LinuxErrno.EINTR;
            }
        }
        List<Held> cut = new ArrayList<>();
        for (Iterator<Held> all = posix.iterator(); all.hasNext(); ) {
            Held held = all.next();
            if (held.owner() == owner && held.first() <= lock.lastByte && lock.firstByte <= held.last()) {
                all.remove();
                if (held.first() < lock.firstByte) {
                    cut.add(new Held(owner, held.pid(), held.type(), held.first(), lock.firstByte - 1));
                }
                if (held.last() > lock.lastByte) {
                    cut.add(new Held(owner, held.pid(), held.type(), lock.lastByte + 1, held.last()));
                }
            }
        }
        posix.addAll(cut);
        if (lock.type != LockRange.UNLOCK) {
            posix.add(new Held(owner, lock.pid, lock.type, lock.firstByte, lock.lastByte));
        }
        notifyAll();
        return 0;
    }

    synchronized int flock(RequestContext context, long owner, int type, boolean wait) {
        // As on Linux a change of kind gives the old lock up first.
        whole.remove(owner);
        notifyAll();
        while ((type == LockRange.WRITE && !whole.isEmpty())
                || (type == LockRange.READ && whole.containsValue(LockRange.WRITE))) {
            if (!wait) {
                return -LinuxErrno.EAGAIN;
            }
            if (!awaitChange(context)) {
                return -LinuxErrno.EINTR;
            }
        }
        if (type != LockRange.UNLOCK) {
            whole.put(owner, type);
        }
        return 0;
    }

    @SuppressWarnings("WaitNotInLoop") // the callers look again
    private boolean awaitChange(RequestContext context) {
        try {
            wait();
            return !context.interrupted();
        } catch (InterruptedException e) {
            return false;
        }
    }

    synchronized void releasePosix(long owner) {
        if (posix.removeIf(held -> held.owner() == owner)) {
            notifyAll();
        }
    }

    synchronized void releaseFlock(long owner) {
        if (whole.remove(owner) != null) {
            notifyAll();
        }
    }
}
