package org.octofs.rpc.fabric;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;

/**
 * One verb, reusable for ever: fill it, post it, await it, fill it again. Nothing is allocated after construction.
 *
 * <p>Threading: filled and posted by one thread; {@link #status} from any. Ownership: from post until the status is done
 * the request and its local memory belong to the fabric. After a time-out that is until the connection has failed.
 */
public final class WorkRequest {
    private static final VarHandle STATUS;

    static {
        try {
            STATUS = MethodHandles.lookup().findVarHandle(WorkRequest.class, "status", WorkStatus.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private WorkKind kind = WorkKind.READ;
    private MemorySegment local = MemorySegment.NULL;
    private long localOffset;
    private int lengthBytes;
    private long rkey;
    private long remoteOffset;
    private int immediate;
    private WorkStatus status = WorkStatus.IDLE;

    private PieceListener pieceListener;
    private boolean pieced;

    private volatile Thread waiter;
    private WorkRequest next;
    private long tag;

    /** Fetches {@code lengthBytes} from the peer's region into local memory (native, mapped or heap). */
    public WorkRequest readInto(
            MemorySegment local, long localOffset, int lengthBytes, RemoteRegion remote, long remoteOffset) {
        return readInto(local, localOffset, lengthBytes, remote.rkey(), remoteOffset);
    }

    /** Like the other, with the rkey alone. */
    public WorkRequest readInto(MemorySegment local, long localOffset, int lengthBytes, long rkey, long remoteOffset) {
        if (local.isReadOnly()) {
            throw new IllegalArgumentException("a READ needs local memory that can be written");
        }
        return fill(WorkKind.READ, local, localOffset, lengthBytes, rkey, remoteOffset, 0);
    }

    /** Stores {@code lengthBytes} of local memory in the peer's region. */
    public WorkRequest writeFrom(
            MemorySegment local, long localOffset, int lengthBytes, RemoteRegion remote, long remoteOffset) {
        return writeFrom(local, localOffset, lengthBytes, remote.rkey(), remoteOffset);
    }

    /** Like the other, with the rkey alone. */
    public WorkRequest writeFrom(MemorySegment local, long localOffset, int lengthBytes, long rkey, long remoteOffset) {
        return fill(WorkKind.WRITE, local, localOffset, lengthBytes, rkey, remoteOffset, 0);
    }

    /** A WRITE after which the peer's receiver gets {@code immediate}; the data is visible to it then. */
    public WorkRequest writeImmediateFrom(
            MemorySegment local,
            long localOffset,
            int lengthBytes,
            RemoteRegion remote,
            long remoteOffset,
            int immediate) {
        return writeImmediateFrom(local, localOffset, lengthBytes, remote.rkey(), remoteOffset, immediate);
    }

    /** Like the other, with the rkey alone. */
    public WorkRequest writeImmediateFrom(
            MemorySegment local, long localOffset, int lengthBytes, long rkey, long remoteOffset, int immediate) {
        return fill(WorkKind.WRITE_WITH_IMMEDIATE, local, localOffset, lengthBytes, rkey, remoteOffset, immediate);
    }

    /** An immediate without data; needs no region. */
    public WorkRequest immediateOnly(int immediate) {
        return fill(WorkKind.WRITE_WITH_IMMEDIATE, MemorySegment.NULL, 0, 0, 0, 0, immediate);
    }

    /** Who looks at the bytes as they are moved; null (which filling the request sets) = nobody. */
    public WorkRequest pieceListener(PieceListener listener) {
        pieceListener = listener;
        return this;
    }

    /** Whether the listener was called for the whole request. If not, the caller has to look at the memory itself. */
    public boolean isPieced() {
        return pieced;
    }

    private WorkRequest fill(
            WorkKind newKind,
            MemorySegment newLocal,
            long newLocalOffset,
            int newLengthBytes,
            long newRkey,
            long newRemoteOffset,
            int newImmediate) {
        if (status() == WorkStatus.PENDING) {
            throw new IllegalStateException("this work request is still outstanding; await it before using it again");
        }
        Objects.checkFromIndexSize(newLocalOffset, newLengthBytes, newLocal.byteSize());
        kind = newKind;
        local = newLocal;
        localOffset = newLocalOffset;
        lengthBytes = newLengthBytes;
        rkey = newRkey;
        remoteOffset = newRemoteOffset;
        immediate = newImmediate;
        pieceListener = null;
        pieced = false;
        STATUS.setRelease(this, WorkStatus.IDLE);
        return this;
    }

    /** Where the request stands. A done status makes everything the request did visible to the reader. */
    public WorkStatus status() {
        return (WorkStatus) STATUS.getAcquire(this);
    }

    /** True when the request is the caller's again, whatever its outcome. */
    public boolean isDone() {
        return status().isDone();
    }

    /** The verb. */
    public WorkKind kind() {
        return kind;
    }

    /** Local memory. */
    public MemorySegment local() {
        return local;
    }

    /** Where the bytes begin in the local memory. */
    public long localOffset() {
        return localOffset;
    }

    /** Number of bytes. */
    public int lengthBytes() {
        return lengthBytes;
    }

    /** Key of the peer's region. */
    public long rkey() {
        return rkey;
    }

    /** Where the bytes begin in the peer's region. */
    public long remoteOffset() {
        return remoteOffset;
    }

    /** The 32 bits that arrive with a WRITE_WITH_IMMEDIATE. */
    public int immediate() {
        return immediate;
    }

    // What follows is for transports.

    /** For transports: takes ownership at post. */
    public void begin() {
        WorkStatus before = status();
        if (before != WorkStatus.IDLE) {
            throw new IllegalStateException("work request posted while " + before + "; fill it anew first");
        }
        STATUS.setRelease(this, WorkStatus.PENDING);
    }

    /** For transports: the listener, or null. */
    public PieceListener pieceListener() {
        return pieceListener;
    }

    /** For transports: the listener has seen everything. */
    public void markPieced() {
        pieced = true;
    }

    /** For transports: gives the request back to its caller and wakes the thread parked for it, if there is one. */
    public void complete(WorkStatus outcome) {
        pieceListener = null;
        local = MemorySegment.NULL; // a reused request must not keep somebody's mapping alive
        STATUS.setRelease(this, outcome);
        VarHandle.fullFence(); // the waiter registers, then looks at the status; we do the reverse
        Thread sleeper = waiter;
        if (sleeper != null) {
            java.util.concurrent.locks.LockSupport.unpark(sleeper);
        }
    }

    /** For transports: the thread to unpark at completion; null when it no longer waits. */
    public void waiter(Thread thread) {
        waiter = thread;
        VarHandle.fullFence();
    }

    /** For transports: intrusive link of the list of outstanding requests. */
    public WorkRequest next() {
        return next;
    }

    /** For transports: sets the intrusive link. */
    public void next(WorkRequest request) {
        next = request;
    }

    /** For transports: a number of their own, such as the bytes of a chunked request that are still missing. */
    public long tag() {
        return tag;
    }

    /** For transports: sets their number. */
    public void tag(long value) {
        tag = value;
    }

    @Override
    public String toString() {
        return kind + " of " + lengthBytes + " bytes at rkey " + Long.toHexString(rkey) + "+" + remoteOffset + ": "
                + status();
    }
}
