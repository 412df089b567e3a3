package org.octofs.fuse.fuse;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Part of a directory listing in the kernel's format, which every binding passes on as it is.
 *
 * <p>An entry, native byte order, aligned to 8: inode number u64, cookie of the next entry u64, bytes of the name u32, type
 * (the file type bits of the mode, shifted down by 12) u32, name, zeros up to the next multiple of 8.
 * Threading: confined to the thread that serves the request.
 */
public final class DirectoryBuffer {
    private static final int INODE_OFFSET = 0;
    private static final int COOKIE_OFFSET = INODE_OFFSET + Long.BYTES;
    private static final int NAME_BYTES_OFFSET = COOKIE_OFFSET + Long.BYTES;
    private static final int TYPE_OFFSET = NAME_BYTES_OFFSET + Integer.BYTES;
    private static final int NAME_OFFSET = TYPE_OFFSET + Integer.BYTES;
    private static final int TYPE_SHIFT = 12;
    private static final int TYPE_MASK = 0xF;

    private MemorySegment memory = MemorySegment.NULL;
    private int capacityBytes;
    private int sizeBytes;

    /** Starts an empty listing of at most {@code capacity} bytes at the start of {@code segment}. */
    public void reset(MemorySegment segment, int capacity) {
        memory = segment;
        capacityBytes = (int) Math.min(capacity, segment.byteSize());
        sizeBytes = 0;
    }

    /** Bytes filled so far. */
    public int sizeBytes() {
        return sizeBytes;
    }

    /**
     * Adds an entry.
     *
     * @param mode any mode of the entry's type; only its type bits count
     * @param nextCookie what the kernel gives to go on behind this entry; never 0
     * @return false if it does not fit: the listing ends before it
     */
    public boolean add(long inode, int mode, byte[] name, long nextCookie) {
        return add(inode, mode, MemorySegment.ofArray(name), 0, name.length, nextCookie);
    }

    /** As {@link #add(long, int, byte[], long)}, with a name that lies in memory. */
    public boolean add(long inode, int mode, MemorySegment names, long nameOffset, int nameBytes, long nextCookie) {
        int entryBytes = entryBytes(nameBytes);
        if (entryBytes > capacityBytes - sizeBytes) {
            return false;
        }
        int at = sizeBytes;
        put(memory, at, inode, mode, names, nameOffset, nameBytes, nextCookie);
        sizeBytes += entryBytes;
        return true;
    }

    /** Bytes of an entry with a name of {@code nameBytes}. */
    public static int entryBytes(int nameBytes) {
        return (NAME_OFFSET + nameBytes + Long.BYTES - 1) & -Long.BYTES;
    }

    /** Puts an entry of {@link #entryBytes} at {@code at}, where there must be room. */
    public static void put(
            MemorySegment memory,
            long at,
            long inode,
            int mode,
            MemorySegment names,
            long nameOffset,
            int nameBytes,
            long nextCookie) {
        // The padding first: the name then overwrites what it needs of the last word.
        memory.set(ValueLayout.JAVA_LONG_UNALIGNED, at + entryBytes(nameBytes) - Long.BYTES, 0);
        memory.set(ValueLayout.JAVA_LONG_UNALIGNED, at + INODE_OFFSET, inode);
        memory.set(ValueLayout.JAVA_LONG_UNALIGNED, at + COOKIE_OFFSET, nextCookie);
        memory.set(ValueLayout.JAVA_INT_UNALIGNED, at + NAME_BYTES_OFFSET, nameBytes);
        memory.set(ValueLayout.JAVA_INT_UNALIGNED, at + TYPE_OFFSET, (mode >> TYPE_SHIFT) & TYPE_MASK);
        MemorySegment.copy(names, nameOffset, memory, at + NAME_OFFSET, nameBytes);
    }
}
