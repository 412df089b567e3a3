package org.octofs.rpc.fabric.tcp;

import static org.octofs.rpc.fabric.tcp.TcpFrameLayout.BUFFER_BYTES;
import static org.octofs.rpc.fabric.tcp.TcpFrameLayout.CHUNK_BYTES;
import static org.octofs.rpc.fabric.tcp.TcpFrameLayout.FLAG_ACK_NOW;
import static org.octofs.rpc.fabric.tcp.TcpFrameLayout.FLAG_IMMEDIATE;
import static org.octofs.rpc.fabric.tcp.TcpFrameLayout.FLAG_LAST;
import static org.octofs.rpc.fabric.tcp.TcpFrameLayout.HEADER_BYTES;
import static org.octofs.rpc.fabric.tcp.TcpFrameLayout.SMALL_BYTES;
import static org.octofs.rpc.fabric.tcp.TcpFrameLayout.UNANSWERED_BYTES_MAX;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.ReentrantLock;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.WorkKind;
import org.octofs.rpc.fabric.WorkRequest;
import org.octofs.rpc.fabric.WorkStatus;
import org.octofs.rpc.fabric.transport.ExportedRegion;
import org.octofs.rpc.fabric.transport.LocalMemory;
import org.octofs.rpc.fabric.transport.OneSidedCopy;

/**
 * What goes out on one socket: our requests in the order posted, and the answers to the peer's in their order, taking
 * turns frame by frame. Small payloads are gathered in a buffer, large ones are written straight from where they lie.
 *
 * <p>Never blocks: what the socket does not take stays, and {@link #flush} is called again when it takes more.
 *
 * <p>Threading: everything under {@link #lock}. Nobody may fail the connection while holding it, since failing waits for
 * the thread that reads, and that one may want the lock.
 */
final class Outbound {
    private final TcpConnection connection;
    private final ReentrantLock lock = new ReentrantLock();
    private final MemorySegment staging = Arena.ofAuto().allocate(BUFFER_BYTES, 64);
    private final ByteBuffer buffer = staging.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    private final ByteBuffer[] pair = new ByteBuffer[2];
    private final ReadQueue reads = new ReadQueue();
    private SocketChannel socket;
    private boolean dead;

    /** The socket did not take everything. */
    private volatile boolean pending;

    /** Bytes encoded into the buffer; its position is what has been written of them. */
    private int encodedBytes;

    /** A large payload that follows the bytes in the buffer, or null. */
    private ByteBuffer payload;

    /** If that payload is in exported memory: its key; else 0. */
    private long payloadRkey;

    private int readProgress;
    private WorkRequest unsent;
    private int unsentProgress;

    /** What our READs that were sent ask for, without those whose data has come. */
    private long unansweredBytes;

    private boolean readsTurn;
    private boolean ackWanted;
    private boolean ackNowWanted;
    private WorkStatus error;

    /** The peer's requests that are complete and whose data, for READs, precedes what is encoded next. */
    private int doneCount;

    private int doneCountSent;

    Outbound(TcpConnection connection) {
        this.connection = connection;
    }

    void open(SocketChannel channel) {
        lock.lock();
        try {
            socket = channel;
        } finally {
            lock.unlock();
        }
    }

