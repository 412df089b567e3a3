package org.octofs.fuse.kernel;

import java.lang.foreign.Arena;
import org.octofs.fuse.fuse.FaultLog;
import org.octofs.fuse.fuse.FuseOperations;
import org.octofs.fuse.fuse.LinuxErrno;
import org.octofs.fuse.fuse.LockRange;
import org.octofs.fuse.fuse.RequestContext;

/**
 * A request for a lock that may have to wait, for others or for the kernel to drop pages: taken off its loop, so that the loop goes on serving, the unlock that
 * it waits for among the rest.
 *
 * <p>Threading: runs on a thread of its own; {@link #interrupt} from any. Ownership: has copied all it needs from the
 * request. Its answer goes out by the descriptor that the request came in by.
 */
final class LockWait extends RequestContext implements Runnable {
    private static final int LOCK_FLOCK = 1;

    /** What is left to do. */
    enum Rest {
        /** To wait until the lock is free. */
        WAIT,
        /** It is held, perhaps by what is closed already: to wait until that is told. */
        CLOSE,
        /** It is had, and pages are to be dropped before that is answered. */
        PAGES
    }

    private final FuseOperations operations;
    private final InFlight inFlight;
    private final FaultLog faults;
    private final FuseDevice device;
    private final long unique;
    private final long node;
    private final long handle;
    private final long owner;
    private final boolean flock;
    private final Rest rest;
    private final LockRange lock = new LockRange();
    private volatile boolean interrupted;
    private volatile Thread thread;

    LockWait(
            FuseOperations operations,
            InFlight inFlight,
            FaultLog faults,
            FuseDevice device,
            Request request,
            Rest rest) {
        this.rest = rest;
        this.operations = operations;
        this.inFlight = inFlight;
        this.faults = faults;
        this.device = device;
        uid = request.uid;
        gid = request.gid;
        pid = request.pid;
        unique = request.unique();
        node = request.node();
        handle = request.int64(KernelLayouts.LockIn.FH_OFFSET);
        owner = request.int64(KernelLayouts.LockIn.OWNER_OFFSET);
        flock = isFlock(request);
        dropsPages = request.dropsPages;
        read(request, lock);
    }

    static boolean isFlock(Request request) {
        return (request.int32(KernelLayouts.LockIn.FLAGS_OFFSET) & LOCK_FLOCK) != 0;
    }

    static void read(Request request, LockRange into) {
        into.firstByte = request.int64(KernelLayouts.LockIn.START_OFFSET);
        into.lastByte = request.int64(KernelLayouts.LockIn.END_OFFSET);
        into.type = request.int32(KernelLayouts.LockIn.TYPE_OFFSET);
        into.pid = request.int32(KernelLayouts.LockIn.PID_OFFSET);
    }

    long unique() {
        return unique;
    }

    @Override
    public boolean interrupted() {
        return interrupted;
    }

    void interrupt() {
        interrupted = true;
        Thread waiter = thread;
        if (waiter != null) {
            waiter.interrupt();
        }
    }

    private int lock() {
        return switch (rest) {
            case PAGES -> 0;
            case CLOSE -> operations.flockAfterClose(this, node, handle, lock.type);
            case WAIT ->
                flock
                        ? operations.flock(this, node, handle, lock.type, true)
                        : operations.setlk(this, node, handle, owner, lock, true);
        };
    }

    @Override
    public void run() {
        thread = Thread.currentThread();
        int result;
        try {
            // The signal may have come before there was a thread to interrupt.
            if (interrupted) {
                thread.interrupt();
            }
            result = lock();
            if (result == 0 && dropsPages) {
                operations.dropPages(node, handle);
            }
        } catch (RuntimeException | Error e) {
            faults.record("a wait for a lock", node, e);
            result = -LinuxErrno.EIO;
        }
        inFlight.remove(this);
        try (Arena arena = Arena.ofConfined()) {
            Answer answer = new Answer(arena.allocate(KernelLayouts.OutHeader.SIZE_BYTES));
            answer.send(device, new LinuxCalls.CallState(arena), unique, result);
        }
    }
}
