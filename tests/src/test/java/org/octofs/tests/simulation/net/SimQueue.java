package org.octofs.tests.simulation.net;

import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.octofs.rpc.fabric.ReceiveQueue;
import org.octofs.tests.simulation.world.SimWorld;

/** Arrivals and events of the simulation in one order. Checks that one thread at a time uses it. */
final class SimQueue implements ReceiveQueue {
    private final SimWorld world;
    private final int limit;
    private final ArrayDeque<Runnable> entries = new ArrayDeque<>();
    private final Set<SimConnection> attached = new LinkedHashSet<>();
    private Thread user;
    private Thread sleeper;
    private boolean wakeupRequested;
    private boolean closed;

    SimQueue(SimWorld world, int limit) {
        this.world = world;
        this.limit = limit;
    }

    void attach(SimConnection connection) {
        attached.add(connection);
    }

    void detach(SimConnection connection) {
        attached.remove(connection);
    }

    boolean isClosed() {
        return closed;
    }

    boolean isFull() {
        return entries.size() >= limit;
    }

    /** Runs something in a later poll. */
    void add(Runnable entry) {
        if (!closed) {
            entries.add(entry);
            wake();
        }
    }

    private void wake() {
        if (sleeper != null) {
            LockSupport.unpark(sleeper);
        }
    }

    private void enter() {
        Thread self = Thread.currentThread();
        if (user != null && user != self) {
            throw new IllegalStateException("the receive queue is used by " + user + " and by " + self);
        }
        user = self;
    }

    @Override
    public int poll(int most) {
        enter();
        try {
            int done = 0;
            while (done < most && !closed && !entries.isEmpty()) {
                entries.poll().run();
                done++;
            }
            return done;
        } finally {
            user = null;
        }
    }

    @Override
    public boolean await(long deadlineNanos) {
        enter();
        boolean interrupted = false;
        sleeper = Thread.currentThread();
        try {
            while (!closed) {
                if (!entries.isEmpty()) {
                    return true;
                }
                if (wakeupRequested) {
                    wakeupRequested = false;
                    return true;
                }
                long left = deadlineNanos - world.nanoTime();
                if (left <= 0) {
                    return false;
                }
                LockSupport.parkNanos(this, left);
                interrupted |= Thread.interrupted();
            }
            return false;
        } finally {
            sleeper = null;
            user = null;
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void wakeup() {
        wakeupRequested = true;
        wake();
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            List.copyOf(attached).forEach(SimConnection::close);
            entries.clear();
            wake();
        }
    }
}
