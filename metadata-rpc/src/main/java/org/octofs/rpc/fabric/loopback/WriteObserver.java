package org.octofs.rpc.fabric.loopback;

import java.lang.foreign.MemorySegment;

/** Sees the WRITEs of a loopback network around their effect; called by whoever executes them. */
public interface WriteObserver {
    /** Sees nothing. */
    WriteObserver NONE = new WriteObserver() {
        @Override
        public void writing(MemorySegment region, long offset, long lengthBytes) {
            // Nobody looks.
        }

        @Override
        public void written(MemorySegment region, long offset, long lengthBytes) {
            // Nobody looks.
        }
    };

    /**
     * A write is about to take effect; may throw an {@link Error}, then it never does.
     *
     * @param region the whole target region
     * @param offset within the region
     */
    void writing(MemorySegment region, long offset, long lengthBytes);

    /** The write has taken effect. */
    void written(MemorySegment region, long offset, long lengthBytes);
}
