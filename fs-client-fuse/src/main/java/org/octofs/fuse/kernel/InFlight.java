package org.octofs.fuse.kernel;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The requests being worked on, so that FUSE_INTERRUPT finds the one it means.
 *
 * <p>Threading: any thread. Limits: one request per loop, and the waiting locks.
 */
final class InFlight {
    /** A thread's request, and the descriptor that it came in by, which takes its answer. */
    record Loop(Request request, FuseDevice device) {}

    private final CopyOnWriteArrayList<Loop> loops = new CopyOnWriteArrayList<>();
    private final ConcurrentHashMap<Long, LockWait> waits = new ConcurrentHashMap<>();

    void add(Loop loop) {
        loops.add(loop);
    }

    void remove(Loop loop) {
        loops.remove(loop);
    }

    Iterable<Loop> loops() {
        return loops;
    }

    void add(LockWait wait) {
        waits.put(wait.unique(), wait);
    }

    void remove(LockWait wait) {
        waits.remove(wait.unique());
    }

    int waits() {
        return waits.size();
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
        for (Loop loop : loops) {
            if (loop.request.unique() == unique) {
                loop.request.interrupt();
                return true;
            }
        }
        return false;
    }
}
