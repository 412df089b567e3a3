package org.octofs.rpc.fabric.verbs;

import com.ibm.disni.verbs.IbvSendWR;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.WorkKind;
import org.octofs.rpc.fabric.WorkRequest;
import org.octofs.rpc.fabric.WorkStatus;
import org.octofs.rpc.fabric.transport.ExportedRegion;
import org.octofs.rpc.fabric.transport.LocalMemory;
import org.octofs.rpc.fabric.verbs.provider.NativeQp;
import org.octofs.rpc.fabric.verbs.provider.SendCall;

/**
 * The send half of a connection. Requests wait in a list without limit; from there they go to the queue pair in lists of up
 * to {@link #LIST}, as far as it has room, large ones in chunks. Only the last of a list and every so many bytes are
 * signalled; a completion retires everything before it, which is right because a reliable connection completes in order.
 *
 * <p>Local memory: what fits is sent inline; memory of a registered region is used in place; everything else is copied
 * through the {@link StagingRing}.
 *
 * <p>Threading: any, under its lock. Methods answer in words why the connection has to fail, and the caller, who must not
 * hold the lock, fails it. Limits: {@link #DEPTH} requests at the card.
 */
final class SendQueue {
    /** Requests at the card at a time. */
    static final int DEPTH = 128;

    private static final int LIST = 32;
    private static final int CHUNK_BYTES_MAX = 1 << 20;

    /** What inline data the queue pair is asked for. */
    static final int INLINE_BYTES = 128;

    private final VerbsConnection connection;
    private final PeerWindows peerWindows;
    private final OwnWindows ownWindows = new OwnWindows();
    private final ReentrantLock lock = new ReentrantLock();

    private final ArrayDeque<OwnWindows.Grant> bindings = new ArrayDeque<>();
    private WorkRequest firstWaiting;
    private WorkRequest lastWaiting;
    /** Bytes of the first waiting request that are posted. */
    private int firstPostedBytes;

    // What is at the card, by sequence modulo DEPTH.
    private final WorkRequest[] requests = new WorkRequest[DEPTH];
    private final OwnWindows.Grant[] boundGrants = new OwnWindows.Grant[DEPTH];
    private final int[] chunkOffsets = new int[DEPTH];
    private final int[] chunkLengths = new int[DEPTH];
    private final int[] stagingOffsets = new int[DEPTH];
    private final long[] stagingPositions = new long[DEPTH];
    private final boolean[] endsRequest = new boolean[DEPTH];
    private long posted;
    private volatile long retired;
    private int bindsPosted;
    /** Requests of the list that is being made. */
    private int filled;

    private VerbsDevice device;
    private NativeQp qp;
    private SendCall call;
    private MemorySegment inlineCopies;
    private StagingRing staging;
    private boolean wasOpen;
    private boolean broken;
    private boolean wantsEvents;
    private WorkRequest culprit;
    private WorkStatus culpritStatus;

    /** What a change leads to, for the caller to do without the lock. */
    record Outcome(String failure, boolean beginsToWantEvents, boolean endsToWantEvents, List<OwnWindows.Grant> bound) {
        static final Outcome NOTHING = new Outcome(null, false, false, List.of());
        static final Outcome BEGINS = new Outcome(null, true, false, List.of());
        static final Outcome ENDS = new Outcome(null, false, true, List.of());
    }

    SendQueue(VerbsConnection connection, PeerWindows peerWindows) {
        this.connection = connection;
        this.peerWindows = peerWindows;
    }

    /** The queue pair exists; it takes requests after {@link #open}. */
    void prepare(VerbsDevice newDevice, NativeQp newQp) {
        lock.lock();
        try {
            device = newDevice;
            ownWindows.device(newDevice);
            SendCall newCall = new SendCall(newQp, LIST);
            inlineCopies = Arena.ofAuto().allocate((long) LIST * Math.max(1, newQp.inlineBytesMax()), Long.BYTES);
            call = newCall;
        } finally {
            lock.unlock();
        }
    }

    /** The queue pair is connected. */
    Outcome open(NativeQp newQp) {
        lock.lock();
        try {
            if (!broken) {
                qp = newQp;
                wasOpen = true;
            }
            return pump(null);
        } finally {
            lock.unlock();
        }
    }

