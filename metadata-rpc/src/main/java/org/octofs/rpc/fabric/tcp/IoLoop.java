package org.octofs.rpc.fabric.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.octofs.rpc.fabric.FabricConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The I/O thread of a fabric's tcp transport: executes what peers ask for, brings arrivals to the receive queues, and
 * writes on where a socket was full. Spins for the configured time after it has been busy, then sleeps in the selector.
 *
 * <p>Threading: {@link #execute} and what is built on it from any thread; the rest is confined to the loop. It wakes up a few
 * times in {@link FabricConfig#peerTimeoutNanos} to see whether peers that owe an answer are alive, and every few
 * milliseconds while waiting threads drive sockets, to take those back.
 */
final class IoLoop implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(IoLoop.class);
    private static final long CLAIM_CHECK_MILLIS_MIN = 4;
    private static final long CLAIM_CHECK_MILLIS_MAX = 256;
    private static final long STALL_RETRY_MILLIS = 1;
    private static final long LINGER_NANOS = 2_000_000_000L;
    private static final long JOIN_MILLIS = 10_000;
    private static final int DISCARD_BYTES = 64 << 10;

    private final FabricConfig config;
    private final long alivePeriodNanos;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final Set<TcpConnection> connections = new HashSet<>();
    private final List<TcpSource> claimed = new ArrayList<>();
    private final List<TcpConnection> stalled = new ArrayList<>();
    private final List<Lingering> lingering = new ArrayList<>();
    private final Consumer<SelectionKey> onKey = this::onReady;
    private final Selector selector;
    private Thread thread;
    private volatile boolean closed;
    private long busyUntilNanos;
    private long nextAliveCheckNanos;
    private long claimCheckMillis = CLAIM_CHECK_MILLIS_MIN;
    private long nextClaimCheckNanos;

    /** A socket that is kept open, so that the peer gets the last frame and not a reset. */
    private record Lingering(SocketChannel socket, long deadlineNanos) {}

    IoLoop(FabricConfig config) throws IOException {
        this.config = config;
        this.selector = Selector.open();
        this.alivePeriodNanos = Math.max(1_000_000, config.peerTimeoutNanos() / 5);
        this.nextAliveCheckNanos = nanoTime() + alivePeriodNanos;
    }

    long nanoTime() {
        return config.clock().getAsLong();
    }

    private synchronized void start() {
        if (thread == null && !closed) {
            thread = config.threads().newThread(this::run);
            thread.start();
        }
    }

    /** Runs a task in the loop. Dropped when the loop has ended. */
    void execute(Runnable task) {
        tasks.add(task);
        if (Thread.currentThread() != thread) {
            selector.wakeup();
        }
    }

    /** A new connection. */
    void add(TcpConnection connection) {
        start();
        execute(() -> {
            try {
                connection.socket().register(selector, 0, connection);
                connections.add(connection);
                connection.progress();
                updateInterest(connection);
            } catch (ClosedChannelException e) {
                LOG.debug("the connection ended before it began", e);
            }
        });
    }

    /** The connection wants to write. */
    void watch(TcpConnection connection) {
        execute(() -> updateInterest(connection));
    }

    /** The source's sockets are read by others from now on. */
    void claimed(TcpSource source) {
        execute(() -> {
            if (!claimed.contains(source)) {
                claimed.add(source);
            }
            claimCheckMillis = CLAIM_CHECK_MILLIS_MIN;
            nextClaimCheckNanos = nanoTime() + claimCheckMillis * 1_000_000;
            for (TcpConnection connection : source.connections()) {
                updateInterest(connection);
            }
        });
    }

    /**
     * The connection has ended: closes its socket.
     *
     * @param isRefusal the peer is to get what has been written to it
     */
    void remove(TcpConnection connection, boolean isRefusal) {
        SocketChannel socket = connection.socket();
        if (!isRefusal) {
            closeSocket(socket);
        }
        execute(() -> {
            connections.remove(connection);
            stalled.remove(connection);
            if (isRefusal) {
                linger(socket);
            }
        });
    }

    private void linger(SocketChannel socket) {
        SelectionKey key = socket.keyFor(selector);
        if (key == null || !key.isValid()) {
            closeSocket(socket);
            return;
        }
        try {
            socket.shutdownOutput();
            Lingering last = new Lingering(socket, nanoTime() + LINGER_NANOS);
            key.attach(last);
            key.interestOps(SelectionKey.OP_READ);
            lingering.add(last);
        } catch (IOException | CancelledKeyException e) {
            closeSocket(socket);
        }
    }

    private static void closeSocket(SocketChannel socket) {
        try {
            socket.close();
        } catch (IOException e) {
            LOG.debug("closing a socket", e);
        }
    }

    private void run() {
        try {
            while (!closed) {
                select();
                for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                    task.run();
                }
                long now = nanoTime();
                checkClaims(now);
                checkAlive(now);
                retryStalled();
                expireLingering(now);
            }
        } catch (IOException | RuntimeException e) {
            LOG.error("the I/O thread of fabric '{}' failed; its tcp connections are dead", config.name(), e);
            for (TcpConnection connection : connections.toArray(new TcpConnection[0])) {
                connection.fail("the I/O thread failed: " + e);
            }
        } finally {
            lingering.forEach(last -> closeSocket(last.socket));
            try {
                selector.close();
            } catch (IOException e) {
                LOG.debug("closing a selector", e);
            }
        }
    }

    private void select() throws IOException {
        if (!tasks.isEmpty() || nanoTime() - busyUntilNanos < 0) {
            if (selector.selectNow(onKey) == 0) {
                Thread.onSpinWait();
            }
            return;
        }
        long now = nanoTime();
        long millis = Math.max(1, (nextAliveCheckNanos - now) / 1_000_000);
        if (!claimed.isEmpty()) {
            millis = Math.min(millis, Math.max(1, (nextClaimCheckNanos - now) / 1_000_000));
        }
        if (!stalled.isEmpty()) {
            millis = STALL_RETRY_MILLIS;
        }
        selector.select(onKey, millis);
    }

    private void onReady(SelectionKey key) {
        if (key.attachment() instanceof TcpConnection connection) {
            if (connection.progress() > 0) {
                busyUntilNanos = nanoTime() + config.spinNanos();
            }
            updateInterest(connection);
        } else if (key.attachment() instanceof Lingering last) {
            discard(last);
        }
    }

    private void updateInterest(TcpConnection connection) {
        SelectionKey key = connection.socket().keyFor(selector);
        if (key == null || !key.isValid() || key.attachment() != connection) {
            return;
        }
        boolean reads = !connection.isDrivenByWaiters() && !connection.isReadBlocked();
        int interest = (reads ? SelectionKey.OP_READ : 0) | (connection.isWritePending() ? SelectionKey.OP_WRITE : 0);
        try {
            if (key.interestOps() != interest) {
                key.interestOps(interest);
            }
        } catch (CancelledKeyException e) {
            // Whoever closes the connection, on whatever thread, may do so at any moment; it must not end everybody's.
            LOG.debug("a connection was closed while it was looked at", e);
            return;
        }
        if (connection.isStalled() && !stalled.contains(connection)) {
            stalled.add(connection);
        }
    }

    private void checkClaims(long now) {
        if (claimed.isEmpty() || now - nextClaimCheckNanos < 0) {
            return;
        }
        int before = claimed.size();
        for (int i = claimed.size() - 1; i >= 0; i--) {
            TcpSource source = claimed.get(i);
            if (source.takeBackIfIdle()) {
                claimed.remove(i);
                for (TcpConnection connection : source.connections()) {
                    updateInterest(connection);
                }
            }
        }
        // Somebody who waits for long need not be looked after every few milliseconds.
        claimCheckMillis = claimed.size() < before
                ? CLAIM_CHECK_MILLIS_MIN
                : Math.min(2 * claimCheckMillis, CLAIM_CHECK_MILLIS_MAX);
        nextClaimCheckNanos = now + claimCheckMillis * 1_000_000;
    }

    private void checkAlive(long now) {
        if (now - nextAliveCheckNanos < 0) {
            return;
        }
        nextAliveCheckNanos = now + alivePeriodNanos;
        for (TcpConnection connection : connections.toArray(new TcpConnection[0])) {
            connection.checkAlive(alivePeriodNanos);
        }
    }

    private void retryStalled() {
        for (int i = stalled.size() - 1; i >= 0; i--) {
            TcpConnection connection = stalled.get(i);
            connection.progress();
            if (!connection.isStalled()) {
                stalled.remove(connection);
            }
            updateInterest(connection);
        }
    }

    private void expireLingering(long now) {
        for (int i = lingering.size() - 1; i >= 0; i--) {
            Lingering last = lingering.get(i);
            if (now - last.deadlineNanos >= 0 || !last.socket.isOpen()) {
                closeSocket(last.socket);
                lingering.remove(i);
            }
        }
    }

    private void discard(Lingering last) {
        ByteBuffer nothing = ByteBuffer.allocate(DISCARD_BYTES);
        try {
            if (last.socket.read(nothing) >= 0) {
                return;
            }
        } catch (IOException e) {
            LOG.debug("the peer has gone", e);
        }
        closeSocket(last.socket);
        lingering.remove(last);
    }

    /** Ends the thread; the connections have been closed before. Idempotent. */
    @Override
    public void close() {
        Thread running;
        synchronized (this) {
            closed = true;
            running = thread;
        }
        if (running == null) {
            try {
                selector.close();
            } catch (IOException e) {
                LOG.debug("closing a selector", e);
            }
            return;
        }
        selector.wakeup();
        if (!running.equals(Thread.currentThread())) {
            try {
                running.join(JOIN_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
