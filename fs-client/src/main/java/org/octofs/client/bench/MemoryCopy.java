package org.octofs.client.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/** Ways to copy memory, as libpmem offers them. Thread-safe. */
enum MemoryCopy {
    /** As {@code memcpy}; in the caches afterwards. */
    PLAIN("memory copy", 0),
    /** Through the caches, then each line flushed, and a fence: durable. */
    FLUSHED("memory copy, flush, fence", 4),
    /** Past the caches. */
    NON_TEMPORAL("non-temporal copy", 2 | 1),
    /** Past the caches, and a fence: durable. */
    NON_TEMPORAL_DURABLE("non-temporal copy, fence", 2);

    /** A native call delays safepoints for as long as it runs. */
    private static final long PIECE_BYTES = 128 << 10;

    private final String words;
    private final int flags;

    MemoryCopy(String words, int flags) {
        this.words = words;
        this.flags = flags;
    }

    String words() {
        return words;
    }

    /** The native function in a constant; null without libpmem. */
    private static final class Native {
        private static final MethodHandle MEMCPY = find();

        private static MethodHandle find() {
            try {
                return SymbolLookup.libraryLookup("libpmem.so.1", Arena.global())
                        .find("pmem_memcpy")
                        .map(symbol -> Linker.nativeLinker()
                                .downcallHandle(
                                        symbol,
                                        FunctionDescriptor.of(
                                                ValueLayout.JAVA_LONG,
                                                ValueLayout.JAVA_LONG,
                                                ValueLayout.JAVA_LONG,
                                                ValueLayout.JAVA_LONG,
                                                ValueLayout.JAVA_INT),
                                        Linker.Option.critical(false)))
                        .orElse(null);
            } catch (IllegalArgumentException e) {
                return null;
            }
        }
    }

    /** Whether more than {@link #PLAIN} is to be had. */
    static boolean isPmemThere() {
        return Native.MEMCPY != null;
    }

    /** Copies; both memories are native and stay alive. Without libpmem it is a plain copy and a fence. */
    void run(MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long lengthBytes) {
        if (this == PLAIN || Native.MEMCPY == null) {
            MemorySegment.copy(from, fromOffset, to, toOffset, lengthBytes);
            if (this != PLAIN) {
                VarHandle.fullFence();
            }
            return;
        }
        long source = from.address() + fromOffset;
        long target = to.address() + toOffset;
        try {
            for (long done = 0; done < lengthBytes; done += PIECE_BYTES) {
                long piece = Math.min(PIECE_BYTES, lengthBytes - done);
                long result = (long) Native.MEMCPY.invokeExact(target + done, source + done, piece, flags);
                assert result == target + done : "pmem_memcpy returned another address";
            }
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("pmem_memcpy failed", e);
        }
    }
}