    /** Takes requests that have begun. */
    Outcome submit(WorkRequest[] list, int from, int count) {
        lock.lock();
        try {
            for (int i = from; i < from + count; i++) {
                if (broken) {
                    list[i].complete(WorkStatus.CONNECTION_FAILED);
                } else {
                    append(list[i]);
                }
            }
            return pump(null);
        } finally {
            lock.unlock();
        }
    }

    Outcome submit(WorkRequest request) {
        lock.lock();
        try {
            if (broken) {
                request.complete(WorkStatus.CONNECTION_FAILED);
                return Outcome.NOTHING;
            }
            append(request);
            return pump(null);
        } finally {
            lock.unlock();
        }
    }

    private void append(WorkRequest request) {
        request.next(null);
        if (lastWaiting == null) {
            firstWaiting = request;
        } else {
            lastWaiting.next(request);
        }
        lastWaiting = request;
    }

    /** Grants a region. */
    Outcome grant(ExportedRegion region, int accessBits) {
        lock.lock();
        try {
            if (broken) {
                return Outcome.NOTHING;
            }
            bindings.add(ownWindows.grant(region, accessBits));
            return pump(null);
        } finally {
            lock.unlock();
        }
    }

    /** Takes a region back. Answers what the peer has to be told of, or null. */
    OwnWindows.Grant withdraw(ExportedRegion region) {
        lock.lock();
        try {
            return ownWindows.withdraw(region);
        } finally {
            lock.unlock();
        }
    }

    /** Posts what there is room for. */
    private Outcome pump(List<OwnWindows.Grant> bound) {
        String failure = null;
        try {
            while (qp != null && !broken && culprit == null && postList()) {
                // as long as there is something and room
            }
        } catch (IOException | FabricException e) {
            failure = e.getMessage();
        }
        if (culprit != null) {
            failure = "not allowed by the peer: " + culprit;
        }
        boolean wants = !broken && qp != null && (firstWaiting != null || !bindings.isEmpty() || bindsPosted > 0);
        boolean begins = wants && !wantsEvents;
        boolean ends = !wants && wantsEvents;
        wantsEvents = wants;
        if (failure == null && bound == null) {
            return begins ? Outcome.BEGINS : ends ? Outcome.ENDS : Outcome.NOTHING;
        }
        return new Outcome(failure, begins, ends, bound == null ? List.of() : bound);
    }

    private boolean postList() throws IOException, FabricException {
        int count;
        try {
            count = fillList();
        } catch (IOException | FabricException | RuntimeException e) {
            posted += filled; // they have left the waiting list; failing the connection completes them
            throw e;
        }
        if (count == 0) {
            return false;
        }
        SendCall.Entry last = call.getWrMod(count - 1);
        last.setSend_flags(last.getSend_flags() | IbvSendWR.IBV_SEND_SIGNALED);
        posted += count;
        call.execute(count);
        return true;
    }

    private int fillList() throws IOException, FabricException {
        int count = 0;
        int unsignalledBytes = 0;
        filled = 0;
        while (count < LIST && posted + count - retired < DEPTH) {
            SendCall.Entry entry = call.getWrMod(count);
            int slot = (int) ((posted + count) % DEPTH);
            int flags = fillNext(entry, slot, count);
            if (flags < 0) {
                break;
            }
            unsignalledBytes += chunkLengths[slot];
            if (unsignalledBytes >= CHUNK_BYTES_MAX) {
                flags |= IbvSendWR.IBV_SEND_SIGNALED;
                unsignalledBytes = 0;
            }
            entry.setWr_id(WorkId.ofSend(connection.queueIndex(), posted + count));
            entry.setSend_flags(flags);
            count++;
            filled = count;
        }
        return count;
    }

