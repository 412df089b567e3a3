package org.octofs.server.check;

/**
 * What the check knows of each inode: where it is, and how often others refer to it. Open addressing over parallel arrays, sized
 * once: 32 bytes per place, 43 to 86 per inode.
 * Threading: confined to the check.
 */
final class InodeIndex {
    private final long[] inos;
    private final int[] slots;
    private final int[] names;
    private final int[] subdirectories;
    private final int[] entries;
    private final long[] name;
    private final int mask;
    private int size;

    /** Room for so many. */
    InodeIndex(long count) {
        long wanted = Math.max(16, count + (count >> 1) + 16);
        int capacity = Math.toIntExact(Long.highestOneBit(wanted - 1) << 1);
        mask = capacity - 1;
        inos = new long[capacity];
        slots = new int[capacity];
        names = new int[capacity];
        subdirectories = new int[capacity];
        entries = new int[capacity];
        name = new long[capacity];
    }

    int size() {
        return size;
    }

    /** Memory that it takes. */
    long memoryBytes() {
        return inos.length * 32L;
    }

    /** The place of an inode, -1 if it is not there. */
    int find(long ino) {
        int at = hash(ino);
        while (inos[at] != 0) {
            if (inos[at] == ino) {
                return at;
            }
            at = (at + 1) & mask;
        }
        return -1;
    }

    /** Adds an inode that is not there. */
    int add(long ino, int slotReference) {
        int at = hash(ino);
        while (inos[at] != 0) {
            at = (at + 1) & mask;
        }
        inos[at] = ino;
        slots[at] = slotReference;
        size++;
        return at;
    }

    private int hash(long ino) {
        long h = ino * 0x9E3779B97F4A7C15L;
        return (int) (h >>> 32) & mask;
    }

    /** Places, used or not. */
    int places() {
        return inos.length;
    }

    /** The inode at a place, 0 if none. */
    long ino(int at) {
        return inos[at];
    }

    /** Reference of its slot in the pool of its home. */
    int slot(int at) {
        return slots[at];
    }

    /** Dentries that name it. */
    int names(int at) {
        return names[at];
    }

    /** One of the dentries that name it: {node:16 | slot reference:32}; 0 if none. */
    long name(int at) {
        return name[at];
    }

    void addName(int at, int node, int dentryReference) {
        names[at]++;
        name[at] = (long) node << 32 | (dentryReference & 0xFFFF_FFFFL);
    }

    int entries(int at) {
        return entries[at];
    }

    void addEntry(int at) {
        entries[at]++;
    }

    int subdirectories(int at) {
        return subdirectories[at];
    }

    void addSubdirectory(int at) {
        subdirectories[at]++;
    }
}
