package org.octofs.rpc.rpc;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.MemoryRegion;

/**
 * Memory for the grown slots of one peer, by size.
 *
 * <p>Never shared between peers: a peer that still writes to a region after it lost it must not hit somebody else's
 * message. Threading: any; the lock is held during an allocation, which is rare. Ownership: owns all regions handed out.
 */
final class RegionPool implements AutoCloseable {
    /** Free regions kept per size; more than that is given back to the system. */
    private static final int FREE_MAX = 4;

    private static final int SIZES =
            Integer.numberOfTrailingZeros(RpcLimits.SLOT_BYTES_MAX / RpcLimits.SLOT_BYTES_MIN) + 1;

    private final Fabric fabric;
    private final List<Deque<MemoryRegion>> free = new ArrayList<>();

    RegionPool(Fabric fabric) {
        this.fabric = fabric;
        for (int i = 0; i < SIZES; i++) {
            free.add(new ArrayDeque<>());
        }
    }

    synchronized MemoryRegion acquire(int slotBytes) throws FabricException {
        MemoryRegion region = free.get(sizeIndex(slotBytes)).poll();
        return region != null ? region : fabric.allocate(slotBytes, EnumSet.of(Access.REMOTE_WRITE));
    }

    /** Takes a region back; its old rkeys stop working at once. */
    synchronized void release(MemoryRegion region) {
        Deque<MemoryRegion> sameSize = free.get(sizeIndex((int) region.lengthBytes()));
        if (sameSize.size() >= FREE_MAX) {
            region.close();
        } else {
            region.renew();
            sameSize.push(region);
        }
    }

    private static int sizeIndex(int slotBytes) {
        return Integer.numberOfTrailingZeros(slotBytes / RpcLimits.SLOT_BYTES_MIN);
    }

    @Override
    public synchronized void close() {
        for (Deque<MemoryRegion> regions : free) {
            regions.forEach(MemoryRegion::close);
            regions.clear();
        }
    }
}
