package org.octofs.rpc.fabric.tcp;

import static org.octofs.rpc.fabric.tcp.TcpFrameLayout.BUFFER_BYTES;
import static org.octofs.rpc.fabric.tcp.TcpFrameLayout.CHUNK_BYTES;
import static org.octofs.rpc.fabric.tcp.TcpFrameLayout.FLAG_ACK_NOW;
import static org.octofs.rpc.fabric.tcp.TcpFrameLayout.FLAG_IMMEDIATE;
import static org.octofs.rpc.fabric.tcp.TcpFrameLayout.FLAG_LAST;
import static org.octofs.rpc.fabric.tcp.TcpFrameLayout.HEADER_BYTES;
import static org.octofs.rpc.fabric.tcp.TcpFrameLayout.SMALL_BYTES;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.WorkKind;
import org.octofs.rpc.fabric.WorkRequest;
import org.octofs.rpc.fabric.WorkStatus;
import org.octofs.rpc.fabric.transport.ExportedRegion;
import org.octofs.rpc.fabric.transport.LocalMemory;
import org.octofs.rpc.fabric.transport.OneSidedCopy;

/**
 * What comes in on one socket: executes the peer's requests on exported memory, and puts the answers to ours where they
 * belong. Small payloads pass through a buffer and are executed when they are complete (an aligned word in one store);
 * large ones are read from the socket straight into their place.
 *
 * <p>Never blocks. Threading: confined to whoever is the connection's reader at the moment.
 */
final class Inbound {
    /** Bytes that one call takes at most, so that other sockets of the same thread get their turn. */
    private static final long BUDGET_BYTES = 4L << 20;

    /** So many requests may be executed before the peer is told without having asked. */
    private static final int UNACKNOWLEDGED_MAX = 64;

    private static final int NOT_HERE = -1;

    private final TcpConnection connection;
    private final SocketChannel socket;
    private final MemorySegment staging = Arena.ofAuto().allocate(BUFFER_BYTES, 64);
    private final ByteBuffer buffer = staging.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    private final ByteBuffer[] pair = new ByteBuffer[2];
    private int start;
    private int end;

    /** The frame whose large payload is on its way. */
    private ByteBuffer payload;

    private int payloadType;
    private int payloadFlags;
    private int payloadValue;
    private long payloadRkey;

    /** How far the data of the oldest READ has come. */
    private int readProgress;

    private volatile boolean immediateStalled;
    private int stalledImmediate;
    private long stalledSinceNanos;
    private long stalledConsumed;
    private volatile boolean waitsForAnswers;
    private boolean ackNow;
    private boolean refused;
    private int work;

    Inbound(TcpConnection connection, SocketChannel socket) {
        this.connection = connection;
        this.socket = socket;
    }

    /** True if it cannot go on before READs of the peer have been answered, or their answers set aside. */
    boolean waitsForAnswers() {
        return waitsForAnswers;
    }

    /** True if it cannot go on before there is room in the receive queue; try again soon. */
    boolean isStalled() {
        return immediateStalled;
    }

    /**
     * Takes what has arrived.
     *
     * @return requests executed and completed, 0 if nothing came
     * @throws TcpFailureException if the connection has to fail
     */
    int takeAvailable() throws TcpFailureException {
        work = 0;
        long budget = BUDGET_BYTES;
        try {
            while (process() && budget > 0) {
                int wanted = wantedBytes();
                int count = readSocket();
                if (count < 0) {
                    throw new TcpFailureException("its process has closed the connection or died");
                }
                budget -= count;
                if (count < wanted) {
                    if (count > 0) {
                        process();
                    }
                    break; // less than asked for: the socket is empty, and asking again would cost another call
                }
            }
            // Nothing that was read may stay unhandled, also at the end of the budget: with the socket empty nobody
            // would be told to come back for it.
        } catch (IOException e) {
            throw new TcpFailureException("reading from the socket failed: " + e.getMessage());
        } catch (IllegalStateException memoryClosed) {
            throw new TcpFailureException("memory was closed while the peer was using it");
        }
        connection.outbound().acknowledge(ackNow ? 1 : UNACKNOWLEDGED_MAX);
        ackNow = false;
        return work;
    }

    private int wantedBytes() {
        return payload != null ? payload.remaining() : BUFFER_BYTES - (end - start);
    }

    private int readSocket() throws IOException, TcpFailureException {
        if (payload == null) {
            compact();
            buffer.limit(BUFFER_BYTES).position(end);
            int count = socket.read(buffer);
            end += Math.max(0, count);
            return count;
        }
        // The buffer is empty: what follows the payload may go there in the same call.
        start = 0;
        end = 0;
        buffer.limit(BUFFER_BYTES).position(0);
        pair[0] = payload;
        pair[1] = buffer;
        long count;
        if (payloadType == TcpFrameLayout.WRITE) {
            connection.enterMemory();
            try {
                if (!connection.ownPage().grants(payloadRkey, Access.REMOTE_WRITE.bit)) {
                    throw new TcpFailureException("memory that the peer was writing was taken back");
                }
                count = socket.read(pair);
            } finally {
                connection.exitMemory();
            }
        } else {
            count = socket.read(pair);
        }
        end = buffer.position();
        return (int) count;
    }

