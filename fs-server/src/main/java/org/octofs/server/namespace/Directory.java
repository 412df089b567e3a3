package org.octofs.server.namespace;

import java.util.Arrays;

/**
 * The entries of one directory in the order of their cookies, in DRAM: for listings. New entries get the largest cookie, so
 * that an insert appends; a removed entry leaves a gap until half the array is gaps.
 * Threading:  confined to the worker.
 * Cost:       12 bytes per entry and slack.
 */
final class Directory {
    private static final long[] NO_COOKIES = {};
    private static final int[] NO_REFERENCES = {};

    private long[] cookies = NO_COOKIES;
    private int[] references = NO_REFERENCES;
    private int used;
    private int live;
    private long nextCookie = DentryLayout.FIRST_COOKIE;
    private boolean sorted = true;

    int size() {
        return live;
    }

    /** A cookie larger than all so far. */
    long takeCookie() {
        return nextCookie++;
    }

    /** Adds an entry; in any order while recovering, see {@link #sort()}. */
    void add(long cookie, int reference) {
        if (used == cookies.length) {
            int larger = used < 4 ? 4 : used + (used >> 1);
            cookies = Arrays.copyOf(cookies, larger);
            references = Arrays.copyOf(references, larger);
        }
        if (used > 0 && cookie <= cookies[used - 1]) {
            sorted = false;
        }
        cookies[used] = cookie;
        references[used] = reference;
        used++;
        live++;
        nextCookie = Math.max(nextCookie, cookie + 1);
    }

    /** Removes the entry with this cookie and reference; true if it was there. */
    boolean remove(long cookie, int reference) {
        sort();
        int at = Arrays.binarySearch(cookies, 0, used, cookie);
        if (at < 0 || references[at] != reference) {
            return false;
        }
        references[at] = 0;
        live--;
        if (live == 0) {
            cookies = NO_COOKIES;
            references = NO_REFERENCES;
            used = 0;
        } else if (used > 16 && live < used / 2) {
            compact();
        }
        return true;
    }

    /** Position of the first entry whose cookie is larger, for {@link #referenceAt}. */
    int positionAfter(long cookie) {
        sort();
        int at = Arrays.binarySearch(cookies, 0, used, cookie);
        return at < 0 ? -at - 1 : at + 1;
    }

    /** Number of positions. */
    int positions() {
        return used;
    }

    /** The entry at a position, 0 for a gap. */
    int referenceAt(int position) {
        return references[position];
    }

    long memoryBytes() {
        return 64 + (long) cookies.length * (Long.BYTES + Integer.BYTES);
    }

    private void compact() {
        int to = 0;
        for (int from = 0; from < used; from++) {
            if (references[from] != 0) {
                cookies[to] = cookies[from];
                references[to] = references[from];
                to++;
            }
        }
        used = to;
        cookies = Arrays.copyOf(cookies, used + (used >> 2));
        references = Arrays.copyOf(references, cookies.length);
    }

    // Recovery finds entries in the order of their slots. Sorted once, when first needed, with the reference riding
    // along.
    private void sort() {
        if (sorted) {
            return;
        }
        quickSort(0, used - 1);
        sorted = true;
    }

    private void quickSort(int from, int to) {
        int low = from;
        int high = to;
        while (low < high) {
            long pivot = cookies[(low + high) >>> 1];
            int left = low;
            int right = high;
            while (left <= right) {
                while (cookies[left] < pivot) {
                    left++;
                }
                while (cookies[right] > pivot) {
                    right--;
                }
                if (left <= right) {
                    swap(left++, right--);
                }
            }
            // Recursion into the smaller part only keeps the stack short whatever the order was.
            if (right - low < high - left) {
                quickSort(low, right);
                low = left;
            } else {
                quickSort(left, high);
                high = right;
            }
        }
    }

    private void swap(int a, int b) {
        long cookie = cookies[a];
        cookies[a] = cookies[b];
        cookies[b] = cookie;
        int reference = references[a];
        references[a] = references[b];
        references[b] = reference;
    }
}
