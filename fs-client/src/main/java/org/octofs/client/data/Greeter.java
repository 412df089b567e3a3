package org.octofs.client.data;

import java.util.Arrays;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.ReentrantLock;
import org.octofs.client.client.FsException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Talks to nodes that there is a new connection to, so that they hear what this client holds even if nobody here needs them. Each
 * in a thread of its own that ends with it: a node that goes away again keeps it for as long as a call may take, and neither other
 * nodes nor other work should wait for that.
 *
 * <p>Threading: {@link #greet} from any thread. The lock is a leaf. At most one thread per node.
 */
final class Greeter {
    private static final Logger LOG = LoggerFactory.getLogger(Greeter.class);

    /** What greeting one node means. */
    @FunctionalInterface
    interface Greeting {
        void greet(int nodeId) throws FsException;
    }

    private final Greeting greeting;
    private final ThreadFactory threads;
    private final ReentrantLock lock = new ReentrantLock();
    private final Thread[] running;
    private final boolean[] wanted;
    private boolean stopped;

    Greeter(Greeting greeting, ThreadFactory threads, int nodeCount) {
        this.greeting = greeting;
        this.threads = threads;
        this.running = new Thread[nodeCount];
        this.wanted = new boolean[nodeCount];
    }

    /** There is a new connection to a node. Does not wait. */
    void greet(int nodeId) {
        Thread thread = null;
        lock.lock();
        try {
            wanted[nodeId] = true;
            if (running[nodeId] == null && !stopped) {
                thread = threads.newThread(() -> run(nodeId));
                running[nodeId] = thread;
            }
        } finally {
            lock.unlock();
        }
        if (thread != null) {
            thread.start();
        }
    }

    /** Begins nothing any more; what is under way ends with the connections. */
    void stop() {
        lock.lock();
        try {
            stopped = true;
            for (Thread thread : running) {
                if (thread != null) {
                    thread.interrupt();
                }
            }
            Arrays.fill(wanted, false);
        } finally {
            lock.unlock();
        }
    }

    private void run(int nodeId) {
        while (takes(nodeId)) {
            try {
                greeting.greet(nodeId);
            } catch (FsException e) {
                LOG.debug("node {} was not told what this client holds: {}", nodeId, e.getMessage());
            } catch (RuntimeException e) {
                LOG.error("telling node {} what this client holds failed", nodeId, e);
            }
        }
    }

    private boolean takes(int nodeId) {
        lock.lock();
        try {
            boolean more = wanted[nodeId] && !stopped;
            wanted[nodeId] = false;
            if (!more) {
                running[nodeId] = null;
            }
            return more;
        } finally {
            lock.unlock();
        }
    }
}
