package org.octofs.rpc.rpc;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.fabric.ConnectionState;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.protocol.ProtocolException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread of a client that connects, and connects again with growing pauses when the connection was lost.
 *
 * <p>A thread of its own, because a connect blocks until the server's worker has answered, and nobody who polls a queue may
 * wait for that. While connected it only looks once in a while whether the connection has failed unnoticed, since an idle
 * client has nobody who polls.
 *
 * <p>Threading: {@code state} below is guarded by this object's monitor.
 */
final class ClientConnector {
    private static final Logger LOG = LoggerFactory.getLogger(ClientConnector.class);

    private static final long IDLE_CHECK_NANOS = 500_000_000;
    private static final long CLOSE_MILLIS = 10_000;

    private final RpcClient client;
    private final Fabric fabric;
    private final RpcClientConfig config;
    private final Thread thread;
    private final Queue<Thread> waiting = new ConcurrentLinkedQueue<>();
    /** Confined to whoever connects: the thread, or the poller. */
    private long backoffNanos;

    private long nextAttemptNanos;

    private boolean closing;
    private boolean connected;
    private FabricException refusal;
    private Connection abandoned;
    private volatile String lastTrouble = "";

    ClientConnector(RpcClient client, Fabric fabric, RpcClientConfig config) {
        this.client = client;
        this.fabric = fabric;
        this.config = config;
        backoffNanos = config.backoffNanosMin();
        nextAttemptNanos = fabric.nanoTime();
        thread = config.connectsInPoll() ? null : fabric.config().threads().newThread(this::run);
    }

    void start() {
        if (thread != null) {
            thread.setName("rpc-connect-" + config.address());
            thread.start();
        }
    }

    /** Why there is no connection, as the end of a sentence; empty if there is one. */
    String trouble() {
        String trouble = lastTrouble;
        return trouble.isEmpty() ? "" : " (" + trouble + ")";
    }

    synchronized void reconnect(Connection lost) {
        lastTrouble = "the connection was lost: " + lost.failureReason();
        connected = false;
        abandoned = lost;
        wakeAll();
    }

    void awaitConnected(long deadlineNanos) throws RpcException {
        Thread self = Thread.currentThread();
        waiting.add(self);
        try {
            while (!checkConnected()) {
                long left = deadlineNanos - fabric.nanoTime();
                if (left <= 0) {
                    throw new RpcTimeoutException("no connection to " + config.address() + trouble(), false);
                }
                if (pause(left)) {
                    self.interrupt();
                    throw new RpcTimeoutException("interrupted while connecting to " + config.address(), false);
                }
            }
        } finally {
            waiting.remove(self);
        }
    }

    private synchronized boolean checkConnected() throws RpcException {
        if (client.link() != null) {
            return true;
        }
        if (closing) {
            throw new RpcClosedException("the client was closed");
        }
        if (refusal != null) {
            throw new RpcRejectedException(refusal.getMessage());
        }
        return false;
    }

    void close() {
        synchronized (this) {
            closing = true;
            wakeAll();
        }
        if (thread == null) {
            closeAbandoned();
            return;
        }
        thread.interrupt();
        boolean interrupted = false;
        try {
            thread.join(CLOSE_MILLIS);
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        while (!isClosing()) {
            closeAbandoned();
            if (isConnected()) {
                idle();
            } else if (connect()) {
                backoffNanos = config.backoffNanosMin();
            } else {
                sleep(backoffNanos);
                backoffNanos = Math.min(2 * backoffNanos, config.backoffNanosMax());
            }
        }
        closeAbandoned();
    }

    /** The same for a client without a thread: one attempt to connect, if there is no connection and the pause is over. */
    void step() {
        closeAbandoned();
        if (isConnected() || isClosing() || fabric.nanoTime() - nextAttemptNanos < 0) {
            return;
        }
        if (connect()) {
            backoffNanos = config.backoffNanosMin();
        } else {
            nextAttemptNanos = fabric.nanoTime() + backoffNanos;
            backoffNanos = Math.min(2 * backoffNanos, config.backoffNanosMax());
        }
    }

    private boolean connect() {
        Connection connection = null;
        try {
            connection = fabric.connect(
                    config.address(),
                    config.transport(),
                    client.hello(),
                    client.queue(),
                    fabric.nanoTime() + config.connectTimeoutNanos());
            synchronized (this) {
                // Before the install: a failure that is noticed at once must find it set, and clear it again.
                connected = true;
                refusal = null;
                lastTrouble = "";
            }
            client.install(connection);
            LOG.debug("connected to {} by {}", config.address(), connection.transport());
            synchronized (this) {
                wakeAll();
            }
            return true;
        } catch (FabricException e) {
            failed(e, e.getMessage());
        } catch (ProtocolException e) {
            connection.close();
            failed(new FabricException(FabricException.Reason.INCOMPATIBLE, e.getMessage(), e), e.getMessage());
        } catch (RuntimeException e) {
            LOG.warn("connecting to {} failed", config.address(), e);
            if (connection != null) {
                connection.close();
            }
            failed(null, e.toString());
        }
        return false;
    }

    private synchronized void failed(FabricException e, String trouble) {
        connected = false;
        boolean isRefusal = e != null
                && switch (e.reason()) {
                    case REFUSED, INCOMPATIBLE, NO_TRANSPORT -> true;
                    default -> false;
                };
        refusal = isRefusal ? e : null;
        if (!trouble.equals(lastTrouble)) {
            LOG.info("no connection to {}: {}", config.address(), trouble);
        }
        lastTrouble = trouble;
        wakeAll();
    }

    private void idle() {
        // An interrupt means that we are closing; the loop around looks.
        if (isConnected() && !isClosing()) {
            pause(IDLE_CHECK_NANOS);
        }
        ClientLink link = client.link();
        if (link != null && link.connection().state() == ConnectionState.FAILED && config.sharedQueue() == null) {
            client.poll();
        }
    }

    private void closeAbandoned() {
        Connection connection;
        synchronized (this) {
            connection = abandoned;
            abandoned = null;
        }
        if (connection != null) {
            connection.close();
        }
    }

    private void sleep(long nanos) {
        long end = fabric.nanoTime() + nanos;
        for (long left = nanos; left > 0 && !isClosing(); left = end - fabric.nanoTime()) {
            pause(left);
        }
    }

    /**
     * Parks until there is news, at most so long; whoever calls it looks at its condition again, without the monitor. News
     * that came since that look leaves a permit.
     *
     * @return true if the thread was interrupted; its flag is down
     */
    private boolean pause(long nanos) {
        LockSupport.parkNanos(this, Math.min(nanos, IDLE_CHECK_NANOS));
        return Thread.interrupted();
    }

    private void wakeAll() {
        LockSupport.unpark(thread);
        waiting.forEach(LockSupport::unpark);
    }

    private synchronized boolean isClosing() {
        return closing;
    }

    private synchronized boolean isConnected() {
        return connected;
    }
}
