package org.octofs.rpc.fabric;

import java.lang.foreign.MemorySegment;

/**
 * Looks at the local memory of a request piece by piece while it is being moved, so that what it computes, a checksum
 * for one, finds the bytes in the processor's nearest cache: beside a copy from memory it then costs next to nothing.
 *
 * <p>Only transports that move bytes in the thread that posts call it, in that thread and in order. See
 * {@link WorkRequest#isPieced}.
 */
@FunctionalInterface
public interface PieceListener {
    /** Length of a piece; the last one of a request may be shorter. */
    int PIECE_BYTES = 4096;

    /** A piece has arrived in local memory (READ), or leaves it now (WRITE). */
    void moved(MemorySegment local, long localOffset, int lengthBytes);
}
