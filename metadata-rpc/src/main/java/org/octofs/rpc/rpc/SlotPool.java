package org.octofs.rpc.rpc;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The free slots of a client, most recently used first: their memory is warm.
 *
 * <p>Threading: any; lock-free. Allocates nothing. The upper half of the head word counts changes, so that a slot which was
 * taken and given back in between is noticed.
 */
final class SlotPool {
    private static final int NONE = -1;

    private final int[] next;
    private final AtomicLong head = new AtomicLong();

    /** All of {@code slotCount} slots are free; 0 comes first. */
    SlotPool(int slotCount) {
        next = new int[slotCount];
        for (int i = 0; i < slotCount; i++) {
            next[i] = i + 1 < slotCount ? i + 1 : NONE;
        }
    }

    /**
     * Takes a free slot.
     *
     * @return its index, or -1 if there is none
     */
    int claim() {
        while (true) {
            long word = head.get();
            int index = (int) word;
            if (index == NONE) {
                return NONE;
            }
            if (head.compareAndSet(word, word(word, next[index]))) {
                return index;
            }
        }
    }

    /** Gives a slot back. */
    void release(int index) {
        while (true) {
            long word = head.get();
            next[index] = (int) word;
            if (head.compareAndSet(word, word(word, index))) {
                return;
            }
        }
    }

    boolean isEmpty() {
        return (int) head.get() == NONE;
    }

    private static long word(long previous, int index) {
        return ((previous >>> 32) + 1) << 32 | (index & 0xFFFF_FFFFL);
    }
}
