package org.octofs.rpc.fabric.loopback;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.TransportKind;
import org.octofs.rpc.fabric.WorkKind;
import org.octofs.rpc.fabric.WorkRequest;
import org.octofs.rpc.fabric.WorkStatus;
import org.octofs.rpc.fabric.transport.AbstractConnection;
import org.octofs.rpc.fabric.transport.ArrivalQueue;
import org.octofs.rpc.fabric.transport.ConnectionPage;
import org.octofs.rpc.fabric.transport.ConnectionPageLayout;
import org.octofs.rpc.fabric.transport.ExportedRegion;
import org.octofs.rpc.fabric.transport.OneSidedCopy;

/**
 * One end of a loopback connection.
 *
 * <p>Threading: any on a threaded network; one thread on a stepped one. Posted requests wait in a list under a lock and
 * leave it one by one, so the order is that of the posts.
 */
public final class LoopbackConnection extends AbstractConnection {
    private static final long FULL_QUEUE_PAUSE_NANOS = 20_000;
    private static final long COMPLETION_PAUSE_NANOS = 50_000;

    private final LoopbackFabric fabric;
    private final ReentrantLock lock = new ReentrantLock();
    private LoopbackConnection peer;
    private WorkRequest oldest;
    private WorkRequest newest;
    private int pendingCount;

    LoopbackConnection(LoopbackFabric fabric, ArrivalQueue queue) {
        super(
                TransportKind.LOOPBACK,
                queue,
                ConnectionPage.create(Arena.ofAuto().allocate(ConnectionPageLayout.SIZE_BYTES, Long.BYTES), 0, 0));
        this.fabric = fabric;
    }

    void pairWith(LoopbackConnection other) {
        peer = other;
    }

    /** The other end, for fault injection. */
    public LoopbackConnection peer() {
        return peer;
    }

    @Override
    public void post(WorkRequest request) {
        String failure;
        lock.lock();
        try {
            enqueue(request);
            failure = executeIfThreaded();
        } finally {
            lock.unlock();
        }
        failIf(failure);
    }

    @Override
    public void post(WorkRequest[] requests, int from, int count) {
        Objects.checkFromIndexSize(from, count, requests.length);
        String failure;
        lock.lock();
        try {
            for (int i = from; i < from + count; i++) {
                enqueue(requests[i]);
            }
            failure = executeIfThreaded();
        } finally {
            lock.unlock();
        }
        failIf(failure);
    }

    private void enqueue(WorkRequest request) {
        request.begin();
        if (!isOpen()) {
            request.complete(WorkStatus.CONNECTION_FAILED);
            return;
        }
        request.next(null);
        if (newest == null) {
            oldest = request;
        } else {
            newest.next(request);
        }
        newest = request;
        pendingCount++;
        LoopbackScheduler scheduler = fabric.network().scheduler();
        if (scheduler != null) {
            scheduler.posted(this);
        }
    }

    private String executeIfThreaded() {
        // A receiver runs in poll, never in here, so this does not nest.
        String failure = null;
        while (failure == null && fabric.network().scheduler() == null && pendingCount > 0) {
            failure = executeOldest();
        }
        return failure;
    }

    /** For schedulers: lets the oldest pending request take effect; does nothing when there is none any more. */
    public void executeNext() {
        String failure;
        lock.lock();
        try {
            failure = executeOldest();
        } finally {
            lock.unlock();
        }
        failIf(failure);
    }

    private void failIf(String failure) {
        // Not under the lock: failing takes the peer's lock, and the peer may be failing towards us.
        if (failure != null) {
            fail(failure);
        }
    }

    /** Answers why the connection has to fail, or null. */
    private String executeOldest() {
        WorkRequest request = removeOldest();
        if (request == null) {
            return null;
        }
        WorkStatus outcome = execute(request);
        request.complete(outcome);
        return switch (outcome) {
            case REMOTE_ACCESS_ERROR, REMOTE_BOUNDS_ERROR -> "not allowed by the peer: " + request;
            case CONNECTION_FAILED -> "the peer does not take its arrivals, or is gone";
            case IDLE, PENDING, SUCCESS -> null;
        };
    }

    /** Requests posted here and not yet executed. */
    public int pendingCount() {
        lock.lock();
        try {
            return pendingCount;
        } finally {
            lock.unlock();
        }
    }

