package org.octofs.rpc.fabric.verbs;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.SVCPostRecv;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.octofs.rpc.fabric.FabricConfig;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.TransportKind;
import org.octofs.rpc.fabric.WorkRequest;
import org.octofs.rpc.fabric.WorkStatus;
import org.octofs.rpc.fabric.handshake.ControlChannel;
import org.octofs.rpc.fabric.handshake.Frame;
import org.octofs.rpc.fabric.handshake.FrameType;
import org.octofs.rpc.fabric.handshake.HandshakeException;
import org.octofs.rpc.fabric.handshake.PeerChannel;
import org.octofs.rpc.fabric.transport.AbstractConnection;
import org.octofs.rpc.fabric.transport.ArrivalQueue;
import org.octofs.rpc.fabric.transport.ConnectionPage;
import org.octofs.rpc.fabric.transport.ExportedRegion;
import org.octofs.rpc.fabric.verbs.provider.NativeQp;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One end of a verbs connection: a queue pair and the control channel.
 *
 * <p>What is posted or granted before the queue pair is connected waits for it. When the connection fails, the queue pair is
 * destroyed first and the outstanding requests are completed then, so that the card touches their memory no more.
 *
 * <p>Threading: any. Ownership: owns its queue pair, its connection manager's id and its staging memory; teardown goes error
 * state, windows, queue pair, requests, id, staging memory.
 */
final class VerbsConnection extends AbstractConnection implements ControlChannel.Receiver {
    /** Receives that are posted; each immediate takes one. */
    static final int RECEIVES = 256;

    private static final Logger LOG = LoggerFactory.getLogger(VerbsConnection.class);
    private static final int RECEIVE_BATCH = 64;
    private static final int END_SECONDS = 10;
    private static final int LOOKS_BEFORE_CLOCK = 4;
    private static final int SPINS_PER_CLOCK_READ = 8;
    private static final int FEW_PROCESSORS = 2;
    private static final long GRANT_PAUSE_NANOS = 20_000;
    private static final long GRANT_PATIENCE_NANOS = 1_000_000_000L;
    /** 1.28 ms in the specification's table: a receiver has receives again as soon as its worker has looked. */
    private static final int NOT_READY_TIMER_CODE = 14;

    private static final int STATUS_SUCCESS = 0;
    private static final int STATUS_REMOTE_INVALID_REQUEST = 9;
    private static final int STATUS_REMOTE_ACCESS = 10;

    private final VerbsTransport transport;
    private final boolean yields = Runtime.getRuntime().availableProcessors() <= FEW_PROCESSORS;
    private final PeerWindows peerWindows = new PeerWindows();
    private final SendQueue sends = new SendQueue(this, peerWindows);

    /** Keeps grants, withdrawals and their frames in one order. */
    private final Object grantLock = new Object();

    private final PeerChannel channel = new PeerChannel();
    private int revokesSent;
    private volatile int revokesAcknowledged;
    private long acknowledgeAfter;
    private final ArrayDeque<Integer> acknowledgements = new ArrayDeque<>();
    private volatile boolean owesAcknowledgements;

    // Written under the source's drain lock.
    private volatile CompletionSource source;
    private SharedCq cq;
    private VerbsDevice device;
    /** Whoever takes it out frees it. */
    private final AtomicReference<RdmaCmId> id = new AtomicReference<>();

    private NativeQp qp;
    private SVCPostRecv receives;
    private volatile boolean torn;
    private volatile boolean isConnected;
    private final CountDownLatch gone = new CountDownLatch(1);
    private long connectDeadlineNanos = Long.MAX_VALUE;

    // Under the source's drain lock.
    private final ArrayDeque<Integer> late = new ArrayDeque<>();
    private int receivesUsed;

    // Confined to the loop.
    private long retiredAtLook;
    private int looksWithoutProgress;

