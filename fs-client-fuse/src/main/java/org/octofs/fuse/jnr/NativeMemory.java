package org.octofs.fuse.jnr;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Reads and writes memory that the library names by address. Valid only while the library says that the memory is. */
final class NativeMemory {
    /** One segment over everything: a segment per pointer would be garbage per request. */
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    /** Longest string that the kernel passes: a path. */
    private static final int STRING_BYTES_MAX = 1 << 16;

    private NativeMemory() {}

    static int getInt(long address) {
        return ALL.get(ValueLayout.JAVA_INT_UNALIGNED, address);
    }

    static long getLong(long address) {
        return ALL.get(ValueLayout.JAVA_LONG_UNALIGNED, address);
    }

    static short getShort(long address) {
        return ALL.get(ValueLayout.JAVA_SHORT_UNALIGNED, address);
    }

    static void putInt(long address, int value) {
        ALL.set(ValueLayout.JAVA_INT_UNALIGNED, address, value);
    }

    /** The bytes of a C string, without the NUL at its end: whatever they are, they are not decoded. */
    static byte[] string(long address) {
        int length = 0;
        while (length < STRING_BYTES_MAX && ALL.get(ValueLayout.JAVA_BYTE, address + length) != 0) {
            length++;
        }
        return bytes(address, length);
    }

    static byte[] bytes(long address, int length) {
        byte[] copy = new byte[length];
        MemorySegment.copy(ALL, ValueLayout.JAVA_BYTE, address, copy, 0, length);
        return copy;
    }
}