    private void compact() {
        if (start == end) {
            start = 0;
            end = 0;
        } else if (start > 0) {
            MemorySegment.copy(staging, start, staging, 0, end - start);
            end -= start;
            start = 0;
        }
    }

    /** Handles what is in the buffer. False if more must not be read now. */
    private boolean process() throws TcpFailureException {
        if (immediateStalled && !retryImmediate()) {
            return false;
        }
        if (waitsForAnswers) {
            waitsForAnswers = false;
        }
        while (!refused) {
            if (payload != null) {
                if (!fillPayload()) {
                    return true;
                }
                if (immediateStalled) {
                    return false;
                }
                continue;
            }
            int available = end - start;
            if (available < HEADER_BYTES) {
                return true;
            }
            int frameBytes = onFrame(available);
            if (frameBytes == NOT_HERE) {
                return !waitsForAnswers;
            }
            start += frameBytes;
            if (immediateStalled) {
                return false;
            }
        }
        start = end; // what follows a refused request is not executed
        return true;
    }

    /** Moves buffered bytes to the payload's place. True if it is complete. */
    private boolean fillPayload() throws TcpFailureException {
        int count = Math.min(payload.remaining(), end - start);
        if (count > 0) {
            if (payloadType == TcpFrameLayout.WRITE) {
                connection.enterMemory();
                try {
                    if (!connection.ownPage().grants(payloadRkey, Access.REMOTE_WRITE.bit)) {
                        throw new TcpFailureException("memory that the peer was writing was taken back");
                    }
                    copyToPayload(count);
                } finally {
                    connection.exitMemory();
                }
            } else {
                copyToPayload(count);
            }
        }
        if (payload.hasRemaining()) {
            return false;
        }
        payload = null;
        if (payloadType == TcpFrameLayout.WRITE) {
            writeExecuted(payloadFlags, payloadValue);
        } else {
            dataArrived(payloadFlags);
        }
        return true;
    }

    private void copyToPayload(int count) {
        buffer.limit(start + count).position(start);
        payload.put(buffer);
        start += count;
    }

    /**
     * Handles the frame at the start of the buffer.
     *
     * @return its bytes, without a large payload; NOT_HERE if it is not complete, or has to wait
     */
    private int onFrame(int available) throws TcpFailureException {
        buffer.limit(BUFFER_BYTES);
        int type = buffer.get(start + TcpFrameLayout.TYPE_OFFSET);
        int flags = buffer.get(start + TcpFrameLayout.FLAGS_OFFSET);
        int length = buffer.getInt(start + TcpFrameLayout.LENGTH_OFFSET);
        if (buffer.getShort(start + TcpFrameLayout.RESERVED_OFFSET) != 0
                || length < 0
                || (length > CHUNK_BYTES && type != TcpFrameLayout.READ)
                || (length > 0 && (type == TcpFrameLayout.NOTHING || type == TcpFrameLayout.ERROR))) {
            throw new TcpFailureException("it sent nonsense: a frame of type " + type + " and length " + length);
        }
        boolean hasPayload = type == TcpFrameLayout.WRITE || type == TcpFrameLayout.DATA;
        boolean isSmall = !hasPayload || length <= SMALL_BYTES;
        if (hasPayload && isSmall && available < HEADER_BYTES + length) {
            return NOT_HERE;
        }
        if (type == TcpFrameLayout.WRITE && connection.outbound().hasUnansweredReads()) {
            // They were sent before it and must not see it.
            waitsForAnswers = true;
            return NOT_HERE;
        }
        onDone(buffer.getInt(start + TcpFrameLayout.DONE_OFFSET));
        switch (type) {
            case TcpFrameLayout.WRITE -> onWrite(flags, length, isSmall);
            case TcpFrameLayout.READ -> onRead(length);
            case TcpFrameLayout.DATA -> onData(flags, length, isSmall);
            case TcpFrameLayout.ERROR -> onError(buffer.getInt(start + TcpFrameLayout.VALUE_OFFSET));
            case TcpFrameLayout.NOTHING -> ackNow |= (flags & FLAG_ACK_NOW) != 0;
            default -> throw new TcpFailureException("it sent nonsense: a frame of type " + type);
        }
        return isSmall && hasPayload ? HEADER_BYTES + length : HEADER_BYTES;
    }

    private void onDone(int doneCount) throws TcpFailureException {
        int completed = connection.outstanding().completeUpTo(doneCount);
        if (completed < 0) {
            throw new TcpFailureException("it sent nonsense: it says it has done what it was not asked");
        }
        work += completed;
    }

