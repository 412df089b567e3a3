package org.octofs.client.bench;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.octofs.client.link.PmemMemcpy;

/** Ways to copy memory, as libpmem offers them. Thread-safe. */
enum MemoryCopy {
    /** As {@code memcpy}; in the caches afterwards. */
    PLAIN("memory copy", 0),
    /** Through the caches, then each line flushed, and a fence: durable. */
    FLUSHED("memory copy, flush, fence", PmemMemcpy.TEMPORAL),
    /** Past the caches. */
    NON_TEMPORAL("non-temporal copy", PmemMemcpy.NON_TEMPORAL | PmemMemcpy.NO_DRAIN),
    /** Past the caches, and a fence: durable. */
    NON_TEMPORAL_DURABLE("non-temporal copy, fence", PmemMemcpy.NON_TEMPORAL);

    private final String words;
    private final int flags;

    MemoryCopy(String words, int flags) {
        this.words = words;
        this.flags = flags;
    }

    String words() {
        return words;
    }

    /** Copies; both memories are native and stay alive. Without libpmem it is a plain copy and a fence. */
    void run(MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long lengthBytes) {
        if (this == PLAIN) {
            MemorySegment.copy(from, fromOffset, to, toOffset, lengthBytes);
        } else if (PmemMemcpy.isThere()) {
            PmemMemcpy.copy(from, fromOffset, to, toOffset, lengthBytes, flags);
        } else {
            MemorySegment.copy(from, fromOffset, to, toOffset, lengthBytes);
            VarHandle.fullFence();
        }
    }
}
