package org.octofs.tests.simulation.world;

import java.util.concurrent.Executor;

/** A thread of a simulated process. It is its own scheduler: what it is asked to go on with, it hands to the world. */
final class SimThread implements Executor {
    private static final long MONITOR_NANOS = 10_000_000_000L;

    private final SimWorld world;
    private final SimProcess process;
    private final Thread thread;
    private volatile Runnable continuation;

    SimThread(SimWorld world, SimProcess process, String name, Runnable task) {
        this.world = world;
        this.process = process;
        this.thread = VirtualThreads.create(this, name, () -> {
            try {
                task.run();
            } catch (Throwable e) {
                world.fail("thread " + Thread.currentThread().getName() + " failed", e);
            }
        });
    }

    Thread thread() {
        return thread;
    }

    SimProcess process() {
        return process;
    }

    @Override
    public void execute(Runnable next) {
        boolean isAwaited = VirtualThreads.isUnblocked(thread);
        continuation = next;
        if (isAwaited) {
            return; // run() waits for it, and goes on at once
        }
        if (world.isOurs(Thread.currentThread())) {
            world.ready(this);
        } else {
            world.readyFromOutside(this);
        }
    }

    /** Runs to the next wait. */
    void run() {
        goOn();
        // Inside of the JDK one of its own threads (that of cleaners, say) may hold a monitor for a moment. That is
        // waited for in real
        // time, here, and leaves no trace in the simulation.
        long start = System.nanoTime();
        while (VirtualThreads.isBlocked(thread) || VirtualThreads.isUnblocked(thread)) {
            if (VirtualThreads.isUnblocked(thread) && continuation != null) {
                goOn();
            } else if (System.nanoTime() - start > MONITOR_NANOS) {
                IllegalStateException e = new IllegalStateException(
                        thread.getName() + " blocks on a monitor: somebody waits while holding one");
                e.setStackTrace(thread.getStackTrace());
                throw e;
            }
            Thread.onSpinWait();
        }
    }

    private void goOn() {
        Runnable next = continuation;
        continuation = null;
        next.run();
    }
}
