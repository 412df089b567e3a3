package org.octofs.rpc.fabric;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/** A worker that does nothing but poll one queue, as a server's does. Closing it ends the thread, not the queue. */
public final class QueueThread implements AutoCloseable {
    /** Name of the threads. */
    public static final String NAME = "test-queue";

    private static final int POLL_LIMIT = 64;
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final ReceiveQueue queue;
    private final Thread thread;
    private volatile boolean stopped;

    /** Starts polling. */
    public QueueThread(ReceiveQueue queue) {
        this.queue = queue;
        thread = Thread.ofPlatform().daemon().name(NAME).start(this::run);
    }

    private void run() {
        while (!stopped) {
            if (queue.await(System.nanoTime() + WAIT_NANOS)) {
                queue.poll(POLL_LIMIT);
            }
        }
    }

    /** The polling thread. */
    public Thread thread() {
        return thread;
    }

    @Override
    public void close() {
        stopped = true;
        queue.wakeup();
        try {
            if (!thread.join(Duration.ofSeconds(10))) {
                throw new AssertionError(
                        "the thread that polls a queue does not end: " + Arrays.toString(thread.getStackTrace()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
