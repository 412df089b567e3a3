package org.octofs.fuse.fuse;

import java.lang.foreign.MemorySegment;

/** Takes the entries of a listing with attributes, see {@link FuseOperations#readdirplus}. */
public interface EntrySink {
    /** Bytes of an entry but for its name. */
    int ENTRY_BYTES = 128 + 24;

    /** Bytes that are left; an entry takes {@link #ENTRY_BYTES} and its name. */
    int roomBytes();

    /**
     * Adds an entry. If it is taken and {@code entry} is not null, the kernel has looked the inode up once more.
     *
     * @param entry what a lookup of the name would answer; null if that cannot be had, or is not counted ("." and ".."): then the
     *     kernel gets the name alone
     * @param inode inode number, also where {@code entry} is null
     * @param mode any mode of the entry's type; only its type bits count
     * @param names memory that holds the name
     * @param nextCookie what the kernel gives to go on behind this entry; never 0
     * @return false if it does not fit: the listing ends before it
     */
    boolean add(
            EntryReply entry,
            long inode,
            int mode,
            MemorySegment names,
            long nameOffset,
            int nameBytes,
            long nextCookie);
}
