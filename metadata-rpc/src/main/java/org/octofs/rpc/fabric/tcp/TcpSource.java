package org.octofs.rpc.fabric.tcp;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.octofs.rpc.fabric.WorkRequest;
import org.octofs.rpc.fabric.transport.ArrivalQueue;
import org.octofs.rpc.fabric.transport.ProgressSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connecting side's sockets of one receive queue, read by the threads that wait: for an arrival in the queue, or for a
 * request of one of these connections. One of them is the <em>driver</em>, who sleeps in a selector on all the sockets; the
 * others park until they get what they wait for, or the driver's role is free.
 *
 * <p>While threads drive, the source is <em>claimed</em> and the I/O loop leaves its sockets alone; the loop looks now and
 * then, and takes them back when nobody has driven since.
 *
 * <p>Threading: any. Invariant: whoever gives up the role wakes a follower; a follower registers before it looks at the
 * role for the last time.
 */
final class TcpSource implements ProgressSource {
    private static final Logger LOG = LoggerFactory.getLogger(TcpSource.class);
    private static final TcpConnection[] NONE = {};
    private final Consumer<SelectionKey> onKey = TcpSource::ignore;

    private final ArrivalQueue queue;
    private final IoLoop loop;
    private final Selector selector;
    private final AtomicReference<Thread> driver = new AtomicReference<>();
    private volatile TcpConnection[] connections = NONE;
    private volatile Thread[] followers = {};
    private volatile Thread queueWaiter;
    private volatile boolean wakeupRequested;
    private volatile boolean claimed;
    /** Somebody has driven since the I/O loop looked. */
    private volatile boolean driven;

    TcpSource(ArrivalQueue queue, IoLoop loop) throws IOException {
        this.queue = queue;
        this.loop = loop;
        this.selector = Selector.open();
    }

    synchronized void add(TcpConnection connection) {
        try {
            connection.socket().register(selector, SelectionKey.OP_READ);
        } catch (ClosedChannelException e) {
            LOG.debug("the connection ended before it began", e);
            return;
        }
        TcpConnection[] changed = Arrays.copyOf(connections, connections.length + 1);
        changed[connections.length] = connection;
        connections = changed;
        selector.wakeup();
    }

    synchronized void remove(TcpConnection connection) {
        connections = Arrays.stream(connections)
                .filter(other -> !other.equals(connection))
                .toArray(TcpConnection[]::new);
        // The selector lets go of a closed socket only when it runs.
        selector.wakeup();
        if (driver.compareAndSet(null, Thread.currentThread())) {
            try {
                selector.selectNow();
            } catch (IOException | ClosedSelectorException e) {
                LOG.debug("selecting", e);
            } finally {
                giveUpDriving();
            }
        }
    }

    TcpConnection[] connections() {
        return connections;
    }

    boolean isClaimed() {
        return claimed;
    }

    /** Threads of the user read the sockets from now on. */
    void claim() {
        if (!driven) {
            driven = true;
        }
        if (!claimed) {
            claimed = true;
            loop.claimed(this);
        }
    }

    /** By the I/O loop: takes the sockets back if nobody has driven since the last call. True if so. */
    boolean takeBackIfIdle() {
        if (driven || driver.get() != null) {
            driven = false;
            return false;
        }
        claimed = false;
        return true;
    }

    @Override
    public int progress() {
        if (queue.parksInSource()) {
            claim();
        }
        return drainAll();
    }

    private int drainAll() {
        int done = 0;
        for (TcpConnection connection : connections) {
            done += connection.progress();
        }
        return done;
    }

    @Override
    public boolean await(long deadlineNanos) {
        queueWaiter = Thread.currentThread();
        try {
            if (becomeDriver()) {
                try {
                    if (!takeWakeup()) {
                        select(deadlineNanos);
                    }
                } finally {
                    giveUpDriving();
                }
            } else {
                follow(deadlineNanos);
            }
        } finally {
            queueWaiter = null;
            wakeupRequested = false;
            passOn();
        }
        return !Thread.currentThread().isInterrupted();
    }

