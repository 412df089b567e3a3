package org.octofs.client.data;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.octofs.client.client.ClientConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that commits what has been waiting for long and tells homes of closes. Sleeps while there is none of it.
 *
 * <p>Threading: own thread; {@link #dirty} and {@link #closed} from any, allocating nothing in steady state. The queue's
 * lock is a leaf.
 */
final class BackgroundWorker {
    private static final Logger LOG = LoggerFactory.getLogger(BackgroundWorker.class);
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long STOP_MILLIS = 5_000;
    private static final int CLOSES_PER_MESSAGE = 64;

    private final FileData data;
    private final long commitAfterNanos;
    private final long closeDelayNanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<FileState> dirty = new ArrayDeque<>();
    private final ArrayDeque<FileState> closed = new ArrayDeque<>();
    private final Thread thread;
    private long closesDueNanos;
    private long dirtyDueNanos;
    private boolean stopped;

    BackgroundWorker(FileData data, ClientConfig config) {
        this.data = data;
        this.commitAfterNanos = config.commitAfter().toNanos();
        this.closeDelayNanos = config.closeDelay().toNanos();
        this.thread = config.threads().newThread(this::run);
    }

    void start() {
        thread.start();
    }

    /** A file has uncommitted writes. */
    void dirty(FileState file) {
        lock.lock();
        try {
            if (!file.queued) {
                file.queued = true;
                if (dirty.isEmpty()) {
                    dirtyDueNanos = data.nanoTime() + commitAfterNanos;
                    LockSupport.unpark(thread);
                }
                dirty.add(file);
            }
        } finally {
            lock.unlock();
        }
    }

    /** A file has lost its last handle and is registered at its home. */
    void closed(FileState file) {
        lock.lock();
        try {
            if (closed.isEmpty()) {
                closesDueNanos = data.nanoTime() + closeDelayNanos;
                LockSupport.unpark(thread);
            } else if (closed.size() >= CLOSES_PER_MESSAGE) {
                closesDueNanos = data.nanoTime();
                LockSupport.unpark(thread);
            }
            closed.add(file);
        } finally {
            lock.unlock();
        }
    }

    /** Ends the thread, which does nothing more after this. */
    void stop() {
        lock.lock();
        try {
            stopped = true;
            LockSupport.unpark(thread);
        } finally {
            lock.unlock();
        }
        try {
            thread.join(STOP_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        List<FileState> toClose = new ArrayList<>();
        while (true) {
            FileState toCommit;
            lock.lock();
            try {
                toCommit = awaitWork(toClose);
                if (stopped) {
                    return;
                }
            } catch (InterruptedException e) {
                LOG.debug("background worker interrupted");
                return;
            } finally {
                lock.unlock();
            }
            try {
                doWork(toCommit, toClose);
            } catch (RuntimeException e) {
                LOG.error("background work failed", e);
            }
            toClose.clear();
        }
    }

    /** A file to look at, or null, and the closes that are due. */
    private FileState awaitWork(List<FileState> toClose) throws InterruptedException {
        while (!stopped) {
            long now = data.nanoTime();
            boolean closesDue = !closed.isEmpty() && closesDueNanos - now <= 0;
            boolean dirtyDue = !dirty.isEmpty() && dirtyDueNanos - now <= 0;
            if (closesDue) {
                toClose.addAll(closed);
                closed.clear();
            }
            if (dirtyDue) {
                FileState file = dirty.poll();
                file.queued = false;
                return file;
            }
            if (closesDue) {
                return null;
            }
            long due = Long.MAX_VALUE;
            if (!closed.isEmpty()) {
                due = closesDueNanos - now;
            }
            if (!dirty.isEmpty()) {
                due = Math.min(due, dirtyDueNanos - now);
            }
            rest(due);
        }
        return null;
    }

    /**
     * Gives the lock up until there is news or the time is over. Parks rather than waits for a condition, because a condition
     * measures time by the machine's clock and not by the client's. News that comes in between leaves a permit.
     */
    private void rest(long nanos) throws InterruptedException {
        lock.unlock();
        try {
            if (nanos == Long.MAX_VALUE) {
                LockSupport.park(this);
            } else {
                LockSupport.parkNanos(this, nanos);
            }
        } finally {
            lock.lock();
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    private void doWork(FileState toCommit, List<FileState> toClose) {
        if (!toClose.isEmpty()) {
            data.sendCloses(toClose);
        }
        if (toCommit == null || !toCommit.dirty) {
            return;
        }
        long age = data.nanoTime() - toCommit.dirtySinceNanos;
        if (age >= commitAfterNanos) {
            boolean success = data.commitInBackground(toCommit);
            if (!success) {
                requeue(toCommit, RETRY_NANOS);
            }
        } else {
            requeue(toCommit, commitAfterNanos - age);
        }
    }

    private void requeue(FileState file, long nanos) {
        lock.lock();
        try {
            if (!file.queued) {
                file.queued = true;
                dirty.add(file);
            }
            // The head was queued first and is due first, or is looked at a little late.
            dirtyDueNanos = data.nanoTime() + Math.max(1, Math.min(nanos, commitAfterNanos / 4 + 1));
        } finally {
            lock.unlock();
        }
    }
}
