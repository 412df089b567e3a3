package org.octofs.client.data;

import java.util.Arrays;

/** Runs of lent blocks, taken from the front. Not thread-safe; its owner has a lock. */
final class LoanList {
    private static final int FIRST_CAPACITY = 8;

    private long[] locations = new long[FIRST_CAPACITY];
    private int[] counts = new int[FIRST_CAPACITY];
    private int head;
    private int tail;
    private int blocks;

    int blocks() {
        return blocks;
    }

    boolean isEmpty() {
        return blocks == 0;
    }

    void add(long location, int blockCount) {
        if (blockCount <= 0) {
            return;
        }
        blocks += blockCount;
        if (tail > head && locations[tail - 1] + counts[tail - 1] == location) {
            counts[tail - 1] += blockCount;
            return;
        }
        if (tail == locations.length) {
            makeRoom();
        }
        locations[tail] = location;
        counts[tail++] = blockCount;
    }

    /** Location of the first run; only if not empty. */
    long firstLocation() {
        return locations[head];
    }

    /** Blocks of the first run; only if not empty. */
    int firstCount() {
        return counts[head];
    }

    /** Takes blocks off the first run, at most all of it. */
    void takeFirst(int blockCount) {
        assert blockCount > 0 && blockCount <= counts[head] : blockCount;
        locations[head] += blockCount;
        counts[head] -= blockCount;
        blocks -= blockCount;
        if (counts[head] == 0 && ++head == tail) {
            head = 0;
            tail = 0;
        }
    }

    /** Puts blocks back that were taken last: they are the first again. */
    void putBack(long location, int blockCount) {
        blocks += blockCount;
        if (tail > head && locations[head] == location + blockCount) {
            locations[head] = location;
            counts[head] += blockCount;
            return;
        }
        if (head == 0) {
            if (tail == locations.length) {
                makeRoom();
            }
            System.arraycopy(locations, 0, locations, 1, tail);
            System.arraycopy(counts, 0, counts, 1, tail++);
            head = 1;
        }
        locations[--head] = location;
        counts[head] = blockCount;
    }

    /** Number of runs. */
    int runs() {
        return tail - head;
    }

    /** Location of a run. */
    long location(int run) {
        return locations[head + run];
    }

    /** Blocks of a run. */
    int count(int run) {
        return counts[head + run];
    }

    /** Moves everything to another list. */
    void moveTo(LoanList other) {
        while (!isEmpty()) {
            other.add(firstLocation(), firstCount());
            takeFirst(firstCount());
        }
    }

    private void makeRoom() {
        if (head > 0) {
            System.arraycopy(locations, head, locations, 0, tail - head);
            System.arraycopy(counts, head, counts, 0, tail - head);
            tail -= head;
            head = 0;
        } else {
            locations = Arrays.copyOf(locations, locations.length * 2);
            counts = Arrays.copyOf(counts, counts.length * 2);
        }
    }
}
