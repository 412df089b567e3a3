package org.octofs.pmem.medium;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The calls of libpmem that llpl does not offer: flush without drain, drain alone, copy from any memory.
 * All are critical downcalls (about 5 ns), so callers keep them short: see {@link PmemMedium#BULK_PIECE_BYTES}.
 * Threading: any; a drain waits for the flushes of its own thread.
 */
final class Libpmem {
    static final String LIBRARY = "libpmem.so.1";

    private static final int NO_DRAIN = 1;
    private static final Linker LINKER = Linker.nativeLinker();
    private static final SymbolLookup SYMBOLS = SymbolLookup.libraryLookup(LIBRARY, Arena.global());

    private static final MethodHandle FLUSH = LINKER.downcallHandle(
            SYMBOLS.findOrThrow("pmem_flush"),
            FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG),
            Linker.Option.critical(false));
    private static final MethodHandle DRAIN = LINKER.downcallHandle(
            SYMBOLS.findOrThrow("pmem_drain"), FunctionDescriptor.ofVoid(), Linker.Option.critical(false));
    // The source as a plain address: a segment argument would have to be sliced, which allocates when it is not
    // inlined.
    private static final MethodHandle COPY = LINKER.downcallHandle(
            SYMBOLS.findOrThrow("pmem_memcpy"),
            FunctionDescriptor.of(
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_INT),
            Linker.Option.critical(false));
    private static final MethodHandle COPY_FROM_HEAP = LINKER.downcallHandle(
            SYMBOLS.findOrThrow("pmem_memcpy"),
            FunctionDescriptor.of(
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.ADDRESS,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_INT),
            Linker.Option.critical(true));

    private Libpmem() {}

    /** Fails with an {@link IllegalArgumentException} or a linkage error when the library is not there. */
    static void load() {
        drain();
    }

    static void flush(long address, long lengthBytes) {
        try {
            FLUSH.invokeExact(address, lengthBytes);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static void drain() {
        try {
            DRAIN.invokeExact();
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Copies so that a drain makes it durable: non-temporally, or flushed when it is short (libpmem's threshold: 256 bytes). */
    static void copy(long targetAddress, MemorySegment source, long sourceOffset, long lengthBytes) {
        try {
            if (source.isNative()) {
                long ignored =
                        (long) COPY.invokeExact(targetAddress, source.address() + sourceOffset, lengthBytes, NO_DRAIN);
            } else {
                long ignored = (long) COPY_FROM_HEAP.invokeExact(
                        targetAddress, source.asSlice(sourceOffset, lengthBytes), lengthBytes, NO_DRAIN);
            }
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    private static IllegalStateException unexpected(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        return new IllegalStateException("a call of libpmem could not be made", e);
    }
}