    /** Fills in the next request; answers its flags, or -1 when there is none, or no room for its bytes. */
    private int fillNext(SendCall.Entry entry, int slot, int position) throws IOException, FabricException {
        requests[slot] = null;
        boundGrants[slot] = null;
        chunkLengths[slot] = 0;
        stagingOffsets[slot] = -1;
        for (OwnWindows.Grant grant = bindings.poll(); grant != null; grant = bindings.poll()) {
            if (!grant.isWithdrawn()) {
                ownWindows.bind(grant, entry);
                boundGrants[slot] = grant;
                stagingPositions[slot] = staging == null ? 0 : staging.position();
                bindsPosted++;
                return 0;
            }
        }
        WorkRequest request = firstWaiting;
        if (request == null) {
            return -1;
        }
        int left = request.lengthBytes() - firstPostedBytes;
        PeerWindows.Window window = null;
        if (left > 0) {
            window = peerWindows.find(request.rkey());
            WorkStatus refusal = check(request, window);
            if (refusal != null) {
                culprit = request;
                culpritStatus = refusal;
                return -1;
            }
        }
        int flags = fillLocal(entry, slot, position, request, left);
        if (flags < 0) {
            return -1;
        }
        int length = chunkLengths[slot];
        if (length > 0) {
            entry.setRemote_addr(window.address() + request.remoteOffset() + firstPostedBytes);
            entry.setRkey(window.cardKey());
        }
        boolean isLast = length == left;
        if (request.kind() == WorkKind.READ) {
            entry.setOpcode(IbvSendWR.IBV_WR_RDMA_READ);
        } else if (request.kind() == WorkKind.WRITE_WITH_IMMEDIATE && isLast) {
            entry.setOpcode(IbvSendWR.IBV_WR_RDMA_WRITE_WITH_IMM);
            entry.setImmediate(request.immediate());
        } else {
            entry.setOpcode(IbvSendWR.IBV_WR_RDMA_WRITE);
        }
        requests[slot] = request;
        chunkOffsets[slot] = firstPostedBytes;
        stagingPositions[slot] = staging == null ? 0 : staging.position();
        endsRequest[slot] = isLast;
        firstPostedBytes += length;
        if (isLast) {
            firstPostedBytes = 0;
            firstWaiting = request.next();
            if (firstWaiting == null) {
                lastWaiting = null;
            }
        }
        return flags;
    }

    /** What the peer's card would say, said before it is asked: a refused request ends the queue pair for both sides. */
    private static WorkStatus check(WorkRequest request, PeerWindows.Window window) {
        int needed = request.kind() == WorkKind.READ ? Access.REMOTE_READ.bit : Access.REMOTE_WRITE.bit;
        if (window == null || (window.accessBits() & needed) == 0) {
            return WorkStatus.REMOTE_ACCESS_ERROR;
        }
        boolean isInside =
                request.remoteOffset() >= 0 && request.remoteOffset() <= window.lengthBytes() - request.lengthBytes();
        return isInside ? null : WorkStatus.REMOTE_BOUNDS_ERROR;
    }

    private int fillLocal(SendCall.Entry entry, int slot, int position, WorkRequest request, int left)
            throws IOException {
        entry.setNum_sge(left == 0 ? 0 : 1);
        if (left == 0) {
            return 0;
        }
        MemorySegment local = request.local();
        long offset = request.localOffset() + firstPostedBytes;
        boolean isWrite = request.kind() != WorkKind.READ;
        if (isWrite && left <= qp.inlineBytesMax()) {
            chunkLengths[slot] = left;
            entry.setLength(left);
            entry.setLkey(0);
            if (local.isNative()) {
                entry.setAddr(local.address() + offset);
            } else {
                long at = (long) position * qp.inlineBytesMax();
                MemorySegment.copy(local, offset, inlineCopies, at, left);
                entry.setAddr(inlineCopies.address() + at);
            }
            return IbvSendWR.IBV_SEND_INLINE;
        }
        if (local.isNative()) {
            VerbsDevice.Registration registered = device.find(local.address() + offset, left);
            if (registered != null) {
                int length = Math.min(left, CHUNK_BYTES_MAX);
                chunkLengths[slot] = length;
                entry.setAddr(local.address() + offset);
                entry.setLength(length);
                entry.setLkey(registered.lkey());
                return 0;
            }
        }
        if (staging == null) {
            staging = new StagingRing(device);
        }
        int length = Math.min(left, StagingRing.PART_BYTES_MAX);
        int at = staging.allocate(length);
        if (at < 0) {
            return -1;
        }
        if (isWrite) {
            MemorySegment.copy(LocalMemory.of(request), offset, staging.memory(), at, length);
        }
        chunkLengths[slot] = length;
        stagingOffsets[slot] = at;
        entry.setAddr(staging.memory().address() + at);
        entry.setLength(length);
        entry.setLkey(staging.lkey());
        return 0;
    }

