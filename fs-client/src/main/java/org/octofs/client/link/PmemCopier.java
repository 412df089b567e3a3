package org.octofs.client.link;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.ref.Reference;
import java.util.Optional;
import org.octofs.rpc.fabric.BulkCopier;

/**
 * Copies into persistent memory of the same host with libpmem's non-temporal stores: nothing remains in the caches, so
 * the fence that the fabric issues afterwards makes the data durable. Thread-safe.
 */
public final class PmemCopier implements BulkCopier {
    /** A native call delays safepoints for as long as it runs, so big copies are cut. */
    private static final long PIECE_BYTES = 128 << 10;

    private static final int NO_DRAIN = 1;
    private static final int NON_TEMPORAL = 2;
    private static final String LIBRARY = "libpmem.so.1";

    private static final PmemCopier COPIER = new PmemCopier();

    private PmemCopier() {}

    /** The native function, in a constant: only then is a call as cheap as one in C. */
    private static final class Native {
        private static final MethodHandle MEMCPY = find();

        private static MethodHandle find() {
            try {
                SymbolLookup library = SymbolLookup.libraryLookup(LIBRARY, Arena.global());
                return library.find("pmem_memcpy")
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

    /** A copier, if libpmem is installed. */
    public static Optional<BulkCopier> load() {
        return Native.MEMCPY == null ? Optional.empty() : Optional.of(COPIER);
    }

    @Override
    public void copy(
            MemorySegment source, long sourceOffset, MemorySegment target, long targetOffset, long lengthBytes) {
        long from = source.address() + sourceOffset;
        long to = target.address() + targetOffset;
        try {
            for (long done = 0; done < lengthBytes; done += PIECE_BYTES) {
                long piece = Math.min(PIECE_BYTES, lengthBytes - done);
                long result = (long) Native.MEMCPY.invokeExact(to + done, from + done, piece, NO_DRAIN | NON_TEMPORAL);
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
