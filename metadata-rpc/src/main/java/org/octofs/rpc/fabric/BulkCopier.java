package org.octofs.rpc.fabric;

import java.lang.foreign.MemorySegment;

/**
 * Copies large blocks into a peer's mapped memory, for instance with non-temporal stores. The fabric issues a full fence
 * afterwards, so the copier need not drain. Called from many threads; both segments stay alive during the call.
 */
@FunctionalInterface
public interface BulkCopier {
    /** Copies {@code lengthBytes}; ranges are checked and do not overlap. {@code source} is native memory. */
    void copy(MemorySegment source, long sourceOffset, MemorySegment target, long targetOffset, long lengthBytes);
}