    private WorkRequest removeOldest() {
        WorkRequest request = oldest;
        if (request != null) {
            oldest = request.next();
            newest = oldest == null ? null : newest;
            request.next(null);
            pendingCount--;
        }
        return request;
    }

    private WorkStatus execute(WorkRequest request) {
        if (!isOpen() || !peer.isOpen()) {
            return WorkStatus.CONNECTION_FAILED;
        }
        int stripe = ownPage().enter();
        try {
            if (request.lengthBytes() > 0) {
                WorkStatus outcome = copy(request);
                if (outcome != WorkStatus.SUCCESS) {
                    return outcome;
                }
            }
        } catch (IllegalStateException memoryClosed) {
            return WorkStatus.REMOTE_ACCESS_ERROR; // closed between the check and the copy
        } finally {
            ownPage().exit(stripe);
        }
        return request.kind() == WorkKind.WRITE_WITH_IMMEDIATE ? pushImmediate(request) : WorkStatus.SUCCESS;
    }

    private WorkStatus copy(WorkRequest request) {
        int accessBit = request.kind() == WorkKind.READ ? Access.REMOTE_READ.bit : Access.REMOTE_WRITE.bit;
        ExportedRegion region = peer.fabric.regions().find(request.rkey());
        if (region == null || !peer.ownPage().grants(request.rkey(), accessBit)) {
            return WorkStatus.REMOTE_ACCESS_ERROR;
        }
        MemorySegment remote = region.memory();
        if (request.remoteOffset() < 0 || request.remoteOffset() > remote.byteSize() - request.lengthBytes()) {
            return WorkStatus.REMOTE_BOUNDS_ERROR;
        }
        if (request.kind() == WorkKind.READ) {
            OneSidedCopy.read(
                    remote, request.remoteOffset(), request.local(), request.localOffset(), request.lengthBytes());
        } else {
            WriteObserver observer = fabric.network().writeObserver();
            observer.writing(remote, request.remoteOffset(), request.lengthBytes());
            OneSidedCopy.write(
                    request.local(), request.localOffset(), remote, request.remoteOffset(), request.lengthBytes());
            observer.written(remote, request.remoteOffset(), request.lengthBytes());
        }
        return WorkStatus.SUCCESS;
    }

    private WorkStatus pushImmediate(WorkRequest request) {
        ArrivalQueue target = peer.queue();
        long patienceNanos = fabric.config().receiverNotReadyNanos();
        long giveUp = fabric.nanoTime() + patienceNanos;
        long consumed = -1;
        try {
            while (!target.push(peer, request.immediate())) {
                if (consumed != target.consumedCount()) {
                    consumed = target.consumedCount();
                    giveUp = fabric.nanoTime() + patienceNanos;
                } else if (fabric.nanoTime() >= giveUp || fabric.network().scheduler() != null) {
                    return WorkStatus.CONNECTION_FAILED;
                }
                LockSupport.parkNanos(FULL_QUEUE_PAUSE_NANOS);
            }
            return WorkStatus.SUCCESS;
        } catch (IllegalStateException queueClosed) {
            return WorkStatus.CONNECTION_FAILED;
        }
    }

    @Override
    public void await(WorkRequest request, long deadlineNanos) throws FabricException {
        LoopbackScheduler scheduler = fabric.network().scheduler();
        while (!request.isDone()) {
            if (scheduler != null) {
                if (!scheduler.step() && !request.isDone()) {
                    throw timedOut(request); // at rest: it would never be done
                }
            } else if (fabric.nanoTime() >= deadlineNanos) {
                throw timedOut(request);
            } else {
                // Another thread is executing it right now.
                LockSupport.parkNanos(COMPLETION_PAUSE_NANOS);
            }
        }
        throwUnlessSuccess(request);
    }

    @Override
    protected void completeOutstanding() {
        lock.lock();
        try {
            for (WorkRequest request = removeOldest(); request != null; request = removeOldest()) {
                request.complete(WorkStatus.CONNECTION_FAILED);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    protected void afterFailure() {
        peer.fail("the connection failed at the other end: " + failureReason());
    }

    @Override
    protected ConnectionPage peerPage() {
        return peer.ownPage();
    }

    @Override
    protected void release() {
        fabric.forget(this);
        if (peer != null) {
            peer.fail("the peer has closed the connection");
        }
    }
}
