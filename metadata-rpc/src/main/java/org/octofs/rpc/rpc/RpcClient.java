package org.octofs.rpc.rpc;

import java.util.EnumSet;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.MemoryRegion;
import org.octofs.rpc.fabric.ReceiveQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls one server, from any number of threads, over one connection that it makes and remakes by itself.
 *
 * <p>A call whose request was sent when the connection broke is sent again under its old id when there is a new one, until
 * its deadline; the server recognises it. A call that begins while there is no connection waits for one.
 *
 * <p>Threading: all methods from any thread; see {@link RpcClientConfig#sharedQueue} for who delivers replies. A call costs
 * no allocation. Ownership: owns its connection, slots and (unless shared) its receive queue; the fabric must outlive it.
 * Nothing waits without a deadline. All deadlines are on the fabric's clock.
 */
public final class RpcClient implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RpcClient.class);

    /** Asynchronous calls are looked through for passed deadlines this often. */
    private static final long EXPIRY_SCAN_NANOS = 1_000_000;

    private final Fabric fabric;
    private final RpcClientConfig config;
    private final RpcConnectionListener listener;
    private final ReceiveQueue queue;
    private final MemoryRegion replyRegion;
    private final RegionPool regions;
    private final SlotPool freeSlots;
    private final ClientSlot[] slots;
    private final ReplyPump pump;
    private final ClientConnector connector;
    private final MessageHeader incoming = new MessageHeader();
    private final RpcCounters counters = new RpcCounters();
    private final AtomicLong nextRequestId;
    private final AtomicInteger asyncCount = new AtomicInteger();
    private final Queue<ClientSlot> failedAsync = new ConcurrentLinkedQueue<>();
    private volatile long nextExpiryScan;
    private volatile int mapEpoch;
    private volatile ClientLink link;
    private volatile boolean closed;

    /**
     * Starts to connect in the background; see {@link #awaitConnected}.
     *
     * @param listener learns of connections made and lost
     * @throws RpcException if the fabric has no memory or queue left
     */
    public RpcClient(Fabric fabric, RpcClientConfig config, RpcConnectionListener listener) throws RpcException {
        this.fabric = fabric;
        this.config = config;
        this.listener = listener;
        this.nextRequestId = new AtomicLong(config.firstRequestId());
        ReceiveQueue ownQueue = null;
        try {
            ownQueue = config.sharedQueue() == null ? fabric.createReceiveQueue() : null;
            replyRegion = fabric.allocate(
                    (long) config.slotCount() * RpcLimits.SLOT_BYTES_MIN, EnumSet.of(Access.REMOTE_WRITE));
        } catch (FabricException e) {
            if (ownQueue != null) {
                ownQueue.close();
            }
            throw new RpcException("no memory for the slots of a connection: " + e.getMessage(), e);
        }
        queue = ownQueue != null ? ownQueue : config.sharedQueue();
        regions = new RegionPool(fabric);
        freeSlots = new SlotPool(config.slotCount());
        slots = new ClientSlot[config.slotCount()];
        for (int i = 0; i < slots.length; i++) {
            slots[i] =
                    new ClientSlot(this, i, new ReplySlot(replyRegion, (long) i * RpcLimits.SLOT_BYTES_MIN, regions));
        }
        pump = new ReplyPump(
                queue, config.sharedQueue() != null, slots, fabric.config().clock());
        connector = new ClientConnector(this, fabric, config);
        connector.start();
    }

    /** A client whose user does no one-sided work. */
    public RpcClient(Fabric fabric, RpcClientConfig config) throws RpcException {
        this(fabric, config, RpcConnectionListener.NONE);
    }

    /**
     * Waits for the first (or next) connection.
     *
     * @throws RpcRejectedException as soon as the server has refused this client, or does not speak our protocol; the
     *     client goes on trying all the same
     * @throws RpcTimeoutException if there is no connection in time; says what the last attempt failed of
     * @throws RpcClosedException if the client is closed
     */
    public void awaitConnected(long deadlineNanos) throws RpcException {
        connector.awaitConnected(deadlineNanos);
    }

    /**
     * Claims a slot for a call, waiting for a free one if all are in flight.
     *
     * @param opCode 1 to 65535
     * @param maxRequestBytes size of the body to fill, at most {@link RpcLimits#BODY_BYTES_MAX}
     * @param deadlineNanos on the fabric's clock; the whole call ends then
     * @throws RpcTimeoutException if no slot becomes free in time, or at once where nothing may wait (in a completion,
     *     with a shared queue); nothing was sent
     * @throws RpcClosedException if the client is closed
     */
    public RpcCall begin(int opCode, int maxRequestBytes, long deadlineNanos) throws RpcException {
        if (opCode < 1 || opCode > 0xFFFF || maxRequestBytes < 0 || maxRequestBytes > RpcLimits.BODY_BYTES_MAX) {
            throw new IllegalArgumentException("opcode " + opCode + " with a body of " + maxRequestBytes
                    + " bytes; possible are 1 to 65535, and " + RpcLimits.BODY_BYTES_MAX + " bytes");
        }
        if (closed) {
            throw new RpcClosedException("the client was closed");
        }
        int index = freeSlots.claim();
        if (index < 0) {
            index = awaitSlot(deadlineNanos);
        }
        counters.call();
        return slots[index].begin(opCode, maxRequestBytes, deadlineNanos, nextRequestId.getAndIncrement(), mapEpoch);
    }

    private int awaitSlot(long deadlineNanos) throws RpcException {
        SlotWaiter waiter = new SlotWaiter();
        if (config.sharedQueue() == null && !pump.isLeading()) {
            pump.awaitOther(waiter, deadlineNanos);
        }
        int index = waiter.take();
        if (closed) {
            if (index >= 0) {
                released(index);
            }
            throw new RpcClosedException("the client was closed");
        }
        if (index < 0) {
            throw new RpcTimeoutException(
                    "all " + slots.length + " calls that can be outstanding at " + config.address()
                            + " were, until the deadline" + connector.trouble(),
                    false);
        }
        return index;
    }

    /** Tries for a slot each time it is looked at. */
    private final class SlotWaiter extends Waiter {
        private int index = -1;

        @Override
        synchronized boolean isSettled() {
            if (index < 0) {
                index = freeSlots.claim();
            }
            return index >= 0 || closed;
        }

        /** The slot; afterwards nobody must look any more. */
        synchronized int take() {
            return index;
        }
    }

    /**
     * Delivers replies, the outcomes of asynchronous calls and lost connections. With a shared queue it only looks for
     * asynchronous calls that have failed; the worker calls it now and then (see {@link #nextDeadlineNanos}).
     *
     * @return how much was delivered
     */
    public int poll() {
        if (config.connectsInPoll()) {
            connector.step();
        }
        return pump.poll() + expireAsync();
    }

    /** When {@link #poll} should be called next even if nothing arrives; {@code Long.MAX_VALUE} if it need not be. */
    public long nextDeadlineNanos() {
        return asyncCount.get() == 0 && failedAsync.isEmpty() ? Long.MAX_VALUE : nextExpiryScan;
    }

    private int expireAsync() {
        if (asyncCount.get() == 0 && failedAsync.isEmpty()) {
            return 0;
        }
        int done = 0;
        long now = nanoTime();
        for (ClientSlot slot = failedAsync.poll(); slot != null; slot = failedAsync.poll()) {
            slot.expireAsync(now);
            done++;
        }
        if (now - nextExpiryScan >= 0) {
            nextExpiryScan = now + EXPIRY_SCAN_NANOS;
            for (ClientSlot slot : slots) {
                slot.expireAsync(now);
            }
        }
        return done;
    }

    /** The epoch that later calls carry. */
    public void setMapEpoch(int epoch) {
        mapEpoch = epoch;
    }

    /** See {@link #setMapEpoch}. */
    public int mapEpoch() {
        return mapEpoch;
    }

    /** The connection to the server now, for one-sided work; null if there is none. */
    public Connection connection() {
        ClientLink current = link;
        return current == null ? null : current.connection();
    }

    public boolean isConnected() {
        return link != null;
    }

    /** The configuration. */
    public RpcClientConfig config() {
        return config;
    }

    /** What happened so far. */
    public RpcCounters counters() {
        return counters;
    }

    /**
     * Ends the connection; outstanding calls fail with {@link RpcClosedException} (asynchronous ones at the next poll).
     * Idempotent. No call may be begun while this runs.
     */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        connector.close();
        ClientLink last = link;
        link = null;
        if (last != null) {
            last.connection().close();
        }
        RpcClosedException why = new RpcClosedException("the client was closed");
        for (ClientSlot slot : slots) {
            slot.fail(why);
        }
        pump.wakeAll();
        pump.shutDown();
        if (config.sharedQueue() == null) {
            queue.close();
        }
        for (ClientSlot slot : slots) {
            slot.releaseMemory();
        }
        regions.close();
        replyRegion.close();
    }

    // For the slots and the connector.

    long nanoTime() {
        return fabric.nanoTime();
    }

    long clientId() {
        return config.clientId();
    }

    ClientLink link() {
        return link;
    }

    boolean isClosed() {
        return closed;
    }

    ReceiveQueue queue() {
        return queue;
    }

    ReplyPump pump() {
        return pump;
    }

    void released(int slotIndex) {
        freeSlots.release(slotIndex);
        pump.wakeOthers();
    }

    void asyncStarted(long deadlineNanos) {
        if (asyncCount.getAndIncrement() == 0) {
            nextExpiryScan = Math.min(deadlineNanos, nanoTime() + EXPIRY_SCAN_NANOS);
        }
    }

    void asyncEnded() {
        asyncCount.decrementAndGet();
    }

    void failLater(ClientSlot slot) {
        failedAsync.add(slot);
    }

    RpcTimeoutException timeout(int opCode, long requestId, boolean wasPosted) {
        String what = "call " + requestId + " (opcode " + opCode + ") to " + config.address();
        return wasPosted
                ? new RpcTimeoutException(
                        what + " has no reply before its deadline; whether it was executed is unknown"
                                + connector.trouble(),
                        true)
                : new RpcTimeoutException(what + " could not be sent before its deadline" + connector.trouble(), false);
    }

    /** What a hello says; the reply slots' old rkeys end here, so that a server of before cannot write any more. */
    byte[] hello() {
        return new HelloLayout.Hello(
                        slots.length, RpcLimits.SLOT_BYTES_MIN, config.clientId(), replyRegion.renew(), config.hello())
                .encode();
    }

    /** Takes a new connection into use and sends everything that is outstanding over it. */
    void install(Connection connection) {
        HelloLayout.HelloReply answer = HelloLayout.HelloReply.decode(connection.peerPrivateData());
        ClientLink fresh = new ClientLink(connection, answer.sessionIndex(), answer.requestRkey(), answer.slotBytes());
        connection.receiver((from, immediate) -> onImmediate(fresh, immediate));
        connection.grant(replyRegion);
        counters.connected();
        listener.onConnected(connection, answer.user());
        link = fresh;
        // From here on the connection's failure may be reported, and takes this link away again.
        connection.onFailure(() -> onFailure(fresh));
        for (ClientSlot slot : slots) {
            slot.resend(fresh);
        }
    }

    private void onImmediate(ClientLink from, int immediate) {
        if (from != link) {
            counters.lateReply();
            return;
        }
        int index = immediate & 0xFFFF;
        String problem = (immediate >>> 16) != from.sessionIndex() || index >= slots.length
                ? "immediate of another session or slot"
                : slots[index].onMessage(from, incoming);
        if (problem != null) {
            counters.refusedReply();
            LOG.warn("dropping the connection to {}: {} (immediate {})", config.address(), problem, immediate);
            from.connection().close();
            onFailure(from);
        }
    }

    private void onFailure(ClientLink lost) {
        if (link == lost) {
            link = null;
            listener.onLost(lost.connection());
            connector.reconnect(lost.connection());
        }
    }
}