    VerbsConnection(VerbsTransport transport, ArrivalQueue queue, ConnectionPage ownPage) {
        super(TransportKind.VERBS, queue, ownPage);
        this.transport = transport;
        queue.countOtherProducer(1);
    }

    private FabricConfig config() {
        return transport.config();
    }

    private long nanoTime() {
        return config().clock().getAsLong();
    }

    /** For tests. */
    VerbsTransport owner() {
        return transport;
    }

    /** For tests: what this side believes to be granted. */
    PeerWindows peerWindows() {
        return peerWindows;
    }

    /** For tests: whether it has memory of its own to copy through, that is, has copied. */
    boolean hasCopied() {
        return sends.hasStaging();
    }

    // The queue pair.

    /** Makes the queue pair of a resolved or requested id and posts its receives. The id is this connection's from here on. */
    void prepare(RdmaCmId newId, VerbsDevice newDevice) throws IOException {
        CompletionSource newSource = transport.acquireSource(queue());
        boolean done = false;
        newSource.drainLock().lock();
        try {
            if (torn) {
                throw new IOException("the connection has been closed");
            }
            prepareLocked(newSource, newId, newDevice);
            done = true;
        } finally {
            newSource.drainLock().unlock();
            // Once it is prepared the source belongs to whoever destroys the queue pair, which may have happened
            // already.
            if (!done) {
                transport.releaseSource(queue());
            }
        }
    }

    private void prepareLocked(CompletionSource newSource, RdmaCmId newId, VerbsDevice newDevice) throws IOException {
        IbvQPInitAttr attributes = new IbvQPInitAttr();
        attributes.setQp_type(IbvQP.IBV_QPT_RC);
        attributes.cap().setMax_send_wr(SendQueue.DEPTH);
        attributes.cap().setMax_recv_wr(RECEIVES);
        attributes.cap().setMax_send_sge(1);
        attributes.cap().setMax_recv_sge(1);
        attributes.cap().setMax_inline_data(SendQueue.INLINE_BYTES);
        SharedCq newCq = newSource.attach(this, newDevice, attributes);
        NativeQp newQp;
        try {
            newQp = (NativeQp) newId.createQP(newDevice.pd(), attributes);
        } catch (IOException e) {
            newSource.detach(this, newCq, SendQueue.DEPTH + RECEIVES);
            throw e;
        }
        source = newSource;
        device = newDevice;
        cq = newCq;
        qp = newQp;
        id.set(newId);
        sends.prepare(newDevice, newQp);
        IbvRecvWR receive = new IbvRecvWR();
        receive.setWr_id(WorkId.ofReceive(queueIndex()));
        receives = newQp.postRecv(Collections.nCopies(RECEIVE_BATCH, receive), List.of());
        for (int i = 0; i < RECEIVES; i += RECEIVE_BATCH) {
            receives.execute();
        }
    }

    /**
     * Undoes {@link #prepare}, for another try. Not from inside a completion.
     *
     * @return the id, which is the caller's again; null if it was not prepared
     */
    RdmaCmId unprepare() {
        CompletionSource current = source;
        if (current != null) {
            boolean destroyed;
            current.drainLock().lock();
            try {
                destroyed = destroyQueuePair();
                // Its receives have come back as failed. The next queue pair has the same place in the table, and
                // would be taken for the failed one.
                current.drain();
            } finally {
                current.drainLock().unlock();
            }
            if (destroyed) {
                transport.releaseSource(queue());
            }
        }
        return id.getAndSet(null);
    }

    /** The queue pair is connected. */
    void connected() {
        CompletionSource current = source;
        if (current == null) {
            return;
        }
        NativeQp open;
        current.drainLock().lock();
        try {
            if (torn || qp == null) {
                return;
            }
            open = qp;
            device.verbs().modifyNotReadyTimer(open, NOT_READY_TIMER_CODE);
        } catch (IOException e) {
            LOG.debug("the card keeps its own time for a receiver that is not ready: {}", e.getMessage());
            open = qp;
        } finally {
            current.drainLock().unlock();
        }
        isConnected = true;
        follow(sends.open(open));
    }

