package org.octofs.fuse.kernel;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.octofs.fuse.fuse.FaultLog;
import org.octofs.fuse.fuse.FuseOperations;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of one mount. A fixed number reads requests, each by a descriptor of its own; while all of them are busy for
 * long, with a server that does not answer say, more are added, so that other requests are still served.
 *
 * <p>Threading: any thread. Limits: {@link #LOOPS_MAX} loops; locks that wait have a virtual thread each.
 */
final class LoopPool {
    /** Also bounds the memory: each loop has about two requests' worth of buffers. */
    static final int LOOPS_MAX = 64;

    /** All loops busy for this long means that they wait for something. */
    private static final long STALL_NANOS = 20_000_000;

    /** One request in {@link #state}; below it is room for the idle ones. */
    private static final long REQUEST = 1 << 16;

    private static final Logger LOG = LoggerFactory.getLogger(LoopPool.class);

    private final FuseDevice device;
    private final FuseOperations operations;
    private final InFlight inFlight = new InFlight();
    private final FaultLog faults = new FaultLog();
    private final ThreadFactory threads;
    private final ThreadFactory waits =
            Thread.ofVirtual().name("fuse-lock-wait-", 0).factory();
    private final int loopsWanted;
    private final KernelSession session;
    private final List<FuseDevice> copies = new ArrayList<>();
    private final Thread stallWatch;
    private final KilledCallers killedCallers;
    private final Thread killWatch;
    /** Requests begun so far, and in the lowest bits how many loops wait for one: one addition per change. */
    private final AtomicLong state = new AtomicLong();

    private volatile int loops;
    private volatile boolean watchSleeps;
    private boolean ending;
    private boolean sharing;

    LoopPool(
            FuseDevice device,
            FuseOperations operations,
            ThreadFactory threads,
            int loopsWanted,
            KernelSession session) {
        this.device = device;
        this.operations = operations;
        this.threads = threads;
        this.loopsWanted = Math.min(loopsWanted, LOOPS_MAX);
        this.session = session;
        this.stallWatch = threads.newThread(this::watchForStalls);
        this.killedCallers = new KilledCallers(inFlight);
        this.killWatch = threads.newThread(killedCallers);
    }

    /** Starts the loops, and answers when the last has ended, which they do once the mount is gone. */
    void run() throws InterruptedException {
        for (int i = 0; i < loopsWanted; i++) {
            start(copyOrShare(i));
        }
        stallWatch.start();
        killWatch.start();
        synchronized (this) {
            while (loops > 0) {
                wait();
            }
            ending = true;
        }
        LockSupport.unpark(stallWatch);
        killedCallers.end();
        stallWatch.join();
        killWatch.join();
        inFlight.interruptAll();
        try (Arena arena = Arena.ofConfined()) {
            LinuxCalls.CallState state = new LinuxCalls.CallState(arena);
            copies.forEach(c -> c.close(state));
        }
    }

    /** Notes that a loop is about to read; false if there are loops enough without it. */
    boolean becomeIdle() {
        if (loops > loopsWanted) {
            synchronized (this) {
                if (loops > loopsWanted && idle(state.get()) >= loopsWanted) {
                    loops--;
                    return false;
                }
            }
        }
        state.incrementAndGet();
        return true;
    }

    void becomeBusy() {
        long now = state.addAndGet(REQUEST - 1);
        if (idle(now) == 0 && watchSleeps) {
            LockSupport.unpark(stallWatch);
        }
    }

    private static int idle(long state) {
        return (int) (state & REQUEST - 1);
    }

    /** A loop that was not told to end by {@link #becomeIdle} has ended. */
    synchronized void ended() {
        loops--;
        notifyAll();
    }

    /** Lets a lock wait on a thread of its own. */
    void waitFor(LockWait wait) {
        inFlight.add(wait);
        waits.newThread(wait).start();
    }

    /** Faults of ours in the requests so far, besides those that the file system itself has recorded. */
    long faultCount() {
        return faults.count();
    }

    /** Locks that are waited for. */
    int waits() {
        return inFlight.waits();
    }

    private FuseDevice copyOrShare(int index) {
        if (index == 0 || sharing) {
            return device;
        }
        try (Arena arena = Arena.ofConfined()) {
            FuseDevice copy = device.copy(new LinuxCalls.CallState(arena));
            copies.add(copy);
            return copy;
        } catch (IOException e) {
            sharing = true;
            LOG.warn("{}; the threads share one descriptor", e.getMessage());
            return device;
        }
    }

    private void start(FuseDevice by) {
        synchronized (this) {
            loops++;
        }
        threads.newThread(new RequestLoop(this, by, operations, inFlight, session, faults))
                .start();
    }

    private void watchForStalls() {
        while (!isEnding()) {
            watchSleeps = true;
            if (!isAllBusy()) {
                LockSupport.park(this);
            }
            watchSleeps = false;
            while (isAllBusy()) {
                long before = state.get();
                pause();
                // Nobody has come for a request since: those who are busy wait for something.
                if (state.get() == before && isAllBusy()) {
                    // It shares the first descriptor: one of its own could not be closed while an answer is due by it.
                    start(device);
                }
            }
        }
    }

    /** In two parts, since somebody who became busy before it may end one of them. */
    private void pause() {
        LockSupport.parkNanos(this, STALL_NANOS / 2);
        LockSupport.parkNanos(this, STALL_NANOS / 2);
    }

    private synchronized boolean isEnding() {
        return ending;
    }

    private synchronized boolean isAllBusy() {
        return idle(state.get()) == 0 && loops > 0 && loops < LOOPS_MAX && !ending;
    }
}
