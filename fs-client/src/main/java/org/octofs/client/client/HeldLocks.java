package org.octofs.client.client;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.octofs.client.link.ReclaimSource.HeldLock;

/**
 * The locks that this client holds, to tell them to a home that was restarted and to know what a close has to drop.
 * Thread-safe.
 */
final class HeldLocks {
    private final ReentrantLock lock = new ReentrantLock();
    private final List<HeldLock> held = new ArrayList<>();

    /** Follows a lock or unlock that the home has granted: what it covers of the same owner's locks is replaced. */
    void apply(HeldLock change) {
        lock.lock();
        try {
            List<HeldLock> rests = new ArrayList<>();
            for (Iterator<HeldLock> all = held.iterator(); all.hasNext(); ) {
                HeldLock old = all.next();
                if (sameOwner(old, change) && old.start() <= change.end() && change.start() <= old.end()) {
                    all.remove();
                    if (old.start() < change.start()) {
                        rests.add(withRange(old, old.start(), change.start() - 1));
                    }
                    if (old.end() > change.end()) {
                        rests.add(withRange(old, change.end() + 1, old.end()));
                    }
                }
            }
            held.addAll(rests);
            if (change.type() != LockSpec.TYPE_UNLOCK) {
                held.add(change);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Whether an owner holds any lock of a kind on an inode. */
    boolean holds(long ino, long owner, int flags) {
        lock.lock();
        try {
            return held.stream().anyMatch(l -> l.ino() == ino && l.owner() == owner && l.flags() == flags);
        } finally {
            lock.unlock();
        }
    }

    /** Whether others than an owner hold a lock of a kind on an inode. */
    boolean othersHold(long ino, long owner, int flags) {
        lock.lock();
        try {
            return held.stream().anyMatch(l -> l.ino() == ino && l.owner() != owner && l.flags() == flags);
        } finally {
            lock.unlock();
        }
    }

    /** All, at the moment. */
    List<HeldLock> all() {
        lock.lock();
        try {
            return List.copyOf(held);
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