    /** A signalled request was successful, and so was everything before it. */
    Outcome retire(long sequence) {
        lock.lock();
        try {
            if (broken) {
                return Outcome.NOTHING;
            }
            List<OwnWindows.Grant> bound = retireUpTo(sequence + 1);
            return pump(bound);
        } finally {
            lock.unlock();
        }
    }

    private List<OwnWindows.Grant> retireUpTo(long end) {
        List<OwnWindows.Grant> bound = null;
        for (long sequence = retired; sequence < end; sequence++) {
            int slot = (int) (sequence % DEPTH);
            OwnWindows.Grant grant = boundGrants[slot];
            WorkRequest request = requests[slot];
            if (grant != null) {
                bindsPosted--;
                if (ownWindows.bound(grant)) {
                    bound = bound == null ? new ArrayList<>() : bound;
                    bound.add(grant);
                }
            } else if (request != null) {
                if (stagingOffsets[slot] >= 0 && request.kind() == WorkKind.READ) {
                    MemorySegment.copy(
                            staging.memory(),
                            stagingOffsets[slot],
                            LocalMemory.of(request),
                            request.localOffset() + chunkOffsets[slot],
                            chunkLengths[slot]);
                }
                if (endsRequest[slot]) {
                    request.complete(WorkStatus.SUCCESS);
                }
            }
            requests[slot] = null;
            boundGrants[slot] = null;
            if (staging != null) {
                staging.release(stagingPositions[slot]);
            }
        }
        retired = Math.max(retired, end);
        return bound;
    }

    /** A request failed; those before it were successful. Its own status is given when everything is completed. */
    void failed(long sequence, WorkStatus status) {
        lock.lock();
        try {
            if (broken || sequence < retired) {
                return;
            }
            var _ = retireUpTo(sequence);
            if (culprit == null && status != WorkStatus.CONNECTION_FAILED) {
                culprit = requests[(int) (sequence % DEPTH)];
                culpritStatus = status;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Nothing is posted from now on. True if it was counted as wanting events. */
    boolean stop() {
        lock.lock();
        try {
            broken = true;
            qp = null;
            boolean wanted = wantsEvents;
            wantsEvents = false;
            return wanted;
        } finally {
            lock.unlock();
        }
    }

    /** The queue pair is in the error state: frees the windows that were bound to it. */
    void freeWindows() {
        lock.lock();
        try {
            if (!broken && !wasOpen) {
                return; // nothing was bound yet, and what waits to be goes to the next queue pair
            }
            ownWindows.freeAll();
            bindings.clear();
        } finally {
            lock.unlock();
        }
    }

    /** The queue pair is gone, so that nobody touches the requests' memory any more: completes them all. */
    void failAll() {
        lock.lock();
        try {
            for (long sequence = retired; sequence < posted; sequence++) {
                int slot = (int) (sequence % DEPTH);
                if (requests[slot] != null && endsRequest[slot]) {
                    completeFailed(requests[slot]);
                }
                requests[slot] = null;
                boundGrants[slot] = null;
            }
            retired = posted;
            for (WorkRequest request = firstWaiting; request != null; ) {
                WorkRequest next = request.next();
                completeFailed(request);
                request = next;
            }
            firstWaiting = null;
            lastWaiting = null;
        } finally {
            lock.unlock();
        }
    }

    private void completeFailed(WorkRequest request) {
        request.complete(request.equals(culprit) ? culpritStatus : WorkStatus.CONNECTION_FAILED);
    }

    /** Sequence up to which everything is retired; posted is where the next goes. */
    long retired() {
        return retired;
    }

    /** Sequence of the next request. */
    long posted() {
        lock.lock();
        try {
            return posted;
        } finally {
            lock.unlock();
        }
    }

    /** True when the oldest request at the card carries an immediate. */
    boolean waitsForReceiver() {
        lock.lock();
        try {
            WorkRequest oldest = requests[(int) (retired % DEPTH)];
            return posted > retired && oldest != null && oldest.kind() == WorkKind.WRITE_WITH_IMMEDIATE;
        } finally {
            lock.unlock();
        }
    }

    /** True when a request's memory had to be copied. */
    boolean hasStaging() {
        lock.lock();
        try {
            return staging != null;
        } finally {
            lock.unlock();
        }
    }

    /** Frees the staging memory. After {@link #failAll}. */
    void close() {
        lock.lock();
        try {
            if (staging != null) {
                staging.close();
                staging = null;
            }
        } finally {
            lock.unlock();
        }
    }
}
