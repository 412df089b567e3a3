package org.octofs.fuse.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Fields of the kernel's structures: native byte order, no alignment asked for. */
final class Native {
    private Native() {}

    static int getInt(MemorySegment memory, long offset) {
        return memory.get(ValueLayout.JAVA_INT_UNALIGNED, offset);
    }

    static long getLong(MemorySegment memory, long offset) {
        return memory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset);
    }

    static void putShort(MemorySegment memory, long offset, int value) {
        memory.set(ValueLayout.JAVA_SHORT_UNALIGNED, offset, (short) value);
    }

    static void putInt(MemorySegment memory, long offset, int value) {
        memory.set(ValueLayout.JAVA_INT_UNALIGNED, offset, value);
    }

    static void putLong(MemorySegment memory, long offset, long value) {
        memory.set(ValueLayout.JAVA_LONG_UNALIGNED, offset, value);
    }
}
