package org.octofs.client.client;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.octofs.client.link.ReclaimSource.HeldLock;

/**
 * The locks that this client holds, to tell them to a home that was restarted and to know what a close has to drop.
 * Thread-safe.
 *
 * <p>Each is kept with the open file that it was taken by. An owner's number alone does not say whose a lock is: that of an open file
 * description is an address in the kernel, which the next open file may get before the release of this one is served.
 */
final class HeldLocks {
    private record Held(HeldLock lock, OpenFile by) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final List<Held> held = new ArrayList<>();

    /** Follows a lock or unlock that the home has granted: what it covers of the same owner's locks is replaced. */
    void apply(HeldLock change, OpenFile by) {
        lock.lock();
        try {
            List<Held> rests = new ArrayList<>();
            for (Iterator<Held> all = held.iterator(); all.hasNext(); ) {
                Held old = all.next();
                HeldLock was = old.lock;
                if (sameOwner(was, change) && was.start() <= change.end() && change.start() <= was.end()) {
                    all.remove();
                    if (was.start() < change.start()) {
                        rests.add(new Held(withRange(was, was.start(), change.start() - 1), old.by));
                    }
                    if (was.end() > change.end()) {
                        rests.add(new Held(withRange(was, change.end() + 1, was.end()), old.by));
                    }
                }
            }
            held.addAll(rests);
            if (change.type() != LockSpec.TYPE_UNLOCK) {
                held.add(new Held(change, by));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Whether an owner holds any lock of a kind on an inode. */
    boolean holds(long ino, long owner, int flags) {
        return any(h -> h.lock.ino() == ino && h.lock.owner() == owner && h.lock.flags() == flags);
    }

    /** Whether an owner holds a lock of a kind on a range of an inode that is more than {@code type}. */
    boolean holdsMore(long ino, LockSpec wanted, int flags) {
        return any(h -> h.lock.ino() == ino
                && h.lock.owner() == wanted.owner()
                && h.lock.flags() == flags
                && h.lock.start() <= wanted.end()
                && wanted.start() <= h.lock.end()
                && (wanted.type() == LockSpec.TYPE_UNLOCK || h.lock.type() == LockSpec.TYPE_WRITE));
    }

    private boolean any(Predicate<Held> condition) {
        lock.lock();
        try {
            return held.stream().anyMatch(condition);
        } finally {
            lock.unlock();
        }
    }

    /** All, at the moment. */
    List<HeldLock> all() {
        return select(_ -> true);
    }

    /** What was taken by an open file. */
    List<HeldLock> by(OpenFile file) {
        return select(h -> h.by == file);
    }

    private List<HeldLock> select(Predicate<Held> condition) {
        lock.lock();
        try {
            return held.stream().filter(condition).map(Held::lock).toList();
        } finally {
            lock.unlock();
        }
    }

    private static boolean sameOwner(HeldLock a, HeldLock b) {
        return a.ino() == b.ino() && a.owner() == b.owner() && a.flags() == b.flags();
    }

    private static HeldLock withRange(HeldLock l, long start, long end) {
        return new HeldLock(l.ino(), l.owner(), start, end, l.type(), l.flags(), l.pid());
    }
}
