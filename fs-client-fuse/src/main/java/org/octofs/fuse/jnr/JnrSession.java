package org.octofs.fuse.jnr;

import java.util.concurrent.atomic.AtomicInteger;
import org.octofs.fuse.fuse.LinuxErrno;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One session of the library and the threads that serve it.
 *
 * <p>Requests are read by {@code threadCount} threads; when the last of them that waits has taken a request, one more is
 * started, so that operations that wait for a server hold up nobody else. Of those added, {@link #SPARE_THREADS} stay, since
 * the kernel wakes waiting threads in turn and a thread per burst would be dear; the rest end when they would be idle.
 * Threading:  counters are atomic; any loop thread may start another.
 * Limits:     {@link #THREAD_COUNT_MAX} threads; more requests than that wait in the kernel.
 */
final class JnrSession {
    static final int THREAD_COUNT_MAX = 128;
    static final int SPARE_THREADS = 16;

    private static final Logger LOG = LoggerFactory.getLogger(JnrSession.class);

    private final LibFuse2 library;
    private final long session;
    private final long channel;
    private final int bufferBytes;
    private final int threadCount;
    private final AtomicInteger idle = new AtomicInteger();
    private final AtomicInteger alive = new AtomicInteger();
    private final AtomicInteger started = new AtomicInteger();
    private final Object allEnded = new Object();

    JnrSession(LibFuse2 library, long session, long channel, int threadCount) {
        this.library = library;
        this.session = session;
        this.channel = channel;
        this.bufferBytes = library.bufferBytes(channel);
        this.threadCount = threadCount;
    }

    LibFuse2 library() {
        return library;
    }

    long session() {
        return session;
    }

    long channel() {
        return channel;
    }

    /** What a request and its data fit into. */
    int bufferBytes() {
        return bufferBytes;
    }

    /** Serves until the session ends. */
    void run() throws InterruptedException {
        for (int i = 0; i < threadCount; i++) {
            startThread();
        }
        synchronized (allEnded) {
            while (alive.get() > 0) {
                allEnded.wait();
            }
        }
    }

    private void startThread() {
        alive.incrementAndGet();
        new LoopThread(this, "fuse-" + started.incrementAndGet()).start();
    }

    /** Called by a thread that would wait for a request; false if enough others do. */
    boolean mayWait() {
        if (idle.incrementAndGet() <= threadCount + SPARE_THREADS) {
            return true;
        }
        idle.decrementAndGet();
        return false;
    }

    /** Called by a thread that has got a request, before it serves it. */
    void taken() {
        if (idle.decrementAndGet() == 0 && alive.get() < THREAD_COUNT_MAX) {
            startThread();
        }
    }

    /** Called by a thread that waited and got none. */
    void stoppedWaiting() {
        idle.decrementAndGet();
    }

    /** Whether a thread reads again after {@code receive} answered this, which is not a length. */
    boolean goesOnAfter(int answer) {
        if (answer == -LinuxErrno.EINTR || answer == -LinuxErrno.EAGAIN) {
            return true;
        }
        if (answer != 0) {
            LOG.error("reading from /dev/fuse failed with errno {}; the mount ends", -answer);
            library.exitSession(session);
        }
        return false;
    }

    void ended(LoopThread thread) {
        LOG.debug("{} ends", thread.getName());
        if (alive.decrementAndGet() == 0) {
            synchronized (allEnded) {
                allEnded.notifyAll();
            }
        }
    }
}
