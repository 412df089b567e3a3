package org.octofs.rpc.fabric.tcp;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.ConnectionState;
import org.octofs.rpc.fabric.FabricConfig;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.TransportKind;
import org.octofs.rpc.fabric.WorkKind;
import org.octofs.rpc.fabric.WorkRequest;
import org.octofs.rpc.fabric.WorkStatus;
import org.octofs.rpc.fabric.transport.AbstractConnection;
import org.octofs.rpc.fabric.transport.ArrivalQueue;
import org.octofs.rpc.fabric.transport.ConnectionPage;
import org.octofs.rpc.fabric.transport.ExportedRegion;

/**
 * One end of a tcp connection. What is posted is written to the socket by the thread that posts; what comes in is taken
 * by one thread at a time, the <em>reader</em> of the moment: the I/O loop, or on the connecting side a thread that waits.
 *
 * <p>Threading: any. Locks: first the reader's role, then the lock of {@link Outbound}, then that of {@link Outstanding};
 * failing the connection takes the reader's role, so it is done holding none of them.
 */
final class TcpConnection extends AbstractConnection {
    private static final int SPINS_PER_CLOCK_READ = 8;
    private static final int MISSES_MAX = 4;

    private final TcpTransport transport;
    private final TcpSource source;
    private final Outstanding outstanding = new Outstanding();
    private final Outbound outbound = new Outbound(this);
    private final AtomicReference<Thread> reader = new AtomicReference<>();
    private final AtomicInteger inMemory = new AtomicInteger();
    private final Object socketLock = new Object();
    private volatile Inbound inbound;
    private volatile SocketChannel socket;
    private volatile boolean refusing;
    private final AtomicInteger received = new AtomicInteger();
    private boolean broken;
    private boolean ended;

    /** Confined to the I/O loop: what liveness was at its last look. */
    private int receivedAtLook;

    private int misses;

    /**
     * A connection under way.
     *
     * @param source the queue's source for the connecting side; null for the accepting side
     */
    TcpConnection(TcpTransport transport, ArrivalQueue queue, ConnectionPage ownPage, TcpSource source) {
        super(TransportKind.TCP, queue, ownPage);
        this.transport = transport;
        this.source = source;
        if (source == null) {
            queue.countOtherProducer(1);
        }
    }

    void adopt(SocketChannel channel) throws IOException {
        synchronized (socketLock) {
            ConnectionState now = state();
            if (ended || now == ConnectionState.FAILED || now == ConnectionState.CLOSED) {
                channel.close();
                return;
            }
            channel.configureBlocking(false);
            socket = channel;
            outbound.open(channel);
            inbound = new Inbound(this, channel);
        }
        transport.loop().add(this);
        if (source != null) {
            source.add(this);
        }
        flush();
    }

    FabricConfig config() {
        return transport.config();
    }

    long nanoTime() {
        return config().clock().getAsLong();
    }

    IoLoop loop() {
        return transport.loop();
    }

    SocketChannel socket() {
        return socket;
    }

    Outstanding outstanding() {
        return outstanding;
    }

    Outbound outbound() {
        return outbound;
    }

    /** True on the connecting side, while waiting threads read the socket themselves. */
    boolean isDrivenByWaiters() {
        return source != null && source.isClaimed();
    }

    boolean isWritePending() {
        return outbound.isPending();
    }

    /** By {@link Outbound}, under its lock: the loop has to go on when the socket takes more. */
    void writeBecamePending() {
        transport.loop().watch(this);
    }

    /** True while nothing can be taken from the socket, though there may be something. */
    boolean isReadBlocked() {
        Inbound half = inbound;
        // Once the answers have gone out, whoever wrote them, the loop has to read again.
        return half != null && (half.isStalled() || (half.waitsForAnswers() && outbound.isPending()));
    }

    boolean isStalled() {
        Inbound half = inbound;
        return half != null && half.isStalled();
    }

    // What the two halves need.

    /** The region that an rkey names, if the peer may do this with it; else null. */
    ExportedRegion exportedRegion(long rkey, Access access) {
        return ownPage().grants(rkey, access.bit) ? transport.regions().find(rkey) : null;
    }

    /** An operation of the peer on our memory begins; look at the grant after this. */
    void enterMemory() {
        inMemory.incrementAndGet();
    }

    void exitMemory() {
        inMemory.decrementAndGet();
    }

    @Override
    public boolean isQuiet() {
        return inMemory.get() == 0;
    }

    /** An immediate for the queue; false if it is full. */
    boolean deliver(int immediate) {
        return queue().push(this, immediate);
    }

    /** The peer asks for what it may not: it is told so, and then it is over. */
    void refuse(WorkStatus status) {
        refusing = true;
        outbound.refuse(status);
    }

    // Posting.

    @Override
    public void post(WorkRequest request) {
        request.begin();
        if (outbound.post(request)) {
            flush();
        } else {
            request.complete(WorkStatus.CONNECTION_FAILED);
        }
    }