    private void onWrite(int flags, int length, boolean isSmall) throws TcpFailureException {
        long rkey = buffer.getLong(start + TcpFrameLayout.RKEY_OFFSET);
        long offset = buffer.getLong(start + TcpFrameLayout.OFFSET_OFFSET);
        int value = buffer.getInt(start + TcpFrameLayout.VALUE_OFFSET);
        if (length > 0) {
            connection.enterMemory();
            try {
                ExportedRegion region = connection.exportedRegion(rkey, Access.REMOTE_WRITE);
                if (!isAllowed(region, offset, length)) {
                    return;
                }
                if (isSmall) {
                    OneSidedCopy.write(staging, start + HEADER_BYTES, region.memory(), offset, length);
                } else {
                    payload = region.memory().asSlice(offset, length).asByteBuffer();
                    payloadRkey = rkey;
                }
            } finally {
                connection.exitMemory();
            }
        }
        if (payload == null) {
            writeExecuted(flags, value);
        } else {
            payloadType = TcpFrameLayout.WRITE;
            payloadFlags = flags;
            payloadValue = value;
        }
    }

    private void writeExecuted(int flags, int value) throws TcpFailureException {
        if ((flags & FLAG_LAST) == 0) {
            return;
        }
        work++;
        // Only now, which may be some calls after the header: before, there is nothing to acknowledge.
        ackNow |= (flags & FLAG_ACK_NOW) != 0;
        connection.outbound().writeDone();
        if ((flags & FLAG_IMMEDIATE) != 0 && !connection.deliver(value)) {
            immediateStalled = true;
            stalledImmediate = value;
            stalledSinceNanos = connection.nanoTime();
            stalledConsumed = connection.queue().consumedCount();
        }
    }

    private boolean retryImmediate() throws TcpFailureException {
        if (connection.deliver(stalledImmediate)) {
            immediateStalled = false;
            work++;
            return true;
        }
        long consumed = connection.queue().consumedCount();
        long now = connection.nanoTime();
        if (consumed != stalledConsumed) {
            stalledConsumed = consumed;
            stalledSinceNanos = now;
        } else if (now - stalledSinceNanos > connection.config().receiverNotReadyNanos()) {
            throw new TcpFailureException("the receive queue of this side stays full");
        }
        return false;
    }

    private void onRead(int length) throws TcpFailureException {
        long rkey = buffer.getLong(start + TcpFrameLayout.RKEY_OFFSET);
        long offset = buffer.getLong(start + TcpFrameLayout.OFFSET_OFFSET);
        if (length > 0 && !isAllowed(connection.exportedRegion(rkey, Access.REMOTE_READ), offset, length)) {
            return;
        }
        work++;
        connection.outbound().answerRead(rkey, offset, length);
    }

    private boolean isAllowed(ExportedRegion region, long offset, int length) throws TcpFailureException {
        WorkStatus status = null;
        if (region == null) {
            status = WorkStatus.REMOTE_ACCESS_ERROR;
        } else if (offset < 0 || offset > region.lengthBytes() - length) {
            status = WorkStatus.REMOTE_BOUNDS_ERROR;
        }
        if (status == null) {
            return true;
        }
        refused = true;
        connection.refuse(status);
        return false;
    }

    private void onData(int flags, int length, boolean isSmall) throws TcpFailureException {
        WorkRequest request = connection.outstanding().oldest();
        if (request == null || request.kind() != WorkKind.READ || length > request.lengthBytes() - readProgress) {
            throw new TcpFailureException("it sent nonsense: data that nobody has asked for");
        }
        long localOffset = request.localOffset() + readProgress;
        readProgress += length;
        if (((flags & FLAG_LAST) != 0) != (readProgress == request.lengthBytes())) {
            throw new TcpFailureException("it sent nonsense: data of another length than asked for");
        }
        if (isSmall) {
            MemorySegment.copy(staging, start + HEADER_BYTES, LocalMemory.of(request), localOffset, length);
            dataArrived(flags);
        } else {
            payload = LocalMemory.of(request).asSlice(localOffset, length).asByteBuffer();
            payloadType = TcpFrameLayout.DATA;
            payloadFlags = flags;
        }
    }

    private void dataArrived(int flags) {
        if ((flags & FLAG_LAST) != 0) {
            connection.outbound().readAnswered(readProgress);
            readProgress = 0;
            work++;
            connection.outstanding().completeOldest(WorkStatus.SUCCESS);
        }
    }

    private void onError(int code) throws TcpFailureException {
        WorkRequest request = connection.outstanding().oldest();
        if (request == null) {
            throw new TcpFailureException("it refuses a request that it was not sent");
        }
        WorkStatus status =
                code == TcpFrameLayout.ERROR_BOUNDS ? WorkStatus.REMOTE_BOUNDS_ERROR : WorkStatus.REMOTE_ACCESS_ERROR;
        String what = request.toString();
        connection.outstanding().completeOldest(status);
        throw new TcpFailureException("not allowed by the peer: " + what);
    }
}
