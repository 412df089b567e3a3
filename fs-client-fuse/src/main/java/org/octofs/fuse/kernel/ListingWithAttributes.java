package org.octofs.fuse.kernel;

import java.lang.foreign.MemorySegment;
import org.octofs.fuse.fuse.DirectoryBuffer;
import org.octofs.fuse.fuse.EntryReply;
import org.octofs.fuse.fuse.EntrySink;

/**
 * The answer to READDIRPLUS: each entry is a fuse_entry_out and then what it is in a READDIR. Inode 0 in the first says that only
 * the name is known, and counts no lookup.
 *
 * <p>Threading: confined to its loop's thread.
 */
final class ListingWithAttributes implements EntrySink {
    private final Answer answer;
    private int capacityBytes;
    private int sizeBytes;

    ListingWithAttributes(Answer answer) {
        this.answer = answer;
    }

    /** Starts an empty one of at most {@code capacity} bytes. */
    void reset(int capacity) {
        capacityBytes = capacity;
        sizeBytes = 0;
    }

    int sizeBytes() {
        return sizeBytes;
    }

    @Override
    public int roomBytes() {
        return capacityBytes - sizeBytes;
    }

    @Override
    public boolean add(
            EntryReply entry,
            long inode,
            int mode,
            MemorySegment names,
            long nameOffset,
            int nameBytes,
            long nextCookie) {
        int needed = KernelLayouts.EntryOut.SIZE_BYTES + DirectoryBuffer.entryBytes(nameBytes);
        if (needed > capacityBytes - sizeBytes) {
            return false;
        }
        int at = Answer.BODY + sizeBytes;
        if (entry == null) {
            answer.memory().asSlice(at, KernelLayouts.EntryOut.SIZE_BYTES).fill((byte) 0);
        } else {
            answer.entry(at, entry);
        }
        int nameAt = at + KernelLayouts.EntryOut.SIZE_BYTES;
        DirectoryBuffer.put(answer.memory(), nameAt, inode, mode, names, nameOffset, nameBytes, nextCookie);
        sizeBytes += needed;
        return true;
    }
}
