package org.octofs.rpc.fabric.transport;

import java.lang.foreign.MemorySegment;
import org.octofs.rpc.fabric.WorkRequest;

/** The local memory of a request, for threads that may not be the one that posted it. */
public final class LocalMemory {
    /** Never started, and owner of nothing: what it may use, all may. */
    private static final Thread ANYBODY = new Thread(() -> {}, "anybody");

    private LocalMemory() {}

    /**
     * The request's memory, usable by any thread: one may begin to move it and another go on. Memory of a confined arena is
     * used by its address: its owner has lent it to the fabric until the request is done, and a thread of the fabric is as
     * good as a network card.
     */
    public static MemorySegment of(WorkRequest request) {
        MemorySegment local = request.local();
        if (local.isAccessibleBy(ANYBODY)) {
            return local;
        }
        return MemorySegment.ofAddress(local.address()).reinterpret(local.byteSize());
    }
}
