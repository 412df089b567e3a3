package org.octofs.tests.simulation.world;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/**
 * Runs the threads of all simulated processes in the thread that calls {@link #step}, one at a time, from one wait to the next.
 * A seed chooses who is next. The clock moves a little with each step and each look at it, and to the next timer when nobody
 * can go on; so the same seed gives the same run.
 *
 * <p>What product code may do: park, with or without a time; use locks. What it may not: wait on monitors, or wait while holding
 * one (the JDK wakes such threads from a thread of its own); measure time by {@code System.nanoTime}.
 *
 * <p>A timed wait inside {@code java.util.concurrent} never times out here, since it measures time by the machine's clock. Locks are
 * given back by a deadline of their holder.
 */
public final class SimWorld {
    private static final ThreadLocal<SimWorld> CURRENT = new ThreadLocal<>();
    private static final long STEP_NANOS_MAX = 1_000;
    private static final long LOOK_NANOS = 5;

    private final RandomGenerator random;
    private final Trace trace;
    private final List<SimThread> ready = new ArrayList<>();
    private final PriorityQueue<SimTimer> timers = new PriorityQueue<>();
    private final ConcurrentLinkedQueue<SimThread> fromOutside = new ConcurrentLinkedQueue<>();
    private final Thread loop = Thread.currentThread();
    private long nowNanos = 1_000_000_000L;
    private long timerCount;
    private long steps;
    private SimThread running;
    private AssertionError failure;

    /** An empty world. */
    public SimWorld(long seed, Trace trace) {
        this.random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        this.trace = trace;
        VirtualThreads.takeOver();
        PoolMemory.tidy();
    }

    static SimWorld current() {
        return CURRENT.get();
    }

    /** A new process without threads. */
    public SimProcess process(String name) {
        return new SimProcess(this, name);
    }

    /** Source of all chance in this world. */
    public RandomGenerator random() {
        return random;
    }

    /** True once in {@code n} times. */
    public boolean oneIn(int n) {
        return random.nextInt(n) == 0;
    }

    /** The clock of everybody. Looking takes time, so that loops that look end. */
    public long nanoTime() {
        nowNanos += LOOK_NANOS;
        return nowNanos;
    }

    /** The clock, without consequences. */
    public long now() {
        return nowNanos;
    }

    /** Steps made so far. */
    public long steps() {
        return steps;
    }

    /** Writes a line of the trace. */
    public void note(String line) {
        trace.add(nowNanos, line);
    }

    /** Has something happen later, outside of all threads. */
    public void after(long nanos, Runnable action) {
        at(nowNanos + nanos, action);
    }

    /** Has something happen at a moment, outside of all threads. */
    public void at(long whenNanos, Runnable action) {
        timers.add(new SimTimer(whenNanos, timerCount++, action));
    }

    /** The thread that is running goes to sleep for a time. */
    ScheduledFuture<?> parkedUntil(Runnable wake, long nanos) {
        Object blocker = LockSupport.getBlocker(running.thread());
        boolean byOtherClock = blocker != null && blocker.getClass().getName().startsWith("java.util.concurrent.");
        SimTimer timer = new SimTimer(nowNanos + nanos, timerCount++, wake);
        if (!byOtherClock) {
            timers.add(timer);
        }
        return timer;
    }

    boolean isOurs(Thread thread) {
        return thread.isVirtual() || thread == loop;
    }

    /** Some thread of the JDK had a lock that one of ours waited for. Rare, and the one thing that no seed determines. */
    void readyFromOutside(SimThread thread) {
        fromOutside.add(thread);
    }

    void ready(SimThread thread) {
        SimProcess process = thread.process();
        if (process.isDead()) {
            return;
        }
        if (process.isPaused()) {
            process.held.add(thread);
        } else {
            ready.add(thread);
        }
    }

    /** Ends the run as a failure; the first one counts. */
    public void fail(String what, Throwable cause) {
        note("FAILURE " + what);
        if (failure == null) {
            failure = new AssertionError(what, cause);
        }
    }

    /** Lets one thread run to its next wait, or the clock go on. Throws the first failure of any thread. */
    public void step() {
        CURRENT.set(this);
        steps++;
        for (SimThread thread = fromOutside.poll(); thread != null; thread = fromOutside.poll()) {
            ready(thread);
        }
        runTimers(nowNanos);
        SimThread next = choose();
        if (next == null) {
            SimTimer timer = timers.peek();
            if (timer == null) {
                throw new AssertionError("everybody waits, and nothing will ever happen");
            }
            nowNanos = Math.max(nowNanos, timer.atNanos);
            runTimers(nowNanos);
        } else {
            nowNanos += random.nextLong(STEP_NANOS_MAX);
            trace.step(nowNanos, next.thread().getName());
            running = next;
            next.run();
            running = null;
        }
        if (failure != null) {
            throw failure;
        }
    }

    private SimThread choose() {
        while (!ready.isEmpty()) {
            int last = ready.size() - 1;
            int index = random.nextInt(ready.size());
            SimThread chosen = ready.get(index);
            ready.set(index, ready.get(last));
            ready.remove(last);
            if (chosen.process().isPaused()) {
                chosen.process().held.add(chosen);
            } else if (!chosen.process().isDead()) {
                return chosen;
            }
        }
        return null;
    }

    private void runTimers(long untilNanos) {
        while (!timers.isEmpty() && timers.peek().atNanos <= untilNanos) {
            timers.poll().run();
        }
    }
}
