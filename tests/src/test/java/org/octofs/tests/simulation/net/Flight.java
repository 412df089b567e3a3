package org.octofs.tests.simulation.net;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.random.RandomGenerator;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.WorkKind;
import org.octofs.rpc.fabric.WorkRequest;
import org.octofs.rpc.fabric.WorkStatus;
import org.octofs.rpc.fabric.transport.LocalMemory;
import org.octofs.rpc.fabric.transport.OneSidedCopy;

/** A posted request on its way. After its sender was told of a failure it goes on with a copy of its bytes, or is lost. */
final class Flight {
    private static final int PIECE_BYTES = 8;

    private final SimConnection from;
    private final WorkKind kind;
    private final long rkey;
    private final long remoteOffset;
    private final int immediate;
    private WorkRequest request;
    private MemorySegment payload;
    private long payloadOffset;
    private int lengthBytes;
    private boolean withImmediate;
    private boolean settled;
    private boolean lost;

    Flight(SimConnection from, WorkRequest request) {
        this.from = from;
        this.request = request;
        this.kind = request.kind();
        this.rkey = request.rkey();
        this.remoteOffset = request.remoteOffset();
        this.immediate = request.immediate();
        this.payload = LocalMemory.of(request);
        this.payloadOffset = request.localOffset();
        this.lengthBytes = request.lengthBytes();
        this.withImmediate = kind == WorkKind.WRITE_WITH_IMMEDIATE;
    }

    boolean isSettled() {
        return settled;
    }

    boolean isLost() {
        return lost;
    }

    void settle(WorkStatus outcome) {
        settled = true;
        WorkRequest toComplete = request;
        request = null;
        toComplete.complete(outcome);
    }

    /** The sender's memory is no longer ours: the wire holds a copy, or nothing. */
    void keepOnTheWire(boolean keep) {
        settled = true;
        if (keep && kind != WorkKind.READ) {
            byte[] copy = new byte[lengthBytes];
            MemorySegment.copy(payload, ValueLayout.JAVA_BYTE, payloadOffset, copy, 0, lengthBytes);
            payload = MemorySegment.ofArray(copy);
            payloadOffset = 0;
        } else {
            lost = true;
        }
    }

    /** The sender died while this was being sent: a part of it may arrive, without the immediate. */
    void keepPart(RandomGenerator random, boolean isBeingSent) {
        int pieces = lengthBytes / PIECE_BYTES;
        keepOnTheWire(isBeingSent && pieces > 1);
        withImmediate = false;
        lengthBytes = lost ? 0 : PIECE_BYTES * random.nextInt(pieces);
    }

    /** Takes effect at the peer. */
    WorkStatus execute() {
        SimConnection to = from.peer();
        if (to.state() != org.octofs.rpc.fabric.ConnectionState.OPEN) {
            return WorkStatus.CONNECTION_FAILED;
        }
        if (lengthBytes > 0) {
            WorkStatus outcome = copy(to);
            if (outcome != WorkStatus.SUCCESS) {
                return outcome;
            }
        }
        return !withImmediate || to.deliver(immediate) ? WorkStatus.SUCCESS : WorkStatus.CONNECTION_FAILED;
    }

    private WorkStatus copy(SimConnection to) {
        int accessBit = kind == WorkKind.READ ? Access.REMOTE_READ.bit : Access.REMOTE_WRITE.bit;
        SimRegion region = to.fabric().region(rkey);
        if (region == null || !to.grants(region, accessBit)) {
            return WorkStatus.REMOTE_ACCESS_ERROR;
        }
        MemorySegment remote = region.memory();
        if (remoteOffset < 0 || remoteOffset > remote.byteSize() - lengthBytes) {
            return WorkStatus.REMOTE_BOUNDS_ERROR;
        }
        if (kind == WorkKind.READ) {
            OneSidedCopy.read(remote, remoteOffset, payload, payloadOffset, lengthBytes);
        } else {
            OneSidedCopy.write(payload, payloadOffset, remote, remoteOffset, lengthBytes);
            to.fabric().remoteWrite(region, remoteOffset, lengthBytes);
        }
        return WorkStatus.SUCCESS;
    }
}
