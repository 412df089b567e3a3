package org.octofs.pmem.log;

import java.util.Arrays;
import org.octofs.pmem.medium.PmemMedium;

/**
 * The cache lines that have been stored to but not flushed, each once however often it was stored to.
 * Threading: the log's worker. Allocates nothing after construction.
 * Limits:    at {@link #CAPACITY} lines it flushes them all (without a fence) and starts anew, so that a checkpoint never has
 *            more than that many left to write back.
 */
final class LineSet {
    static final int CAPACITY = 1024;
    // Half full at most, so that probing stays short.
    private static final int TABLE_LENGTH = 2 * CAPACITY;
    private static final long NONE = -1;

    private final PmemMedium medium;
    private final long[] table = new long[TABLE_LENGTH];
    private final long[] lines = new long[CAPACITY];
    private int count;
    private boolean fenceDue;

    LineSet(PmemMedium medium) {
        this.medium = medium;
        Arrays.fill(table, NONE);
    }

    void add(long offset, long lengthBytes) {
        if (lengthBytes == 0) {
            return;
        }
        long last = (offset + lengthBytes - 1) / PmemMedium.LINE_BYTES;
        for (long line = offset / PmemMedium.LINE_BYTES; line <= last; line++) {
            addLine(line);
        }
    }

    private void addLine(long line) {
        int at = slot(line);
        while (table[at] != NONE) {
            if (table[at] == line) {
                return;
            }
            at = (at + 1) & (TABLE_LENGTH - 1);
        }
        table[at] = line;
        lines[count++] = line;
        if (count == CAPACITY) {
            flush();
        }
    }

    private static int slot(long line) {
        long mixed = line * 0x9E37_79B9_7F4A_7C15L;
        return (int) (mixed >>> 40) & (TABLE_LENGTH - 1);
    }

    /** Flushes all lines and forgets them; the caller's next fence makes them durable. */
    void flush() {
        if (count == 0) {
            return;
        }
        // Neighbours go in one call when they were added one after the other, as the lines of one update are. Sorting
        // would find
        // more of them, but took most of the time of a full set (over 0.1 ms for 4096 lines).
        int from = 0;
        while (from < count) {
            int to = from + 1;
            while (to < count && lines[to] == lines[to - 1] + 1) {
                to++;
            }
            medium.flush(lines[from] * PmemMedium.LINE_BYTES, (long) (to - from) * PmemMedium.LINE_BYTES);
            from = to;
        }
        count = 0;
        fenceDue = true;
        Arrays.fill(table, NONE);
    }

    /** Fences if anything was flushed since the last one. */
    void fenceIfDue() {
        if (fenceDue) {
            medium.fence();
            fenceDue = false;
        }
    }

    /** Tells that the log has fenced for reasons of its own. */
    void fenced() {
        fenceDue = false;
    }

    int count() {
        return count;
    }
}