    @Override
    public void post(WorkRequest[] requests, int from, int count) {
        Objects.checkFromIndexSize(from, count, requests.length);
        for (int i = from; i < from + count; i++) {
            requests[i].begin();
        }
        if (outbound.post(requests, from, count)) {
            flush();
            return;
        }
        for (int i = from; i < from + count; i++) {
            requests[i].complete(WorkStatus.CONNECTION_FAILED);
        }
    }

    /** Writes what can be written; the loop goes on with the rest. True if nothing is left. */
    private boolean flush() {
        try {
            return outbound.flush();
        } catch (TcpFailureException e) {
            fail(e.getMessage());
            return true;
        }
    }

    // Reading.

    /**
     * Takes what has arrived and answers it, unless another thread is about it.
     *
     * @return how much was done; 0 = nothing
     */
    int progress() {
        int total = 0;
        while (true) {
            if (inbound == null || !reader.compareAndSet(null, Thread.currentThread())) {
                return total;
            }
            String failure = null;
            boolean isBlocked = false;
            int work = 0;
            try {
                if (broken || !isOpen()) {
                    return total;
                }
                work = inbound.takeAvailable();
                isBlocked = inbound.waitsForAnswers();
            } catch (TcpFailureException e) {
                failure = e.getMessage();
                broken = true;
            } finally {
                reader.set(null);
            }
            total += work;
            if (failure != null) {
                fail(failure);
                return total + 1;
            }
            if (work > 0) {
                received.incrementAndGet();
            }
            boolean isDrained = flush();
            if (refusing && isDrained) {
                fail("it did what it is not allowed to do");
                return total + 1;
            }
            if (!isBlocked || !(isDrained || setAnswersAside())) {
                if (total > 0 && source != null) {
                    source.progressed();
                }
                return total;
            }
        }
    }

    private boolean setAnswersAside() {
        try {
            return outbound.setAnswersAside();
        } catch (TcpFailureException e) {
            fail(e.getMessage());
            return false;
        }
    }

    @Override
    public void await(WorkRequest request, long deadlineNanos) throws FabricException {
        if (!request.isDone()) {
            if (request.kind() == WorkKind.WRITE_WITH_IMMEDIATE) {
                // The peer acknowledges immediates when it has something else to say; somebody waits for this one.
                outbound.askForAck();
                flush();
            }
            if (!spin(request, deadlineNanos)) {
                park(request, deadlineNanos);
            }
        }
        throwUnlessSuccess(request);
    }

    private boolean spin(WorkRequest request, long deadlineNanos) {
        long start = nanoTime();
        long spinNanos = Math.min(config().spinNanos(), deadlineNanos - start);
        if (source != null) {
            source.claim();
        }
        for (int i = 0; !request.isDone(); i++) {
            if (source != null) {
                progress();
            }
            if (i % SPINS_PER_CLOCK_READ == SPINS_PER_CLOCK_READ - 1 && nanoTime() - start >= spinNanos) {
                return request.isDone();
            }
            Thread.onSpinWait();
        }
        return true;
    }

    private void park(WorkRequest request, long deadlineNanos) throws FabricException {
        boolean interrupted = false;
        request.waiter(Thread.currentThread());
        try {
            while (!request.isDone()) {
                long left = deadlineNanos - nanoTime();
                if (left <= 0) {
                    throw timedOut(request);
                }
                if (source == null) {
                    LockSupport.parkNanos(this, left);
                } else {
                    source.driveFor(request, deadlineNanos);
                }
                // An interrupt is for somebody else, and with the flag up nothing would park.
                interrupted |= Thread.interrupted();
            }
        } finally {
            request.waiter(null);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** By the I/O loop, now and then: has the peer answered anything since the last time? */
    void checkAlive(long periodNanos) {
        int now = received.get();
        if (outstanding.isEmpty() || now != receivedAtLook) {
            receivedAtLook = now;
            misses = 0;
            return;
        }
        if (++misses > MISSES_MAX) {
            fail("it has not answered for " + MISSES_MAX * periodNanos / 1_000_000_000L + " s");
            return;
        }
        outbound.askForAck();
        flush();
    }

    // The end.

    @Override
    protected void completeOutstanding() {
        // Nobody must be copying into a request's memory when its owner is told that it is his again.
        boolean isReader = Thread.currentThread().equals(reader.get());
        while (!isReader && !reader.compareAndSet(null, Thread.currentThread())) {
            Thread.onSpinWait();
        }
        try {
            broken = true;
            outbound.die();
            outstanding.failAll();
        } finally {
            if (!isReader) {
                reader.set(null);
            }
        }
    }

    @Override
    protected void afterFailure() {
        endSocket();
        if (source != null) {
            source.progressed(); // completing a request unparks its waiter, but one that sleeps in the selector stays
            // there
        }
    }

    @Override
    protected void release() {
        endSocket();
        if (source != null) {
            source.remove(this);
            transport.released(queue(), source);
        } else {
            queue().countOtherProducer(-1);
        }
    }

    private void endSocket() {
        synchronized (socketLock) {
            if (ended) {
                return;
            }
            ended = true;
            if (socket != null) {
                transport.loop().remove(this, refusing);
            }
        }
    }
}
