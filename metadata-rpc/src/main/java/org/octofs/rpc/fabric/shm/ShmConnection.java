package org.octofs.rpc.fabric.shm;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.BulkCopier;
import org.octofs.rpc.fabric.ConnectionState;
import org.octofs.rpc.fabric.FabricConfig;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.PieceListener;
import org.octofs.rpc.fabric.TransportKind;
import org.octofs.rpc.fabric.WorkKind;
import org.octofs.rpc.fabric.WorkRequest;
import org.octofs.rpc.fabric.WorkStatus;
import org.octofs.rpc.fabric.handshake.PeerChannel;
import org.octofs.rpc.fabric.handshake.TransportContext;
import org.octofs.rpc.fabric.host.SharedMemory;
import org.octofs.rpc.fabric.transport.AbstractConnection;
import org.octofs.rpc.fabric.transport.ArrivalQueue;
import org.octofs.rpc.fabric.transport.ConnectionPage;
import org.octofs.rpc.fabric.transport.ExportedRegion;
import org.octofs.rpc.fabric.transport.OneSidedCopy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One end of a shm connection. A verb is executed by the thread that posts it, so it is done when post returns, and what
 * a thread posts takes effect in its order. Threads that post at the same time copy at the same time.
 *
 * <p>An operation: raise the activity word, look at the peer's grant, copy, lower the activity word. The peer's owner of
 * the memory clears the grant first and looks at the activity word then, so it knows when nothing runs any more.
 *
 * <p>Threading: any. Ownership: owns its page, its mappings of the peer's memory, and the control channel. All of it
 * stays until {@link #release}; whoever still copies then meets a closed mapping, which counts as a failed connection.
 */
final class ShmConnection extends AbstractConnection {
    private static final Logger LOG = LoggerFactory.getLogger(ShmConnection.class);
    private static final long FULL_RING_PAUSE_NANOS = 20_000;
    private static final long COMPLETION_PAUSE_NANOS = 50_000;
    private static final long GRANT_PAUSE_NANOS = 20_000;
    private static final long GRANT_PATIENCE_NANOS = 1_000_000_000L;

    private final TransportContext context;
    private final SharedMemory pageMemory;
    private final BulkCopier bulkCopier;
    private final int bulkThresholdBytes;
    private final PeerRegions peerRegions = new PeerRegions(this::onChannelEnd);
    private final PeerChannel channel = new PeerChannel();
    private volatile ShmTransport.PeerMemory peer;

    @SuppressWarnings("this-escape") // the callback is used only after the handshake
    ShmConnection(TransportContext context, ArrivalQueue queue, SharedMemory pageMemory, ConnectionPage ownPage) {
        super(TransportKind.SHM, queue, ownPage);
        FabricConfig config = context.config();
        this.context = context;
        this.pageMemory = pageMemory;
        this.bulkCopier = config.bulkCopier();
        this.bulkThresholdBytes = bulkCopier == null ? Integer.MAX_VALUE : config.bulkThresholdBytes();
        queue.countOtherProducer(1);
    }

    void peerMemory(ShmTransport.PeerMemory memory) {
        peer = memory;
    }

    void adopt(SocketChannel socket) throws IOException {
        channel.open(context.control(), socket, peerRegions);
    }

    private void onChannelEnd(String reason) {
        fail(peerName() + ": " + reason);
    }

    @Override
    public void post(WorkRequest request) {
        request.begin();
        execute(request);
    }

    @Override
    public void post(WorkRequest[] requests, int from, int count) {
        Objects.checkFromIndexSize(from, count, requests.length);
        for (int i = from; i < from + count; i++) {
            requests[i].begin();
        }
        for (int i = from; i < from + count; i++) {
            execute(requests[i]);
        }
    }

    private void execute(WorkRequest request) {
        WorkStatus outcome = WorkStatus.CONNECTION_FAILED;
        String failure = null;
        if (isOpen()) {
            try {
                outcome = request.lengthBytes() == 0 ? WorkStatus.SUCCESS : copy(request);
                if (outcome == WorkStatus.SUCCESS && request.kind() == WorkKind.WRITE_WITH_IMMEDIATE) {
                    outcome = pushImmediate(request.immediate());
                }
            } catch (IllegalStateException unmapped) {
                // This side is closing, or the peer took the region back while we copied.
                outcome = isOpen() ? WorkStatus.REMOTE_ACCESS_ERROR : WorkStatus.CONNECTION_FAILED;
            }
            failure = switch (outcome) {
                case REMOTE_ACCESS_ERROR, REMOTE_BOUNDS_ERROR -> "not allowed by the peer: " + request;
                case CONNECTION_FAILED -> "the peer has closed, or does not take its arrivals";
                case IDLE, PENDING, SUCCESS -> null;
            };
        }
        request.complete(outcome);
        if (failure != null) {
            fail(failure);
        }
    }

    private WorkStatus copy(WorkRequest request) {
        int accessBit = request.kind() == WorkKind.READ ? Access.REMOTE_READ.bit : Access.REMOTE_WRITE.bit;
        long rkey = request.rkey();
        MappedRegion region = peerRegions.find(rkey);
        if (region == null) {
            region = waitForGrant(rkey, accessBit);
        }
        ConnectionPage peerPage = peer.page();
        int stripe = ownPage().enter();
        try {
            if (region == null || region.memory() == null || !peerPage.grants(rkey, accessBit)) {
                return peerPage.isOpen() ? WorkStatus.REMOTE_ACCESS_ERROR : WorkStatus.CONNECTION_FAILED;
            }
            MemorySegment remote = region.memory();
            int lengthBytes = request.lengthBytes();
            long remoteOffset = request.remoteOffset();
            if (remoteOffset < 0 || remoteOffset > remote.byteSize() - lengthBytes) {
                return WorkStatus.REMOTE_BOUNDS_ERROR;
            }
            boolean bulk = request.kind() != WorkKind.READ
                    && lengthBytes >= bulkThresholdBytes
                    && request.local().isNative();
            PieceListener listener = request.pieceListener();
            if (listener == null) {
                move(request, remote, 0, lengthBytes, bulk);
            } else {
                boolean read = request.kind() == WorkKind.READ;
                for (int at = 0; at < lengthBytes; at += PieceListener.PIECE_BYTES) {
                    int piece = Math.min(PieceListener.PIECE_BYTES, lengthBytes - at);
                    // Bytes that leave are looked at first: non-temporal stores still drain while the next are looked
                    // at.
                    if (!read) {
                        listener.moved(request.local(), request.localOffset() + at, piece);
                    }
                    move(request, remote, at, piece, bulk);
                    if (read) {
                        listener.moved(request.local(), request.localOffset() + at, piece);
                    }
                }
                request.markPieced();
            }
            if (bulk) {
                OneSidedCopy.endBulk();
            }
            return WorkStatus.SUCCESS;
        } finally {
            ownPage().exit(stripe);
        }
    }

    private void move(WorkRequest request, MemorySegment remote, int at, int lengthBytes, boolean bulk) {
        MemorySegment local = request.local();
        long localOffset = request.localOffset() + at;
        long remoteOffset = request.remoteOffset() + at;
        if (request.kind() == WorkKind.READ) {
            OneSidedCopy.read(remote, remoteOffset, local, localOffset, lengthBytes);
        } else if (bulk) {
            OneSidedCopy.writeBulk(bulkCopier, local, localOffset, remote, remoteOffset, lengthBytes);
        } else {
            OneSidedCopy.write(local, localOffset, remote, remoteOffset, lengthBytes);
        }
    }

    /**
     * The peer's grant is in its page as soon as it is made, what to map follows by the channel. A poster that is faster
     * than the control thread reads the channel itself.
     */
    private MappedRegion waitForGrant(long rkey, int accessBit) {
        long giveUp = context.config().clock().getAsLong() + GRANT_PATIENCE_NANOS;
        while (isOpen() && peer.page().grants(rkey, accessBit)) {
            channel.readNow();
            MappedRegion region = peerRegions.find(rkey);
            if (region != null) {
                return region;
            }
            if (context.config().clock().getAsLong() >= giveUp) {
                return null;
            }
            LockSupport.parkNanos(GRANT_PAUSE_NANOS);
        }
        return null;
    }

    private WorkStatus pushImmediate(int immediate) {
        ShmTransport.PeerMemory target = peer;
        if (target.ring().push(target.queueIndex(), immediate)) {
            return WorkStatus.SUCCESS;
        }
        // Full. As long as the owner consumes, there is hope.
        long patienceNanos = context.config().receiverNotReadyNanos();
        long giveUp = context.config().clock().getAsLong() + patienceNanos;
        long consumed = target.ring().consumedCount();
        while (isOpen() && target.page().isOpen()) {
            LockSupport.parkNanos(FULL_RING_PAUSE_NANOS);
            if (target.ring().push(target.queueIndex(), immediate)) {
                return WorkStatus.SUCCESS;
            }
            long now = context.config().clock().getAsLong();
            if (consumed != target.ring().consumedCount()) {
                consumed = target.ring().consumedCount();
                giveUp = now + patienceNanos;
            } else if (now - giveUp >= 0) {
                break;
            }
        }
        return WorkStatus.CONNECTION_FAILED;
    }

    @Override
    public void await(WorkRequest request, long deadlineNanos) throws FabricException {
        while (!request.isDone()) {
            // Only when another thread is inside post with it right now.
            if (context.config().clock().getAsLong() - deadlineNanos >= 0) {
                throw timedOut(request);
            }
            LockSupport.parkNanos(COMPLETION_PAUSE_NANOS);
        }
        throwUnlessSuccess(request);
    }

    @Override
    protected void checkReachable(ExportedRegion region) {
        if (region.file() == null) {
            throw new IllegalArgumentException(
                    "memory that was registered without a file cannot be granted to a shm peer");
        }
    }

    @Override
    protected void afterGrant(ExportedRegion region, int accessBits) {
        channel.send(MappedRegion.grantFrame(region, accessBits));
    }

    @Override
    protected void afterRevoke(ExportedRegion region) {
        channel.send(MappedRegion.revokeFrame(region));
    }

    @Override
    protected ConnectionPage peerPage() {
        ShmTransport.PeerMemory memory = peer;
        return memory == null ? null : memory.page();
    }

    @Override
    protected void completeOutstanding() {
        // Nothing is outstanding outside of post.
    }

    @Override
    protected void afterFailure() {
        channel.end();
    }

    @Override
    protected void release() {
        channel.end();
        queue().countOtherProducer(-1);
        peerRegions.unmapAll();
        pageMemory.close();
        // The peer's page stays mapped while the peer is in the middle of an operation: whoever waits for its end looks
        // there. A peer that dies so takes the operation with it; one that lives on for ever costs one small mapping.
        if (!isQuiet()) {
            LOG.debug("{} is still operating on memory of a closed connection", peerName());
        }
    }

    @Override
    public boolean isQuiet() {
        boolean quiet = super.isQuiet();
        ShmTransport.PeerMemory memory = peer;
        if (quiet && memory != null && state() == ConnectionState.CLOSED) {
            memory.close();
        }
        return quiet;
    }
}
