package org.octofs.tests.simulation.world;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Virtual threads with a scheduler and a timer of our own. The JDK has both inside but gives no public access, so this opens
 * {@code java.lang} by reflection (the build and {@code tests/simulate} pass the flag). Blocking code runs as it is: whoever
 * parks goes back to the simulation's scheduler.
 */
final class VirtualThreads {
    private static final Method NEW_THREAD;
    private static final VarHandle STATE;
    private static final int BLOCKED;
    private static final int UNBLOCKED;
    private static final ScheduledExecutorService[] TIMERS;

    static {
        // Frozen threads of dead processes must be collectable; by default the JDK keeps a set of all threads.
        System.setProperty("jdk.trackAllThreads", "false");
        try {
            NEW_THREAD = Class.forName("java.lang.ThreadBuilders")
                    .getDeclaredMethod("newVirtualThread", Executor.class, String.class, int.class, Runnable.class);
            NEW_THREAD.setAccessible(true);
            Class<?> type = Class.forName("java.lang.VirtualThread");
            STATE = MethodHandles.privateLookupIn(type, MethodHandles.lookup()).findVarHandle(type, "state", int.class);
            BLOCKED = constant(type, "BLOCKED");
            UNBLOCKED = constant(type, "UNBLOCKED");
            Field timers = Class.forName("java.lang.VirtualThread$DelayedTaskSchedulers")
                    .getDeclaredField("INSTANCE");
            timers.setAccessible(true);
            TIMERS = (ScheduledExecutorService[]) timers.get(null);
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw new IllegalStateException(
                    "the simulation needs JDK 25 and --add-opens=java.base/java.lang=ALL-UNNAMED", e);
        }
    }

    private VirtualThreads() {}

    /** From now on virtual threads ask these classes for their timers: there may be other copies of them in the process. */
    static void takeOver() {
        if (!(TIMERS[0] instanceof Timers)) {
            Arrays.fill(TIMERS, new Timers());
        }
    }

    private static int constant(Class<?> type, String name) throws ReflectiveOperationException {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field.getInt(null);
    }

    /** Waits for a monitor that somebody has. */
    static boolean isBlocked(Thread thread) {
        return (int) STATE.getVolatile(thread) == BLOCKED;
    }

    /** Has been told that the monitor is free, and has not gone on yet. */
    static boolean isUnblocked(Thread thread) {
        return (int) STATE.getVolatile(thread) == UNBLOCKED;
    }

    static Thread create(Executor scheduler, String name, Runnable task) {
        try {
            return (Thread) NEW_THREAD.invoke(null, scheduler, name, 0, task);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException("cannot make a thread of the simulation", e);
        }
    }

    /** What virtual threads with an own scheduler ask to be woken by; only simulations have such threads. */
    private static final class Timers extends ScheduledThreadPoolExecutor {
        Timers() {
            super(0);
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
            return SimWorld.current().parkedUntil(command, unit.toNanos(delay));
        }

        @Override
        public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
            throw new UnsupportedOperationException();
        }
    }
}
