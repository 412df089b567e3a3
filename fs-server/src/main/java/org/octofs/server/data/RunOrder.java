package org.octofs.server.data;

/**
 * Brings runs of blocks into the order of their locations: the reservation table wants them so, and requests mostly have
 * them so. Confined to the worker; allocates nothing.
 */
final class RunOrder {
    private final int[] order;

    RunOrder(int capacity) {
        order = new int[capacity];
    }

    /** Sorts indices 0 to {@code count - 1} by {@code key}. Shell sort: nearly linear for nearly sorted input. */
    void sort(long[] key, int count) {
        for (int i = 0; i < count; i++) {
            order[i] = i;
        }
        for (int gap = gap(count); gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11) {
            for (int i = gap; i < count; i++) {
                int moved = order[i];
                int at = i;
                while (at >= gap && key[order[at - gap]] > key[moved]) {
                    order[at] = order[at - gap];
                    at -= gap;
                }
                order[at] = moved;
            }
        }
    }

    /** The index that is at place {@code i}. */
    int at(int i) {
        return order[i];
    }

    private static int gap(int count) {
        return count < 2 ? 0 : Math.max(1, count * 5 / 11);
    }
}
