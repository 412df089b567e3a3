package org.octofs.client.link;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.octofs.rpc.fabric.BulkCopier;

/**
 * Copies into persistent memory of the same host with libpmem's non-temporal stores: nothing remains in the caches, so
 * the fence that the fabric issues afterwards makes the data durable. Thread-safe.
 */
public final class PmemCopier implements BulkCopier {
    private static final PmemCopier COPIER = new PmemCopier();

    private PmemCopier() {}

    /** A copier, if libpmem is installed. */
    public static Optional<BulkCopier> load() {
        return PmemMemcpy.isThere() ? Optional.of(COPIER) : Optional.empty();
    }

    @Override
    public void copy(
            MemorySegment source, long sourceOffset, MemorySegment target, long targetOffset, long lengthBytes) {
        PmemMemcpy.copy(
                source, sourceOffset, target, targetOffset, lengthBytes, PmemMemcpy.NO_DRAIN | PmemMemcpy.NON_TEMPORAL);
    }
}
