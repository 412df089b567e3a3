package org.octofs.rpc.fabric.tcp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.transport.ExportedRegion;
import org.octofs.rpc.fabric.transport.OneSidedCopy;

/**
 * READs of the peer that wait to be answered: what, from where, how much, and how many WRITEs behind them have been executed
 * already. An answer is taken from the region when it is sent, or from a copy made before. Grows when needed, keeps its
 * size.
 *
 * <p>Threading: the connection's write lock. Limits: {@link #COUNT_MAX}.
 */
final class ReadQueue {
    /** More than any real peer has outstanding. */
    static final int COUNT_MAX = 1 << 20;

    static final String TAKEN_BACK = "memory that the peer was reading was taken back";

    private long[] rkeys = new long[16];
    private long[] offsets = new long[16];
    private int[] lengths = new int[16];
    private MemorySegment[] copies = new MemorySegment[16];
    private int[] writesBehind = new int[16];
    private int head;
    private int count;

    /** How many at the front have copies. */
    private int copiedCount;

    private long bytes;

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
        copies[at] = null;
        writesBehind[at] = 0;
        count++;
        bytes += length;
        return true;
    }

    /** Bytes of all answers, with those of the oldest that are sent already. */
    long bytes() {
        return bytes;
    }

    /** A WRITE that follows the newest one has been executed. */
    void writeExecuted() {
        writesBehind[(head + count - 1) & (rkeys.length - 1)]++;
    }

    /** WRITEs executed between the oldest and the one after it. */
    int writesBehind() {
        return writesBehind[head];
    }

    /** True if no answer depends on a region any more. */
    boolean isCopied() {
        return copiedCount == count;
    }

    /**
     * Makes copies for all that have none.
     *
     * @param sent bytes of the oldest that need no copy any more
     */
    void copyAll(TcpConnection connection, int sent) throws TcpFailureException {
        for (; copiedCount < count; copiedCount++) {
            int at = (head + copiedCount) & (rkeys.length - 1);
            int skipped = copiedCount == 0 ? sent : 0;
            int length = lengths[at] - skipped;
            if (length == 0) {
                copies[at] = MemorySegment.NULL;
            } else {
                ExportedRegion region = connection.exportedRegion(rkeys[at], Access.REMOTE_READ);
                if (region == null) {
                    throw new TcpFailureException(TAKEN_BACK);
                }
                copies[at] = copyOf(connection, rkeys[at], region.memory(), offsets[at] + skipped, length);
            }
            offsets[at] = -skipped;
        }
    }

    /** A copy of exported memory, if the peer may read that. */
    static MemorySegment copyOf(TcpConnection connection, long rkey, MemorySegment memory, long offset, int length)
            throws TcpFailureException {
        MemorySegment copy = Arena.ofAuto().allocate(length, Long.BYTES);
        connection.enterMemory();
        try {
            if (!connection.ownPage().grants(rkey, Access.REMOTE_READ.bit)) {
                throw new TcpFailureException(TAKEN_BACK);
            }
            OneSidedCopy.read(memory, offset, copy, 0, length);
        } finally {
            connection.exitMemory();
        }
        return copy;
    }

    long rkey() {
        return rkeys[head];
    }

    /** Where the oldest answer begins in its region; with a copy, where it would begin there. */
    long offset() {
        return offsets[head];
    }

    int length() {
        return lengths[head];
    }

    /** Where to take the oldest answer from instead of its region, or null. */
    MemorySegment copy() {
        return copies[head];
    }

    void remove() {
        bytes -= lengths[head];
        copies[head] = null;
        copiedCount = Math.max(0, copiedCount - 1);
        head = (head + 1) & (rkeys.length - 1);
        count--;
    }

    void clear() {
        Arrays.fill(copies, null);
        count = 0;
        copiedCount = 0;
        bytes = 0;
    }

    private void grow() {
        int size = rkeys.length;
        long[] newRkeys = new long[2 * size];
        long[] newOffsets = new long[2 * size];
        int[] newLengths = new int[2 * size];
        MemorySegment[] newCopies = new MemorySegment[2 * size];
        int[] newWritesBehind = new int[2 * size];
        for (int i = 0; i < count; i++) {
            int at = (head + i) & (size - 1);
            newRkeys[i] = rkeys[at];
            newOffsets[i] = offsets[at];
            newLengths[i] = lengths[at];
            newCopies[i] = copies[at];
            newWritesBehind[i] = writesBehind[at];
        }
        rkeys = newRkeys;
        offsets = newOffsets;
        lengths = newLengths;
        copies = newCopies;
        writesBehind = newWritesBehind;
        head = 0;
    }
}
