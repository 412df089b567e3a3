package org.octofs.tests.simulation.world;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;

/**
 * A process of the simulated cluster: threads that end together. A killed process simply never runs again, wherever its
 * threads are; a paused one runs later.
 */
public final class SimProcess {
    private final SimWorld world;
    private final String name;
    private final List<Runnable> deathActions = new ArrayList<>();
    final List<SimThread> held = new ArrayList<>();
    private boolean dead;
    private boolean paused;
    private int threadCount;

    SimProcess(SimWorld world, String name) {
        this.world = world;
        this.name = name;
    }

    /** The world it is in. */
    public SimWorld world() {
        return world;
    }

    /** Unique in a run. */
    public String name() {
        return name;
    }

    /** Starts a thread. */
    public Thread start(String threadName, Runnable task) {
        Thread thread = create(threadName, task);
        thread.start();
        return thread;
    }

    /** For product code that makes its own threads. */
    public ThreadFactory threads() {
        return task -> create("t" + threadCount, task);
    }

    private Thread create(String threadName, Runnable task) {
        threadCount++;
        return new SimThread(world, this, name + "/" + threadName, task).thread();
    }

    /** Adds what happens at the moment of death: its peers must learn of it. */
    public void onDeath(Runnable action) {
        deathActions.add(action);
    }

    /** True after {@link #kill}. */
    public boolean isDead() {
        return dead;
    }

    /** Ends the process between two steps. Idempotent. */
    public void kill() {
        if (!dead) {
            dead = true;
            world.note("dies " + name);
            held.clear();
            List<Runnable> actions = List.copyOf(deathActions);
            deathActions.clear();
            actions.forEach(Runnable::run);
        }
    }

    /** Ends the process in the middle of what its own thread, the caller, is doing. Never returns. */
    public Error dieHere() {
        kill();
        while (true) {
            LockSupport.park(); // nobody will ever run this thread again
        }
    }

    /** Stops running its threads for a while, as SIGSTOP or a long collection does. */
    public void pause(long nanos) {
        if (!paused && !dead) {
            paused = true;
            world.note("pauses " + name);
            world.after(nanos, () -> {
                paused = false;
                world.note("continues " + name);
                held.forEach(world::ready);
                held.clear();
            });
        }
    }

    boolean isPaused() {
        return paused;
    }
}
