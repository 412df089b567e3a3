package org.octofs.rpc.fabric.tcp;

/**
 * READs of the peer that wait to be answered: what, from where, how much. Grows when needed, keeps its size.
 *
 * <p>Threading: the connection's write lock. Limits: {@link #COUNT_MAX}.
 */
final class ReadQueue {
    /** More than any real peer has outstanding. */
    static final int COUNT_MAX = 1 << 20;

    private long[] rkeys = new long[16];
    private long[] offsets = new long[16];
    private int[] lengths = new int[16];
    private int head;
    private int count;

    boolean isEmpty() {
        return count == 0;
    }

    /** Answers false if there are too many. */
    boolean add(long rkey, long offset, int length) {
        if (count == COUNT_MAX) {
            return false;
        }
        if (count == rkeys.length) {
            grow();
        }
        int at = (head + count) & (rkeys.length - 1);
        rkeys[at] = rkey;
        offsets[at] = offset;
        lengths[at] = length;
        count++;
        return true;
    }

    long rkey() {
        return rkeys[head];
    }

    long offset() {
        return offsets[head];
    }

    int length() {
        return lengths[head];
    }

    void remove() {
        head = (head + 1) & (rkeys.length - 1);
        count--;
    }

    void clear() {
        count = 0;
    }

    private void grow() {
        int size = rkeys.length;
        long[] newRkeys = new long[2 * size];
        long[] newOffsets = new long[2 * size];
        int[] newLengths = new int[2 * size];
        for (int i = 0; i < count; i++) {
            int at = (head + i) & (size - 1);
            newRkeys[i] = rkeys[at];
            newOffsets[i] = offsets[at];
            newLengths[i] = lengths[at];
        }
        rkeys = newRkeys;
        offsets = newOffsets;
        lengths = newLengths;
        head = 0;
    }
}
