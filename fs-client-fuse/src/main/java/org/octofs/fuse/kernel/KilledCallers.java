package org.octofs.fuse.kernel;

import java.lang.foreign.Arena;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.octofs.fuse.fuse.LinuxErrno;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets killed processes go: who waits for a server that is away is answered -EINTR as soon as it is being killed, so that it
 * ends at once and not at the deadline of the call. What it asked for goes on, and may yet happen; an open file that comes of
 * it is closed again.
 *
 * <p>The kernel itself waits for the answer to whatever it has handed out, killed or not (fs/fuse/dev.c,
 * request_wait_answer).
 *
 * <p>Threading: a thread of its own. Cost: it looks at the loops twice a second, and at a process only if a request
 * has been there at two looks in a row.
 */
final class KilledCallers implements Runnable {
    private static final long LOOK_NANOS = 500_000_000;
    private static final Logger LOG = LoggerFactory.getLogger(KilledCallers.class);

    private final InFlight inFlight;
    private Map<Request, Long> before = new HashMap<>();
    private volatile boolean ending;
    private volatile Thread thread;

    KilledCallers(InFlight inFlight) {
        this.inFlight = inFlight;
    }

    @Override
    public void run() {
        thread = Thread.currentThread();
        try (Arena arena = Arena.ofConfined()) {
            LinuxCalls.CallState state = new LinuxCalls.CallState(arena);
            Answer answer = new Answer(arena.allocate(KernelLayouts.OutHeader.SIZE_BYTES));
            while (!ending) {
                look(answer, state);
                LockSupport.parkNanos(this, LOOK_NANOS);
            }
        }
    }

    /** Before the device is closed. */
    void end() {
        ending = true;
        LockSupport.unpark(thread);
    }

    private void look(Answer answer, LinuxCalls.CallState state) {
        Map<Request, Long> now = new HashMap<>();
        for (InFlight.Loop loop : inFlight.loops()) {
            Request request = loop.request();
            long unique = request.unique();
            if (unique == Request.NONE) {
                continue;
            }
            now.put(request, unique);
            Long last = before.get(request);
            if (last != null && last == unique && mayBeLetGo(request.opcode()) && CallerFate.isKilled(request.pid)) {
                letGo(loop, unique, answer, state);
            }
        }
        before = now;
    }

    private static void letGo(InFlight.Loop loop, long unique, Answer answer, LinuxCalls.CallState state) {
        int opcode = loop.request().opcode();
        // If this succeeds, the request was the same all the time.
        if (loop.request().takeAnswer(unique)) {
            LOG.debug("operation {} goes on without its caller, which was killed", opcode);
            answer.send(loop.device(), state, unique, -LinuxErrno.EINTR);
        }
    }

    /** Not those that nobody waits for, and not locks: one that comes too late would be held by nobody. */
    private static boolean mayBeLetGo(int opcode) {
        return switch (opcode) {
            case KernelOpcode.FORGET,
                    KernelOpcode.BATCH_FORGET,
                    KernelOpcode.INTERRUPT,
                    KernelOpcode.RELEASE,
                    KernelOpcode.RELEASEDIR,
                    KernelOpcode.SETLK,
                    KernelOpcode.SETLKW,
                    KernelOpcode.INIT,
                    KernelOpcode.DESTROY -> false;
            default -> true;
        };
    }
}
