package org.octofs.client.data;

import java.lang.foreign.Arena;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.octofs.client.link.Links;

/**
 * Lends {@link IoContext}s. Thread-safe. Allocates only while more operations run at once than ever before, or more than
 * {@link #KEPT}.
 */
final class IoContextPool {
    private static final int KEPT = 64;

    private final AtomicReferenceArray<IoContext> free = new AtomicReferenceArray<>(KEPT);
    private final Links links;

    IoContextPool(Links links) {
        this.links = links;
    }

    IoContext borrow() {
        int from = (int) Thread.currentThread().threadId() & KEPT - 1;
        for (int i = 0; i < KEPT; i++) {
            int slot = from + i & KEPT - 1;
            IoContext context = free.getPlain(slot);
            if (context != null && free.compareAndSet(slot, context, null)) {
                return context;
            }
        }
        return new IoContext(links, Arena.ofAuto());
    }

    /** Takes a context back; one whose memory the fabric may still touch is left to the garbage collector. */
    void giveBack(IoContext context) {
        if (context.verbs.isAbandoned()) {
            return;
        }
        context.verbs.clear();
        int from = (int) Thread.currentThread().threadId() & KEPT - 1;
        for (int i = 0; i < KEPT; i++) {
            int slot = from + i & KEPT - 1;
            if (free.compareAndSet(slot, null, context)) {
                return;
            }
        }
    }
}
