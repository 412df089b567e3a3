package org.octofs.server.store;

import java.util.Arrays;
import org.agrona.collections.IntArrayList;

/**
 * Which pages and slots of the METADATA zone are in use, in DRAM only: one byte and one int per page. Recovery fills it.
 * Threading:  confined to the worker.
 * Durability: none; the media say the same through the page table, the slots' magic words, and reachability.
 * Limits:     2^26 pages, so that a slot's number fits an int.
 */
final class PageAllocator {
    static final int NONE = -1;

    private final byte[] kinds;
    private final int[] freeSlots; // one bit per free slot of a page with slots
    private final int[] freePages; // a stack; the lowest page is on top after a start
    private int freeCount;

    // Per kind, the pages with at least one free slot. A page is on its list exactly while its mask is not 0: only the
    // page on top gives slots, so only the top can become empty of them.
    private final IntArrayList[] partial = new IntArrayList[PageKind.REACHED + 1];

    // Freed since the last checkpoint: the log may still hold records that write to these pages.
    private final IntArrayList resting = new IntArrayList();

    PageAllocator(int pageCount) {
        kinds = new byte[pageCount];
        freeSlots = new int[pageCount];
        freePages = new int[pageCount];
        for (int kind = 0; kind < partial.length; kind++) {
            partial[kind] = new IntArrayList();
        }
    }

    int pageCount() {
        return kinds.length;
    }

    int kind(int page) {
        return kinds[page];
    }

    void setKind(int page, int kind) {
        kinds[page] = (byte) kind;
    }

    /** Pages that can be had, the resting ones among them. */
    int freePageCount() {
        return freeCount + resting.size();
    }

    int restingCount() {
        return resting.size();
    }

    /** A free page, or {@link #NONE} (then a checkpoint may free the resting ones). */
    int takePage() {
        return freeCount == 0 ? NONE : freePages[--freeCount];
    }

    /** Gives back a page that was taken and never got into the log. */
    void putBack(int page) {
        kinds[page] = PageKind.FREE;
        freePages[freeCount++] = page;
    }

    /** Frees a page that records in the log may still write to. */
    void rest(int page) {
        kinds[page] = PageKind.FREE;
        resting.addInt(page);
    }

    /** The log is empty: resting pages are as free as the others. */
    void checkpointed() {
        for (int i = 0; i < resting.size(); i++) {
            freePages[freeCount++] = resting.getInt(i);
        }
        resting.clear();
    }

    boolean hasFreeSlot(int kind) {
        return !partial[kind].isEmpty();
    }

    /** Takes a slot of a page that {@link #hasFreeSlot} has promised: page in the high bits, slot in the low five. */
    int takeSlot(int kind) {
        IntArrayList pages = partial[kind];
        int page = pages.getInt(pages.size() - 1);
        int slot = Integer.numberOfTrailingZeros(freeSlots[page]);
        freeSlots[page] &= ~(1 << slot);
        if (freeSlots[page] == 0) {
            pages.fastUnorderedRemove(pages.size() - 1);
        }
        return page << 5 | slot;
    }

    void freeSlot(int page, int slot) {
        int before = freeSlots[page];
        if ((before & 1 << slot) != 0) {
            throw new IllegalStateException("slot " + slot + " of metadata page " + page + " is freed twice");
        }
        freeSlots[page] = before | 1 << slot;
        if (before == 0) {
            partial[kinds[page]].addInt(page);
        }
    }

    /** A page becomes one with slots, those in {@code mask} free. */
    void addSlotPage(int page, int kind, int mask) {
        kinds[page] = (byte) kind;
        freeSlots[page] = mask;
        if (mask != 0) {
            partial[kind].addInt(page);
        }
    }

    int freeSlotMask(int page) {
        return freeSlots[page];
    }

    static int fullMask(int kind) {
        int count = PageKind.slotCount(kind);
        return count == Integer.SIZE ? -1 : (1 << count) - 1;
    }

    /**
     * Takes pages of {@code kind} with no used slot off the lists.
     *
     * @return how many pages were written to {@code target}
     */
    int takeEmptyPages(int kind, int[] target) {
        IntArrayList pages = partial[kind];
        int full = fullMask(kind);
        int found = 0;
        for (int i = pages.size() - 1; i >= 0 && found < target.length; i--) {
            int page = pages.getInt(i);
            if (freeSlots[page] == full) {
                target[found++] = page;
                freeSlots[page] = 0;
                pages.fastUnorderedRemove(i);
            }
        }
        return found;
    }

    /** Recovery is over: every page that is still FREE can be had. */
    void collectFreePages() {
        freeCount = 0;
        resting.clear();
        for (int page = kinds.length - 1; page >= 0; page--) {
            if (kinds[page] == PageKind.FREE) {
                freePages[freeCount++] = page;
            }
        }
    }

    /** Free slots in the pages that already have slots of {@code kind}. */
    long freeSlotCount(int kind) {
        long count = 0;
        IntArrayList pages = partial[kind];
        for (int i = 0; i < pages.size(); i++) {
            count += Integer.bitCount(freeSlots[pages.getInt(i)]);
        }
        return count;
    }

    /** Forgets everything. */
    void reset() {
        Arrays.fill(kinds, (byte) PageKind.FREE);
        Arrays.fill(freeSlots, 0);
        for (IntArrayList pages : partial) {
            pages.clear();
        }
        resting.clear();
        freeCount = 0;
    }
}
