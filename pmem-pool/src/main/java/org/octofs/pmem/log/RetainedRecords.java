package org.octofs.pmem.log;

import java.util.Arrays;

/**
 * Where the retained records are, by the number that their commit answered, oldest first.
 * Threading: the log's worker. Grows by doubling; otherwise allocates nothing.
 */
final class RetainedRecords {
    private long[] sequences = new long[16];
    private long[] recordOffsets = new long[16];
    private int[] carriedBytes = new int[16];
    private int count;
    private long totalBytes;

    /** Adds a record; the caller has made sure that it is not there yet. */
    void add(long sequence, long recordOffset, int bytes) {
        if (count == sequences.length) {
            sequences = Arrays.copyOf(sequences, 2 * count);
            recordOffsets = Arrays.copyOf(recordOffsets, 2 * count);
            carriedBytes = Arrays.copyOf(carriedBytes, 2 * count);
        }
        int at = -(Arrays.binarySearch(sequences, 0, count, sequence) + 1);
        shift(at, at + 1, count - at);
        sequences[at] = sequence;
        recordOffsets[at] = recordOffset;
        carriedBytes[at] = bytes;
        count++;
        totalBytes += bytes;
    }

    boolean remove(long sequence) {
        int at = Arrays.binarySearch(sequences, 0, count, sequence);
        if (at < 0) {
            return false;
        }
        totalBytes -= carriedBytes[at];
        shift(at + 1, at, count - at - 1);
        count--;
        return true;
    }

    private void shift(int from, int to, int length) {
        System.arraycopy(sequences, from, sequences, to, length);
        System.arraycopy(recordOffsets, from, recordOffsets, to, length);
        System.arraycopy(carriedBytes, from, carriedBytes, to, length);
    }

    boolean contains(long sequence) {
        return Arrays.binarySearch(sequences, 0, count, sequence) >= 0;
    }

    int count() {
        return count;
    }

    /** Bytes that carrying all of them takes, wraps not counted. */
    long totalBytes() {
        return totalBytes;
    }

    long recordOffset(int index) {
        return recordOffsets[index];
    }

    void moved(int index, long recordOffset) {
        recordOffsets[index] = recordOffset;
    }
}
