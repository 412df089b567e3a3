package org.octofs.client.link;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.ref.Reference;

/** pmem_memcpy(3) of the installed libpmem. Thread-safe. */
public final class PmemMemcpy {
    /** PMEM_F_MEM_NODRAIN: no fence at the end. */
    public static final int NO_DRAIN = 1;

    /** PMEM_F_MEM_NONTEMPORAL: past the caches. */
    public static final int NON_TEMPORAL = 2;

    /** PMEM_F_MEM_TEMPORAL: through the caches. */
    public static final int TEMPORAL = 4;

    /** A native call delays safepoints for as long as it runs, so big copies are cut. */
    private static final long PIECE_BYTES = 128 << 10;

    /** The native function, in a constant: only then is a call as cheap as one in C. Null if it is not there. */
    private static final MethodHandle MEMCPY = find();

    private PmemMemcpy() {}

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

    /** Whether libpmem is installed. */
    public static boolean isThere() {
        return MEMCPY != null;
    }

    /** Copies between native memories, which the caller keeps alive; only if {@link #isThere}. */
    public static void copy(
            MemorySegment source,
            long sourceOffset,
            MemorySegment target,
            long targetOffset,
            long lengthBytes,
            int flags) {
        long from = source.address() + sourceOffset;
        long to = target.address() + targetOffset;
        try {
            for (long done = 0; done < lengthBytes; done += PIECE_BYTES) {
                long piece = Math.min(PIECE_BYTES, lengthBytes - done);
                long result = (long) MEMCPY.invokeExact(to + done, from + done, piece, flags);
                assert result == to + done : "pmem_memcpy returned another address";
            }
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("pmem_memcpy failed", e);
        } finally {
            Reference.reachabilityFence(source);
            Reference.reachabilityFence(target);
        }
    }
}
