package org.octofs.rpc.rpc;

import java.lang.foreign.MemorySegment;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.MemoryRegion;

/**
 * Where the replies of one slot land: at first a part of the region that all slots share, after growing a region of its
 * own.
 *
 * <p>Threading: by the monitor of its {@link ClientSlot}. Ownership: it moves only while no caller can be reading a reply
 * in it, that is, while a call is outstanding.
 */
final class ReplySlot {
    private final MemoryRegion base;
    private final long baseOffset;
    private final RegionPool pool;
    private MemoryRegion own;

    ReplySlot(MemoryRegion base, long baseOffset, RegionPool pool) {
        this.base = base;
        this.baseOffset = baseOffset;
        this.pool = pool;
    }

    MemorySegment memory() {
        return own == null ? base.memory() : own.memory();
    }

    long offset() {
        return own == null ? baseOffset : 0;
    }

    int lengthBytes() {
        return own == null ? RpcLimits.SLOT_BYTES_MIN : (int) own.lengthBytes();
    }

    long rkey() {
        return own == null ? base.rkey() : own.rkey();
    }

    /** Moves to a larger region. No reply is being read: the call waits for one that needs the room. */
    void grow(int slotBytes, Connection connection) throws FabricException {
        MemoryRegion larger = pool.acquire(slotBytes);
        connection.grant(larger);
        MemoryRegion old = own;
        own = larger;
        giveBack(old, connection);
    }

    /** Moves to half the size. The last reply has been read: a new call is about to be sent. */
    void shrink(Connection connection) {
        int half = lengthBytes() / 2;
        MemoryRegion old = own;
        if (half <= RpcLimits.SLOT_BYTES_MIN) {
            own = null;
        } else {
            try {
                MemoryRegion smaller = pool.acquire(half);
                connection.grant(smaller);
                own = smaller;
            } catch (FabricException e) {
                // No memory for a smaller one: the one we have stays good.
                return;
            }
        }
        giveBack(old, connection);
    }

    /** Back to the first place: a new connection begins there, and what was granted to the old one is worthless. */
    void reset() {
        if (own != null) {
            pool.release(own);
            own = null;
        }
    }

    private void giveBack(MemoryRegion old, Connection connection) {
        if (old != null) {
            connection.revoke(old);
            pool.release(old);
        }
    }
}