    /** Posts requests; false if the connection is not open, then none was taken. */
    boolean post(WorkRequest[] requests, int from, int count) {
        lock.lock();
        try {
            if (dead || !connection.isOpen()) {
                return false;
            }
            for (int i = from; i < from + count; i++) {
                append(requests[i]);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    boolean post(WorkRequest request) {
        lock.lock();
        try {
            if (dead || !connection.isOpen()) {
                return false;
            }
            append(request);
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void append(WorkRequest request) {
        connection.outstanding().add(request);
        if (unsent == null) {
            unsent = request;
            unsentProgress = 0;
        }
    }

    /** Queues the answer to a READ that has been checked. */
    void answerRead(long rkey, long offset, int length) throws TcpFailureException {
        lock.lock();
        try {
            if (!reads.add(rkey, offset, length)) {
                throw new TcpFailureException("the peer has too many READs outstanding");
            }
        } finally {
            lock.unlock();
        }
    }

    /** The data of one of our READs has come. */
    void readAnswered(int length) {
        lock.lock();
        try {
            unansweredBytes -= length;
        } finally {
            lock.unlock();
        }
    }

    /** A WRITE of the peer has been executed. */
    void writeDone() {
        lock.lock();
        try {
            if (reads.isEmpty()) {
                doneCount++;
            } else {
                reads.writeExecuted(); // requests are counted in their order
            }
        } finally {
            lock.unlock();
        }
    }

    /** Tells the peer what is done, if it does not know. */
    void acknowledge(int unknownMin) {
        lock.lock();
        try {
            if (doneCount - doneCountSent >= unknownMin) {
                ackWanted = true;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Asks the peer what is done. */
    void askForAck() {
        lock.lock();
        try {
            ackNowWanted = true;
        } finally {
            lock.unlock();
        }
    }

    /** The peer's next request is not allowed; nothing follows this. */
    void refuse(WorkStatus status) {
        lock.lock();
        try {
            error = status;
            unsent = null;
        } finally {
            lock.unlock();
        }
    }

    /** True if answers to READs of the peer are still to be taken from its memory: a WRITE after them has to wait. */
    boolean hasUnansweredReads() {
        lock.lock();
        try {
            return !reads.isCopied() || payloadRkey != 0;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Sets aside what is to be answered, since the socket does not take it and the WRITE after it must not wait for that:
     * the peer may be waiting for us in the same way.
     *
     * @return false if it is more than a peer that keeps to the rules can have asked for
     * @throws TcpFailureException if the connection has to fail
     */
    boolean setAnswersAside() throws TcpFailureException {
        lock.lock();
        try {
            long rest = reads.bytes() - readProgress + (payloadRkey == 0 ? 0 : payload.remaining());
            if (rest > UNANSWERED_BYTES_MAX) {
                return false;
            }
            if (payloadRkey != 0) {
                payload = ReadQueue.copyOf(
                                connection, payloadRkey, MemorySegment.ofBuffer(payload), 0, payload.remaining())
                        .asByteBuffer();
                payloadRkey = 0;
            }
            reads.copyAll(connection, readProgress);
            return true;
        } catch (IllegalStateException memoryClosed) {
            throw new TcpFailureException("memory was closed while it was being sent");
        } finally {
            lock.unlock();
        }
    }

    /** True while something waits for the socket to take more. */
    boolean isPending() {
        return pending;
    }

    /** Nothing goes out any more. */
    void die() {
        lock.lock();
        try {
            dead = true;
            pending = false;
            unsent = null;
            payload = null;
            payloadRkey = 0;
            reads.clear();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Writes what the socket takes.
     *
     * @return true if nothing is left
     * @throws TcpFailureException if the connection has to fail; the caller does that after this has returned
     */
    boolean flush() throws TcpFailureException {
        lock.lock();
        try {
            boolean isDrained = flushLocked();
            boolean wasPending = pending;
            // Under the lock: two threads that flush must not overwrite each other's result.
            pending = !isDrained;
            if (pending && !wasPending) {
                connection.writeBecamePending();
            }
            return isDrained;
        } catch (IOException e) {
            throw new TcpFailureException("writing to the socket failed: " + e.getMessage());
        } catch (IllegalStateException memoryClosed) {
            throw new TcpFailureException("memory was closed while it was being sent");
        } finally {
            lock.unlock();
        }
    }

    private boolean flushLocked() throws IOException, TcpFailureException {
        if (socket == null) {
            return true; // the handshake is under way; adopting flushes
        }
        while (!dead) {
            encodeMore();
            if (encodedBytes == 0 && payload == null) {
                return true;
            }
            if (!writeOnce()) {
                return false;
            }
        }
        return true;
    }

    /** One system call. False if the socket did not take everything. */
    private boolean writeOnce() throws IOException, TcpFailureException {
        buffer.limit(encodedBytes);
        if (payload == null) {
            socket.write(buffer);
        } else {
            pair[0] = buffer;
            pair[1] = payload;
            writePayload();
        }
        boolean isPayloadWritten = payload == null || !payload.hasRemaining();
        if (buffer.hasRemaining() || !isPayloadWritten) {
            return false;
        }
        buffer.clear();
        encodedBytes = 0;
        payload = null;
        payloadRkey = 0;
        return true;
    }

    private void writePayload() throws IOException, TcpFailureException {
        if (payloadRkey == 0) {
            socket.write(pair);
            return;
        }
        // The grant may have been taken back since the frame's header went out; there is no way to say so any more.
        connection.enterMemory();
        try {
            if (!connection.ownPage().grants(payloadRkey, Access.REMOTE_READ.bit)) {
                throw new TcpFailureException(ReadQueue.TAKEN_BACK);
            }
            socket.write(pair);
        } finally {
            connection.exitMemory();
        }
    }

    private void encodeMore() throws TcpFailureException {
        while (payload == null && BUFFER_BYTES - encodedBytes >= HEADER_BYTES + SMALL_BYTES) {
            boolean isRequestReady = unsent != null && !mustWaitForData();
            if (!reads.isEmpty() && (readsTurn || !isRequestReady)) {
                readsTurn = false;
                encodeData();
            } else if (isRequestReady) {
                readsTurn = true;
                encodeRequest();
            } else if (error != null && reads.isEmpty()) {
                int code = error == WorkStatus.REMOTE_BOUNDS_ERROR
                        ? TcpFrameLayout.ERROR_BOUNDS
                        : TcpFrameLayout.ERROR_ACCESS;
                encodeHeader(TcpFrameLayout.ERROR, 0, 0, code, 0, 0);
                error = null;
            } else if (ackWanted || (ackNowWanted && unsent == null)) {
                boolean isAsking = ackNowWanted && unsent == null; // it is about the last request, so it goes after it
                encodeHeader(TcpFrameLayout.NOTHING, isAsking ? FLAG_ACK_NOW : 0, 0, 0, 0, 0);
                ackNowWanted &= !isAsking;
            } else {
                return;
            }
        }
    }

    /** A WRITE after READs of more than the peer sets aside; see {@link TcpFrameLayout}. Their data brings a flush. */
    private boolean mustWaitForData() {
        return unansweredBytes > UNANSWERED_BYTES_MAX && unsentProgress == 0 && unsent.kind() != WorkKind.READ;
    }

    private void encodeData() throws TcpFailureException {
        long rkey = reads.rkey();
        int chunk = Math.min(CHUNK_BYTES, reads.length() - readProgress);
        boolean isLast = readProgress + chunk == reads.length();
        long offset = reads.offset() + readProgress;
        connection.enterMemory();
        try {
            MemorySegment copy = reads.copy();
            MemorySegment memory = copy;
            if (copy == null && chunk > 0) {
                ExportedRegion region = connection.exportedRegion(rkey, Access.REMOTE_READ);
                if (region == null) {
                    throw new TcpFailureException(ReadQueue.TAKEN_BACK);
                }
                memory = region.memory();
            }
            encodeHeader(TcpFrameLayout.DATA, isLast ? FLAG_LAST : 0, chunk, 0, 0, 0);
            if (chunk == 0) {
                assert isLast;
            } else if (chunk <= SMALL_BYTES) {
                OneSidedCopy.read(memory, offset, staging, encodedBytes, chunk);
                encodedBytes += chunk;
            } else {
                payload = memory.asSlice(offset, chunk).asByteBuffer();
                payloadRkey = copy == null ? rkey : 0;
            }
        } finally {
            connection.exitMemory();
        }
        readProgress += chunk;
        if (isLast) {
            int writesBehind = reads.writesBehind();
            reads.remove();
            readProgress = 0;
            doneCount += 1 + writesBehind;
            ackWanted |= writesBehind > 0; // it was asked for when they could not be counted yet
        }
    }

    private void encodeRequest() {
        WorkRequest request = unsent;
        if (request.kind() == WorkKind.READ) {
            encodeHeader(
                    TcpFrameLayout.READ, FLAG_LAST, request.lengthBytes(), 0, request.rkey(), request.remoteOffset());
            unansweredBytes += request.lengthBytes();
            nextRequest(request);
            return;
        }
        int chunk = Math.min(CHUNK_BYTES, request.lengthBytes() - unsentProgress);
        boolean isLast = unsentProgress + chunk == request.lengthBytes();
        int flags = 0;
        if (isLast) {
            // An immediate is usually answered by the peer's user; its acknowledgement travels with that.
            flags = FLAG_LAST | (request.kind() == WorkKind.WRITE_WITH_IMMEDIATE ? FLAG_IMMEDIATE : FLAG_ACK_NOW);
        }
        encodeHeader(
                TcpFrameLayout.WRITE,
                flags,
                chunk,
                request.immediate(),
                request.rkey(),
                request.remoteOffset() + unsentProgress);
        long localOffset = request.localOffset() + unsentProgress;
        if (chunk <= SMALL_BYTES) {
            MemorySegment.copy(LocalMemory.of(request), localOffset, staging, encodedBytes, chunk);
            encodedBytes += chunk;
        } else {
            payload = LocalMemory.of(request).asSlice(localOffset, chunk).asByteBuffer();
            payloadRkey = 0;
        }
        unsentProgress += chunk;
        if (isLast) {
            nextRequest(request);
        }
    }

    private void nextRequest(WorkRequest request) {
        unsent = request.next();
        unsentProgress = 0;
    }

    private void encodeHeader(int type, int flags, int length, int value, long rkey, long offset) {
        int at = encodedBytes;
        int written = buffer.position();
        buffer.limit(BUFFER_BYTES);
        buffer.put(at + TcpFrameLayout.TYPE_OFFSET, (byte) type);
        buffer.put(at + TcpFrameLayout.FLAGS_OFFSET, (byte) flags);
        buffer.putShort(at + TcpFrameLayout.RESERVED_OFFSET, (short) 0);
        buffer.putInt(at + TcpFrameLayout.LENGTH_OFFSET, length);
        buffer.putInt(at + TcpFrameLayout.DONE_OFFSET, doneCount);
        buffer.putInt(at + TcpFrameLayout.VALUE_OFFSET, value);
        buffer.putLong(at + TcpFrameLayout.RKEY_OFFSET, rkey);
        buffer.putLong(at + TcpFrameLayout.OFFSET_OFFSET, offset);
        buffer.position(written);
        encodedBytes = at + HEADER_BYTES;
        doneCountSent = doneCount;
        ackWanted = false;
    }
}
