package org.octofs.client.link;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;

/**
 * Lends {@link Scratch}. Thread-safe. Allocates only while more operations run at once than ever before, or more than
 * the pool keeps.
 */
public final class ScratchPool<S extends Scratch> {
    private final AtomicReferenceArray<S> free;
    private final int mask;
    private final Supplier<S> fresh;

    /** @param kept how many are kept while nobody needs them, a power of two */
    public ScratchPool(int kept, Supplier<S> fresh) {
        this.free = new AtomicReferenceArray<>(kept);
        this.mask = kept - 1;
        this.fresh = fresh;
    }

    /** One for the caller alone, until it gives it back; its {@link Scratch#deadline} begins anew. */
    public S borrow() {
        int from = (int) Thread.currentThread().threadId();
        for (int i = 0; i <= mask; i++) {
            int at = from + i & mask;
            S scratch = free.getPlain(at);
            if (scratch != null && free.compareAndSet(at, scratch, null)) {
                scratch.deadline.begin();
                return scratch;
            }
        }
        return fresh.get();
    }

    /** Takes one back; one whose memory the fabric may still touch is left to the garbage collector. */
    public void giveBack(S scratch) {
        if (scratch.verbs.isAbandoned()) {
            return;
        }
        scratch.verbs.clear();
        int from = (int) Thread.currentThread().threadId();
        for (int i = 0; i <= mask; i++) {
            if (free.compareAndSet(from + i & mask, null, scratch)) {
                return;
            }
        }
    }
}
