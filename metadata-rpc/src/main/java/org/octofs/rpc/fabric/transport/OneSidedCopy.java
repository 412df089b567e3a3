package org.octofs.rpc.fabric.transport;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.octofs.rpc.fabric.BulkCopier;

/**
 * READ and WRITE as copies by the caller, for transports that have the peer's memory at hand. An aligned 8-byte copy is
 * one load or store, as on a network card: lock words and version words are read and written so.
 */
public final class OneSidedCopy {
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    private OneSidedCopy() {}

    /** Copies from the peer's memory; later loads are not done before it. */
    public static void read(
            MemorySegment remote, long remoteOffset, MemorySegment local, long localOffset, long lengthBytes) {
        if (isWord(remote, remoteOffset, lengthBytes)) {
            long word = (long) WORD.getAcquire(remote, remoteOffset);
            local.set(ValueLayout.JAVA_LONG_UNALIGNED, localOffset, word);
        } else {
            MemorySegment.copy(remote, remoteOffset, local, localOffset, lengthBytes);
        }
        // A READ of a version word that follows must not be satisfied before the data's loads.
        VarHandle.acquireFence();
    }

    /** Copies to the peer's memory; visible to it before anything stored later. */
    public static void write(
            MemorySegment local, long localOffset, MemorySegment remote, long remoteOffset, long lengthBytes) {
        if (isWord(remote, remoteOffset, lengthBytes)) {
            long word = local.get(ValueLayout.JAVA_LONG_UNALIGNED, localOffset);
            WORD.setRelease(remote, remoteOffset, word);
        } else {
            MemorySegment.copy(local, localOffset, remote, remoteOffset, lengthBytes);
        }
        VarHandle.releaseFence();
    }

    /** Copies to the peer's memory with the bulk copier, whose stores are weakly ordered until {@link #endBulk}. */
    public static void writeBulk(
            BulkCopier copier,
            MemorySegment local,
            long localOffset,
            MemorySegment remote,
            long remoteOffset,
            long lengthBytes) {
        copier.copy(local, localOffset, remote, remoteOffset, lengthBytes);
    }

    /** After the last piece of a bulk copy. */
    public static void endBulk() {
        VarHandle.fullFence(); // a locked instruction on x86, which drains non-temporal stores too
    }

    private static boolean isWord(MemorySegment remote, long remoteOffset, long lengthBytes) {
        return lengthBytes == Long.BYTES && ((remote.address() + remoteOffset) & (Long.BYTES - 1)) == 0;
    }
}
