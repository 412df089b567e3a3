package org.octofs.client.client;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Brings callers' memory into a form that the data path takes. */
final class Natives {
    private Natives() {}

    /** Whether the data path takes memory as it is: native, and less than 2 GiB. */
    static boolean isDirect(MemorySegment source) {
        return source.isNative() && source.byteSize() <= Integer.MAX_VALUE;
    }

    /** The bytes in a segment of their own that the data path takes: a slice, or a copy of heap memory. */
    static MemorySegment readable(MemorySegment source, long offset, int length) {
        if (source.isNative()) {
            return source.asSlice(offset, length);
        }
        MemorySegment copy = Arena.ofAuto().allocate(Math.max(1, length));
        MemorySegment.copy(source, offset, copy, 0, length);
        return copy;
    }
}