    /**
     * Under the drain lock. Afterwards nobody, neither the card nor another thread, uses it any more.
     *
     * @return false if somebody else has done it; else the caller releases the source, without the lock
     */
    private boolean destroyQueuePair() {
        if (qp == null) {
            return false;
        }
        try {
            device.verbs().modifyToError(qp);
        } catch (IOException e) {
            LOG.debug("ending a queue pair: {}", e.getMessage());
        }
        sends.freeWindows();
        try {
            id.get().destroyQP();
        } catch (IOException e) {
            LOG.warn("cannot destroy a queue pair: {}", e.getMessage());
        }
        source.detach(this, cq, SendQueue.DEPTH + RECEIVES);
        qp = null;
        receives = null;
        source = null;
        return true;
    }

    // The control channel.

    void adopt(SocketChannel socket, boolean awaitsPeer) throws IOException {
        if (awaitsPeer) {
            connectDeadlineNanos = nanoTime() + 2 * config().handshakeNanos();
        }
        channel.open(transport.context().control(), socket, this);
    }

    @Override
    public void onFrame(Frame frame) throws HandshakeException {
        switch (frame.type()) {
            case GRANT -> peerWindows.grant(frame);
            case REVOKE -> {
                long rkey = frame.getLong();
                int sequence = frame.getInt();
                frame.end();
                peerWindows.revoke(rkey);
                acknowledgeWhenQuiet(sequence);
            }
            case REVOKED -> {
                revokesAcknowledged = frame.getInt();
                frame.end();
            }
            case BYE -> frame.end(); // the end of the channel follows
            case HELLO, ACCEPT, REJECT -> throw new HandshakeException(frame.type() + " after the handshake");
        }
    }

    @Override
    public void onEnd(String reason) {
        fail(peerName() + ": " + reason);
    }

    /** The peer takes memory back: it hears when nothing that was posted before is at the card any more. */
    private void acknowledgeWhenQuiet(int sequence) {
        synchronized (acknowledgements) {
            acknowledgements.add(sequence);
            acknowledgeAfter = sends.posted();
            owesAcknowledgements = true;
        }
        acknowledge();
    }

    private void acknowledge() {
        int last = 0;
        synchronized (acknowledgements) {
            if (acknowledgements.isEmpty() || sends.retired() < acknowledgeAfter) {
                return;
            }
            for (Integer sequence = acknowledgements.poll(); sequence != null; sequence = acknowledgements.poll()) {
                last = sequence;
            }
            owesAcknowledgements = false;
        }
        channel.send(Frame.create(FrameType.REVOKED).putInt(last));
    }

    // Grants.

