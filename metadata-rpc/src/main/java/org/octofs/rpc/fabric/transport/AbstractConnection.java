package org.octofs.rpc.fabric.transport;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.fabric.ConnectionState;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.ImmediateReceiver;
import org.octofs.rpc.fabric.MemoryRegion;
import org.octofs.rpc.fabric.PeerProcess;
import org.octofs.rpc.fabric.TransportKind;
import org.octofs.rpc.fabric.WorkRequest;
import org.octofs.rpc.fabric.WorkStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * State, grants and callbacks of a connection, the same for every transport.
 *
 * <p>A transport implements posting, and the hooks: {@link #completeOutstanding} (after the state has left OPEN),
 * {@link #afterFailure} and {@link #release}. Threading: any; hooks are called once each, by whichever thread was first.
 */
public abstract class AbstractConnection implements Connection {
    private static final Logger LOG = LoggerFactory.getLogger(AbstractConnection.class);
    private static final byte[] NO_BYTES = {};

    private final TransportKind transport;
    private final ArrivalQueue queue;
    private final ConnectionPage ownPage;
    private final int queueIndex;
    private final Set<ExportedRegion> granted = ConcurrentHashMap.newKeySet();
    private final AtomicReference<ConnectionState> state = new AtomicReference<>(ConnectionState.CONNECTING);

    private volatile byte[] peerPrivateData = NO_BYTES;
    private volatile PeerProcess peerProcess;
    private volatile String failureReason = "";
    private volatile ImmediateReceiver receiver;
    private volatile Runnable acceptorFailure;
    private volatile int quietStripes = ConnectionPage.ALL_QUIET;

    // Confined to the thread that polls the queue, except that onFailure() may set the action: under the monitor.
    private Runnable failureAction;
    private boolean failureDelivered;

    /**
     * A connection under way.
     *
     * @param ownPage holds the grants to the peer
     */
    @SuppressWarnings("this-escape") // the queue only keeps the reference until arrivals come
    protected AbstractConnection(TransportKind transport, ArrivalQueue queue, ConnectionPage ownPage) {
        this.transport = transport;
        this.queue = queue;
        this.ownPage = ownPage;
        this.queueIndex = queue.attach(this);
    }

    /** Completes every outstanding request with CONNECTION_FAILED; later posts do so themselves. */
    protected abstract void completeOutstanding();

    /** The connection has failed: make the peer notice. Memory stays until {@link #release}. */
    protected abstract void afterFailure();

    /** The connection is closed: give back everything. */
    protected abstract void release();

    /**
     * Tells the transport of a new grant or a new generation: a shm peer has to learn what to map. The region's monitor
     * is held: do not fail the connection in here.
     */
    protected void afterGrant(ExportedRegion region, int accessBits) {}

    /** Tells the transport of a grant taken back or a closed region. The region's monitor is held. */
    protected void afterRevoke(ExportedRegion region) {}

    /** Throws if the peer could not reach the region by this transport. */
    protected void checkReachable(ExportedRegion region) {}

    /** The peer's page if it is at hand; null when the peer's operations are executed by this process. */
    protected ConnectionPage peerPage() {
        return null;
    }

    /** The handshake is complete. False when the connection has failed or been closed meanwhile. */
    public final boolean open(byte[] newPeerPrivateData, PeerProcess newPeerProcess) {
        peerPrivateData = newPeerPrivateData.clone();
        peerProcess = newPeerProcess;
        ownPage.markOpen();
        if (state.compareAndSet(ConnectionState.CONNECTING, ConnectionState.OPEN)) {
            return true;
        }
        ownPage.markClosed();
        return false;
    }

    /** Fails the connection as a whole; the first reason counts. Any thread. */
    public final void fail(String reason) {
        ConnectionState before = state.get();
        while (before == ConnectionState.CONNECTING || before == ConnectionState.OPEN) {
            if (failureReason.isEmpty()) {
                failureReason = reason;
            }
            if (state.compareAndSet(before, ConnectionState.FAILED)) {
                LOG.debug("connection to {} failed: {}", peerName(), reason);
                end();
                afterFailure();
                queue.enqueueAfterArrivals(this::deliverFailure);
                return;
            }
            before = state.get();
        }
    }

    @Override
    public final void close() {
        ConnectionState before = state.getAndSet(ConnectionState.CLOSED);
        if (before == ConnectionState.CLOSED) {
            return;
        }
        if (before != ConnectionState.FAILED) {
            end();
        }
        queue.detach(this);
        release();
    }

    private void end() {
        ownPage.markClosed();
        for (ExportedRegion region : granted) {
            region.revokeFrom(this);
        }
        granted.clear();
        quietStripes = 0;
        completeOutstanding();
    }

    private void deliverFailure() {
        Runnable action;
        synchronized (this) {
            failureDelivered = true;
            action = failureAction;
        }
        if (state.get() == ConnectionState.CLOSED) {
            return; // closed by this side meanwhile: it knows
        }
        if (action != null) {
            action.run();
        }
        Runnable ofAcceptor = acceptorFailure;
        if (ofAcceptor != null) {
            ofAcceptor.run();
        }
    }

    /** Delivers an arrival; false when nobody is there for it. */
    final boolean deliver(int immediate) {
        ImmediateReceiver target = receiver;
        if (target == null || failureDelivered || state.get() == ConnectionState.CLOSED) {
            return false;
        }
        try {
            target.onImmediate(this, immediate);
        } catch (RuntimeException e) {
            LOG.error("the receiver of the connection to {} failed on immediate {}", peerName(), immediate, e);
            fail("the receiver failed: " + e);
        }
        return true;
    }

    /** Sets what tells the acceptor of a failure, for the accepting side. */
    public final void acceptorFailure(Runnable action) {
        acceptorFailure = action;
    }

    @Override
    public final TransportKind transport() {
        return transport;
    }

    @Override
    public final byte[] peerPrivateData() {
        return peerPrivateData.clone();
    }

    @Override
    public final PeerProcess peerProcess() {
        return peerProcess;
    }

    @Override
    public final ConnectionState state() {
        return state.get();
    }

    /** True while requests may be posted. */
    public final boolean isOpen() {
        return state.get() == ConnectionState.OPEN;
    }

    @Override
    public final String failureReason() {
        return failureReason;
    }

    @Override
    public final void receiver(ImmediateReceiver newReceiver) {
        receiver = newReceiver;
    }

    @Override
    public final void onFailure(Runnable action) {
        synchronized (this) {
            failureAction = action;
            if (!failureDelivered) {
                return;
            }
        }
        queue.enqueue(() -> {
            if (state.get() != ConnectionState.CLOSED) {
                action.run();
            }
        });
    }

    @Override
    public final void grant(MemoryRegion region, Set<Access> access) {
        if (!(region instanceof ExportedRegion exported)) {
            throw new IllegalArgumentException("only a region of this fabric can be granted");
        }
        if (!region.access().containsAll(access)) {
            throw new IllegalArgumentException("the region has the access " + region.access() + ", not " + access);
        }
        checkReachable(exported);
        int bits = Access.bits(access);
        granted.add(exported);
        exported.grantTo(this, bits);
        ConnectionState now = state.get();
        if (now == ConnectionState.FAILED || now == ConnectionState.CLOSED) {
            revoke(region); // end() may have run before the grant was noted
        }
    }

    @Override
    public final void revoke(MemoryRegion region) {
        if (region instanceof ExportedRegion exported) {
            exported.revokeFrom(this);
        }
    }

    /** The region is granted, or has a new generation. Called with the region's monitor held. */
    final void noteGrant(ExportedRegion region, int accessBits) {
        try {
            ownPage.grant(region.rkey(), accessBits);
            quietStripes = 0;
            afterGrant(region, accessBits);
        } catch (IllegalStateException closed) {
            LOG.debug("grant to a connection that is closed");
        }
    }

    /** The grant is taken back, or the region is closed. Called with the region's monitor held. */
    final void noteRevoke(ExportedRegion region) {
        granted.remove(region);
        try {
            ownPage.revoke(region.index());
            quietStripes = 0;
            afterRevoke(region);
        } catch (IllegalStateException closed) {
            LOG.debug("revoke from a connection that is closed");
        }
    }

    @Override
    public boolean isQuiet() {
        ConnectionPage peer = peerPage();
        if (peer == null) {
            return true;
        }
        try {
            // Each word has to be seen at zero once; all at the same instant may never be on a busy connection.
            quietStripes |= peer.quietStripes();
        } catch (IllegalStateException unmapped) {
            LOG.trace("it was quiet when its page was unmapped"); // what was seen by then counts
        }
        if (quietStripes != ConnectionPage.ALL_QUIET) {
            PeerProcess process = peerProcess;
            return process != null && process.isKnownDead();
        }
        return true;
    }

    /** This side's page. */
    public final ConnectionPage ownPage() {
        return ownPage;
    }

    /** The queue of this side. */
    public final ArrivalQueue queue() {
        return queue;
    }

    /** Index at the queue of this side: what the peer puts into its arrivals. */
    public final int queueIndex() {
        return queueIndex;
    }

    /** The peer in words, for messages. */
    protected final String peerName() {
        PeerProcess process = peerProcess;
        return process == null ? "a peer" : process.name();
    }

    /** What {@link #await} throws for a request that is done. Does nothing after success. */
    protected final void throwUnlessSuccess(WorkRequest request) throws FabricException {
        WorkStatus status = request.status();
        switch (status) {
            case SUCCESS -> {}
            case REMOTE_ACCESS_ERROR, REMOTE_BOUNDS_ERROR ->
                throw new FabricException(
                        FabricException.Reason.REMOTE_ERROR, peerName() + " does not allow this: " + request);
            case CONNECTION_FAILED ->
                throw new FabricException(
                        FabricException.Reason.CONNECTION_FAILED,
                        "the connection to " + peerName() + " is gone"
                                + (failureReason.isEmpty() ? "" : ": " + failureReason));
            case IDLE, PENDING -> throw new IllegalStateException("not posted, or not done: " + request);
        }
    }

    /** What {@link #await} throws at the deadline. */
    protected final FabricException timedOut(WorkRequest request) {
        return new FabricException(
                FabricException.Reason.TIMEOUT, "no answer of " + peerName() + " within the deadline: " + request);
    }
}
