package org.octofs.fuse.kernel;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The requests being worked on, so that FUSE_INTERRUPT finds the one it means.
 *
 * <p>Threading: any thread. Limits: one request per loop, and the waiting locks.
 */
final class InFlight {
    private final CopyOnWriteArrayList<Request> loops = new CopyOnWriteArrayList<>();
    private final ConcurrentHashMap<Long, LockWait> waits = new ConcurrentHashMap<>();

    void add(Request loop) {
        loops.add(loop);
    }

    void remove(Request loop) {
        loops.remove(loop);
    }

    void add(LockWait wait) {
        waits.put(wait.unique(), wait);
    }

    void remove(LockWait wait) {
        waits.remove(wait.unique());
    }

    /** Wakes all waits, as the mount ends. */
    void interruptAll() {
        waits.values().forEach(LockWait::interrupt);
    }

    /** Tells the request of that name; false if none is known, which may be because its thread has only just read it. */
    boolean interrupt(long unique) {
        LockWait wait = waits.get(unique);
        if (wait != null) {
            wait.interrupt();
            return true;
        }
        for (Request loop : loops) {
            if (loop.unique() == unique) {
                loop.interrupt();
                return true;
            }
        }
        return false;
    }
}
