package org.octofs.fuse.jnr;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;
import org.octofs.fuse.fuse.LinuxErrno;

/**
 * Lock requests that have to wait, for others or for the kernel to drop pages, each on a thread of its own, so that they use up no loop thread
 * (the unlock has to get in).
 * A signal to the caller ends the wait: the library calls {@link #interrupt}, which interrupts the thread.
 *
 * <p>Limits: {@link #WAITER_COUNT_MAX}; what would wait for others is then refused with ENOLCK.
 */
final class LockWaiters {
    static final int WAITER_COUNT_MAX = 4096;

    private final LibFuse2 library;
    private final long interruptFunction;
    private final AtomicLong lastId = new AtomicLong();
    private final ConcurrentHashMap<Long, Thread> waiting = new ConcurrentHashMap<>();

    LockWaiters(LibFuse2 library, Arena arena) {
        this.library = library;
        try {
            interruptFunction = Linker.nativeLinker()
                    .upcallStub(
                            MethodHandles.lookup()
                                    .bind(this, "interrupt", MethodType.methodType(void.class, long.class, long.class)),
                            FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG),
                            arena)
                    .address();
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("own method is missing", e);
        }
    }

    /** Whether one more may wait for others. */
    boolean mayWait() {
        return waiting.size() < WAITER_COUNT_MAX;
    }

    /** Goes on with a request on another thread, which answers it. */
    void start(SessionContext context, long inode, IntSupplier call) {
        long id = lastId.incrementAndGet();
        Thread thread = Thread.ofPlatform()
                .daemon()
                .name("fuse-lock-" + id)
                .unstarted(() -> waitAndReply(id, context.request, inode, call));
        waiting.put(id, thread);
        // If the signal has come already, this calls back at once; a thread not yet started keeps its interrupt.
        library.requestInterruptFunction(context.request, interruptFunction, id);
        thread.start();
    }

    private void waitAndReply(long id, long request, long inode, IntSupplier call) {
        int status;
        try {
            status = call.getAsInt();
        } catch (Throwable e) {
            status = Requests.failed("lock", inode, e);
        }
        waiting.remove(id);
        library.replyError(request, status < 0 ? -status : 0);
    }

    /** Called by the library on a loop thread, with the request locked; must not call the library. */
    @SuppressWarnings("unused") // by name, as an upcall
    void interrupt(long request, long id) {
        Thread thread = waiting.get(id);
        if (thread != null) {
            thread.interrupt();
        }
    }

    /** Ends all waits and waits for their threads: afterwards no request is in their hands. */
    void stop() throws InterruptedException {
        for (Thread thread : waiting.values()) {
            thread.interrupt();
            thread.join(java.time.Duration.ofSeconds(10));
        }
        if (!waiting.isEmpty()) {
            throw new IllegalStateException(
                    waiting.size() + " lock requests did not end, errno " + LinuxErrno.EINTR + " was expected");
        }
    }
}
