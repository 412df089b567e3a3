package org.octofs.rpc.fabric.transport;

import java.lang.foreign.MemorySegment;
import org.octofs.rpc.fabric.WorkRequest;

/** The local memory of a request, for a thread that may not be the one that posted it. */
public final class LocalMemory {
    private LocalMemory() {}

    /**
     * The request's memory, usable by this thread. Memory of a confined arena is used by its address: its owner has lent
     * it to the fabric until the request is done, and a thread of the fabric is as good as a network card.
     */
    public static MemorySegment of(WorkRequest request) {
        MemorySegment local = request.local();
        if (local.isAccessibleBy(Thread.currentThread())) {
            return local;
        }
        return MemorySegment.ofAddress(local.address()).reinterpret(local.byteSize());
    }
}
