package org.octofs.rpc.fabric.handshake;

import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.octofs.rpc.fabric.FabricConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The control thread of a fabric: one selector for its listeners, its handshakes and its control channels. Starts with
 * the first registration; sleeps without time-outs while no handshake is under way.
 *
 * <p>Threading: {@link #register}, {@link #execute} and {@link #close} from any thread; handlers run on the control
 * thread and must not block.
 */
public final class ControlLoop implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ControlLoop.class);
    private static final long JOIN_MILLIS = 10_000;

    /** Gets the events of one channel. */
    public interface Handler {
        /** The channel is ready for what the key asks. */
        void onReady(SelectionKey key) throws IOException;

        /** The channel's {@link #onReady} threw. The channel is to be closed. */
        void onError(Exception error);

        /** When {@link #onDeadline} is due, on the fabric's clock; Long.MAX_VALUE for never. */
        default long deadlineNanos() {
            return Long.MAX_VALUE;
        }

        /** The deadline has passed. */
        default void onDeadline() {}
    }

    private final FabricConfig config;
    private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private Selector selector;
    private Thread thread;
    private volatile boolean closed;

    /** A loop that is not running yet. */
    public ControlLoop(FabricConfig config) {
        this.config = config;
    }

    /** Watches a channel, which must be non-blocking. The handler hears of failures, also of the registration's. */
    public void register(SelectableChannel channel, int interest, Handler handler) throws IOException {
        start();
        execute(() -> {
            try {
                channel.register(selector, interest, handler);
            } catch (ClosedChannelException | RuntimeException e) {
                handler.onError(e);
            }
        });
    }

    /** Runs a task on the control thread; drops it when the loop is closed or was never started. */
    public void execute(Runnable task) {
        tasks.add(task);
        wakeup();
    }

    /** On the control thread: changes what a channel waits for; nothing if it is not watched any more. */
    void interest(SelectableChannel channel, int interest) {
        SelectionKey key = channel.keyFor(selector);
        if (key != null && key.isValid()) {
            try {
                key.interestOps(interest);
            } catch (CancelledKeyException e) {
                LOG.debug("a channel was closed while its interest changed", e);
            }
        }
    }

    private synchronized void wakeup() {
        if (selector != null) {
            selector.wakeup();
        }
    }

    private synchronized void start() throws IOException {
        if (closed) {
            throw new IOException("the fabric is closed");
        }
        if (thread == null) {
            selector = Selector.open();
            thread = config.threads().newThread(this::run);
            thread.start();
        }
    }

    private void run() {
        try {
            while (!closed) {
                select();
                for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                    task.run();
                }
                for (SelectionKey key : selector.selectedKeys()) {
                    dispatch(key);
                }
                selector.selectedKeys().clear();
                expire();
            }
        } catch (IOException | RuntimeException e) {
            LOG.error("the control thread of fabric '{}' failed; no connection can be made any more", config.name(), e);
        } finally {
            closeSelector();
        }
    }

    private void select() throws IOException {
        long deadline = Long.MAX_VALUE;
        for (SelectionKey key : selector.keys()) {
            if (key.isValid()) {
                deadline = Math.min(deadline, ((Handler) key.attachment()).deadlineNanos());
            }
        }
        if (!tasks.isEmpty()) {
            selector.selectNow();
        } else if (deadline == Long.MAX_VALUE) {
            selector.select();
        } else {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - config.clock().getAsLong()) + 1;
            if (left > 0) {
                selector.select(left);
            } else {
                selector.selectNow();
            }
        }
    }

    private static void dispatch(SelectionKey key) {
        Handler handler = (Handler) key.attachment();
        if (!key.isValid()) {
            return;
        }
        try {
            handler.onReady(key);
        } catch (IOException | RuntimeException e) {
            handler.onError(e);
        }
    }

    private void expire() {
        long now = config.clock().getAsLong();
        List<Handler> due = new ArrayList<>();
        for (SelectionKey key : selector.keys()) {
            if (key.isValid()) {
                Handler handler = (Handler) key.attachment();
                long deadline = handler.deadlineNanos();
                if (deadline != Long.MAX_VALUE && now - deadline >= 0) {
                    due.add(handler);
                }
            }
        }
        due.forEach(Handler::onDeadline);
    }

    private void closeSelector() {
        try {
            selector.close();
        } catch (IOException e) {
            LOG.debug("closing a selector", e);
        }
    }

    /** Ends the control thread. The channels are their owners' to close. Idempotent. */
    @Override
    public void close() {
        Thread running;
        synchronized (this) {
            closed = true;
            running = thread;
        }
        wakeup();
        if (running != null && !running.equals(Thread.currentThread())) {
            try {
                running.join(JOIN_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
