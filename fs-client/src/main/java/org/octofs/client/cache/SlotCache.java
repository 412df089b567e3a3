package org.octofs.client.cache;

import java.util.concurrent.locks.ReentrantLock;

/**
 * Pool offsets, at their homes, of inode slots. Four-way set associative, of fixed size; the oldest of a set makes room.
 *
 * <p>Threading: thread-safe. Allocates nothing after construction.
 */
public final class SlotCache {
    private static final int WAYS = 4;

    private final ReentrantLock lock = new ReentrantLock();
    private final long[] inos;
    private final long[] offsets;
    private final int setMask;

    /**
     * An empty cache.
     *
     * @param entries a power of two, at least 4
     */
    public SlotCache(int entries) {
        int size = Math.max(WAYS, entries);
        inos = new long[size];
        offsets = new long[size];
        setMask = size / WAYS - 1;
    }

    /** Pool offset of the inode's slot, 0 if unknown. */
    public long get(long ino) {
        int first = setOf(ino);
        lock.lock();
        try {
            for (int i = first; i < first + WAYS; i++) {
                if (inos[i] == ino) {
                    return offsets[i];
                }
            }
            return 0;
        } finally {
            lock.unlock();
        }
    }

    /** Remembers where a slot is; 0 for the offset is ignored. */
    public void put(long ino, long slotOffset) {
        if (slotOffset == 0) {
            return;
        }
        int first = setOf(ino);
        lock.lock();
        try {
            int i = first;
            while (i < first + WAYS - 1 && inos[i] != ino) {
                i++;
            }
            // The newest goes first, the others move down, the last one falls out (or the old entry closes up).
            for (; i > first; i--) {
                inos[i] = inos[i - 1];
                offsets[i] = offsets[i - 1];
            }
            inos[first] = ino;
            offsets[first] = slotOffset;
        } finally {
            lock.unlock();
        }
    }

    /** Forgets an inode. */
    public void remove(long ino) {
        int first = setOf(ino);
        lock.lock();
        try {
            for (int i = first; i < first + WAYS; i++) {
                if (inos[i] == ino) {
                    inos[i] = 0;
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private int setOf(long ino) {
        long hash = ino * 0x9E37_79B9_7F4A_7C15L;
        return (int) (hash >>> 33 & setMask) * WAYS;
    }
}