    private boolean takeWakeup() {
        boolean was = wakeupRequested;
        wakeupRequested = false;
        return was;
    }

    @Override
    public void wakeup() {
        wakeupRequested = true;
        Thread waiter = queueWaiter;
        if (waiter != null) {
            wake(waiter);
        }
    }

    /** Something was taken from a socket by this thread: whoever sleeps in the selector or the queue may be meant. */
    void progressed() {
        Thread self = Thread.currentThread();
        Thread driving = driver.get();
        if (driving != null && driving != self) {
            selector.wakeup();
        }
        Thread waiter = queueWaiter;
        if (waiter != null && waiter != self && waiter != driving) {
            wakeupRequested = true;
            LockSupport.unpark(waiter);
        }
    }

    /** Drives, or follows somebody who does; until the request is done, the role changes, or the deadline has passed. */
    void driveFor(WorkRequest request, long deadlineNanos) {
        if (becomeDriver()) {
            try {
                while (!request.isDone() && loop.nanoTime() - deadlineNanos < 0) {
                    if (drainAll() == 0 && !request.isDone()) {
                        select(deadlineNanos);
                        if (Thread.currentThread().isInterrupted()) {
                            return;
                        }
                    }
                }
            } finally {
                giveUpDriving();
            }
            return;
        }
        addFollower(Thread.currentThread());
        try {
            if (!request.isDone()) {
                follow(deadlineNanos);
            }
        } finally {
            removeFollower(Thread.currentThread());
            passOn();
        }
    }

    private boolean becomeDriver() {
        claim();
        return driver.get() == null && driver.compareAndSet(null, Thread.currentThread());
    }

    private void follow(long deadlineNanos) {
        if (driver.get() != null && !wakeupRequestedForMe()) {
            LockSupport.parkNanos(this, Math.max(0, deadlineNanos - loop.nanoTime()));
        }
    }

    private boolean wakeupRequestedForMe() {
        return wakeupRequested && Thread.currentThread() == queueWaiter;
    }

    private void select(long deadlineNanos) {
        long left = deadlineNanos - loop.nanoTime();
        try {
            if (left > 0) {
                selector.select(onKey, left / 1_000_000 + 1);
            }
        } catch (IOException e) {
            LOG.error("waiting for sockets failed", e);
        } catch (ClosedSelectorException e) {
            // The last connection has gone, and this source with it, before this thread got to sleep. Its queue looks
            // for others.
            LOG.debug("nothing to wait for any more", e);
        }
        claim();
    }

    private static void ignore(SelectionKey key) {
        // Which socket it was is found out by reading them all; there are few.
    }

    private void giveUpDriving() {
        driver.set(null);
        passOn();
    }

    /** If nobody drives, somebody who waits has to; whoever was woken for that and has no need to any more calls this. */
    private void passOn() {
        if (driver.get() != null) {
            return;
        }
        Thread[] waiting = followers;
        if (waiting.length > 0) {
            LockSupport.unpark(waiting[0]);
        } else {
            Thread waiter = queueWaiter;
            if (waiter != null) {
                LockSupport.unpark(waiter);
            }
        }
    }

    private void wake(Thread thread) {
        if (driver.get() == thread) {
            selector.wakeup();
        }
        LockSupport.unpark(thread);
    }

    private synchronized void addFollower(Thread thread) {
        Thread[] changed = Arrays.copyOf(followers, followers.length + 1);
        changed[followers.length] = thread;
        followers = changed;
    }

    private synchronized void removeFollower(Thread thread) {
        Thread[] old = followers;
        for (int i = 0; i < old.length; i++) {
            if (old[i] == thread) {
                Thread[] changed = Arrays.copyOf(old, old.length - 1);
                System.arraycopy(old, i + 1, changed, i, old.length - i - 1);
                followers = changed;
                return;
            }
        }
    }

    void close() {
        try {
            selector.close();
        } catch (IOException e) {
            LOG.debug("closing a selector", e);
        }
    }
}