    @Override
    protected void checkReachable(ExportedRegion region) {
        try {
            transport.checkRegistered(region);
        } catch (FabricException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    @Override
    protected void afterGrant(ExportedRegion region, int accessBits) {
        withdraw(region);
        SendQueue.Outcome outcome = sends.grant(region, accessBits);
        // The region's monitor is held, so neither failing nor draining is allowed here.
        if (outcome.failure() != null || outcome.beginsToWantEvents() || outcome.endsToWantEvents()) {
            transport.loop().execute(() -> follow(outcome));
        }
    }

    @Override
    protected void afterRevoke(ExportedRegion region) {
        withdraw(region);
    }

    private void withdraw(ExportedRegion region) {
        OwnWindows.Grant grant = sends.withdraw(region);
        if (grant != null) {
            synchronized (grantLock) {
                revokesSent++;
                channel.send(Frame.create(FrameType.REVOKE).putLong(grant.rkey).putInt(revokesSent));
            }
        }
    }

    @Override
    public boolean isQuiet() {
        synchronized (grantLock) {
            return gone.getCount() == 0 || revokesAcknowledged == revokesSent;
        }
    }

    // Posting.

    @Override
    public void post(WorkRequest request) {
        request.begin();
        awaitGrant(request);
        follow(sends.submit(request));
    }

    @Override
    public void post(WorkRequest[] requests, int from, int count) {
        Objects.checkFromIndexSize(from, count, requests.length);
        for (int i = from; i < from + count; i++) {
            requests[i].begin();
        }
        for (int i = from; i < from + count; i++) {
            awaitGrant(requests[i]);
        }
        follow(sends.submit(requests, from, count));
    }

    /** A peer may tell an rkey by a message that overtakes its grant, which comes by the control channel. */
    private void awaitGrant(WorkRequest request) {
        if (request.lengthBytes() == 0 || peerWindows.find(request.rkey()) != null) {
            return;
        }
        long giveUp = nanoTime() + GRANT_PATIENCE_NANOS;
        while (isOpen() && peerWindows.mayCome(request.rkey()) && nanoTime() < giveUp) {
            channel.readNow();
            if (peerWindows.find(request.rkey()) != null) {
                return;
            }
            LockSupport.parkNanos(GRANT_PAUSE_NANOS);
        }
    }

    /** Does what a change of the send queue leads to; with no lock held. */
    private void follow(SendQueue.Outcome outcome) {
        for (OwnWindows.Grant grant : outcome.bound()) {
            tell(grant);
        }
        if (outcome.beginsToWantEvents()) {
            CompletionSource current = source;
            if (current != null) {
                current.prepareToSleep();
            }
        }
        if (outcome.endsToWantEvents()) {
            CompletionSource current = source;
            if (current != null) {
                current.awake();
            }
        }
        if (outcome.failure() != null) {
            fail(outcome.failure());
        }
    }

    private void tell(OwnWindows.Grant grant) {
        synchronized (grantLock) {
            // A withdrawal sends its frame under this lock as well, and has to come after the grant's.
            PeerWindows.Window told = grant.told();
            if (told != null) {
                channel.send(PeerWindows.Window.grantFrame(told));
            }
        }
    }

    // Completions; all under the source's drain lock.

    void onSent(long sequence, int status) {
        if (status == STATUS_SUCCESS) {
            follow(sends.retire(sequence));
            if (owesAcknowledgements) {
                acknowledge();
            }
            return;
        }
        sends.failed(
                sequence,
                switch (status) {
                    case STATUS_REMOTE_ACCESS, STATUS_REMOTE_INVALID_REQUEST -> WorkStatus.REMOTE_ACCESS_ERROR;
                    default -> WorkStatus.CONNECTION_FAILED;
                });
        fail(peerName() + ": the queue pair failed: " + statusText(status));
    }

    void onReceive(int status, int immediate) {
        if (status != STATUS_SUCCESS) {
            fail(peerName() + ": the queue pair failed: " + statusText(status));
            return;
        }
        if (!late.isEmpty() || !deliverNow(immediate)) {
            late.add(immediate); // at most as many as receives are posted: until they are delivered, no more are
        }
    }

    /** Delivers what the receive queue had no room for. */
    void deliverLate() {
        while (!late.isEmpty() && deliverNow(late.peek())) {
            late.remove();
        }
    }

    private boolean deliverNow(int immediate) {
        if (!queue().push(this, immediate)) {
            return false;
        }
        receivesUsed++;
        if (receivesUsed >= RECEIVE_BATCH) {
            receivesUsed -= RECEIVE_BATCH;
            try {
                if (receives != null) {
                    receives.execute();
                }
            } catch (IOException e) {
                fail("cannot post receives: " + e.getMessage());
            }
        }
        return true;
    }

    private static String statusText(int status) {
        try {
            return IbvWC.IbvWcStatus.valueOf(status)
                    .name()
                    .replace("IBV_WC_", "")
                    .toLowerCase(java.util.Locale.ROOT);
        } catch (RuntimeException unknown) {
            return "status " + status;
        }
    }

    // Waiting.

    @Override
    public void await(WorkRequest request, long deadlineNanos) throws FabricException {
        if (!progress(request)) {
            CompletionSource current = source;
            if (current == null || !spin(current, request, deadlineNanos)) {
                park(current, request, deadlineNanos);
            }
        }
        throwUnlessSuccess(request);
    }

    /** Often it is done by now, and where the clock is a system call, asking it costs more than looking. */
    @Override
    public boolean progress(WorkRequest request) {
        CompletionSource current = source;
        for (int i = 0; i < LOOKS_BEFORE_CLOCK && current != null && !request.isDone(); i++) {
            current.progress();
        }
        return request.isDone();
    }

    @SuppressWarnings("ThreadPriorityCheck") // the software device works in the kernel, on the same few processors
    private boolean spin(CompletionSource current, WorkRequest request, long deadlineNanos) {
        long start = nanoTime();
        long spinNanos = Math.min(config().spinNanos(), deadlineNanos - start);
        for (int i = 0; !request.isDone(); i++) {
            current.progress();
            if (i % SPINS_PER_CLOCK_READ == SPINS_PER_CLOCK_READ - 1 && nanoTime() - start >= spinNanos) {
                return request.isDone();
            }
            if (yields) {
                Thread.yield();
            } else {
                Thread.onSpinWait();
            }
        }
        return true;
    }

    private void park(CompletionSource current, WorkRequest request, long deadlineNanos) throws FabricException {
        boolean interrupted = false;
        request.waiter(Thread.currentThread());
        if (current != null) {
            current.prepareToSleep();
        }
        try {
            while (!request.isDone()) {
                long left = deadlineNanos - nanoTime();
                if (left <= 0) {
                    throw timedOut(request);
                }
                LockSupport.parkNanos(this, left);
                interrupted |= Thread.interrupted();
            }
        } finally {
            if (current != null) {
                current.awake();
            }
            request.waiter(null);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** By the loop, now and then, after completions were taken: does the peer still take what it is sent? */
    void checkAlive(long periodNanos) {
        if (!isConnected) {
            if (nanoTime() >= connectDeadlineNanos) {
                fail(peerName() + " has not connected its queue pair");
            }
            return;
        }
        long now = sends.retired();
        if (now != retiredAtLook || sends.posted() == now) {
            retiredAtLook = now;
            looksWithoutProgress = 0;
            return;
        }
        looksWithoutProgress++;
        boolean forReceiver = sends.waitsForReceiver();
        long patience = forReceiver ? config().receiverNotReadyNanos() : config().peerTimeoutNanos();
        if (looksWithoutProgress * periodNanos > patience + periodNanos) {
            fail(peerName() + (forReceiver ? " does not take its arrivals" : " does not answer"));
        }
    }

    // The end.

    @Override
    protected void completeOutstanding() {
        torn = true;
        CompletionSource current = source;
        if (current != null) {
            // What has arrived comes before the failure; and a request that was refused hears that it was.
            current.drain();
        }
        boolean wanted = sends.stop();
        if (current != null) {
            if (wanted) {
                current.awake();
            }
            boolean destroyed;
            current.drainLock().lock();
            try {
                destroyed = destroyQueuePair();
            } finally {
                current.drainLock().unlock();
            }
            if (destroyed) {
                transport.releaseSource(queue());
            }
        }
        sends.failAll();
        gone.countDown();
    }

    @Override
    protected void afterFailure() {
        channel.end();
    }

    /** Whoever failed the connection may still be ending it when its owner closes it. */
    private void awaitEnd() {
        try {
            if (!gone.await(END_SECONDS, TimeUnit.SECONDS)) {
                LOG.error("a queue pair does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    protected void release() {
        channel.end();
        awaitEnd();
        transport.forget(this);
        RdmaCmId last = id.getAndSet(null);
        if (last != null) {
            transport.destroy(last);
        }
        sends.close();
        queue().countOtherProducer(-1);
    }
}
