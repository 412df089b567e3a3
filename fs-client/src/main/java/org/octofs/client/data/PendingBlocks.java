package org.octofs.client.data;

import java.util.Arrays;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.CommitExtentLayout;

/**
 * Blocks of one file that lie in lent space and wait for their commit, by file block. Insert or update, find, list in
 * order, clear; no single removal.
 *
 * <p>As long as each new block is the next one of the file and has nothing special about it, they are a <i>stream</i>: only
 * the runs that they lie in are kept, and their checksums. The first block that is not the next one makes it a hash table.
 *
 * <p>Threading: guarded by the file's lock. Limits: {@link #CAPACITY}, which is what one COMMIT may carry. Allocates only
 * while it grows beyond what it ever held.
 */
final class PendingBlocks {
    /** Most blocks of a COMMIT. */
    static final int CAPACITY = 4096;

    /** File blocks have 51 bits, indices 12: together a sortable positive long. */
    private static final int INDEX_BITS = 12;

    private static final int FIRST_CAPACITY = 16;

    /** {@link org.octofs.client.link.Links#restarts} when the first of them was pushed. */
    int pushedAtRestart;

    /** A commit of them was sent and its outcome is not known: it may have happened. */
    boolean commitInDoubt;

    /** Some were pushed, so that their nodes may have to be asked to make them durable; what was only copied there is. */
    private boolean pushed;

    private int count;
    private long lowest = Long.MAX_VALUE;
    private long highest = -1;
    private int[] checksums = new int[FIRST_CAPACITY];

    /** Block {@code i} is block {@code lowest + i} of the file and lies where the runs say; flags and expectations are 0. */
    private boolean stream = true;

    private int[] runFrom = new int[FIRST_CAPACITY];
    private long[] runLocation = new long[FIRST_CAPACITY];
    private int runs;

    // By index, not in use for a stream.
    private long[] fileBlocks = new long[FIRST_CAPACITY];
    private long[] locations = new long[FIRST_CAPACITY];
    private long[] expected = new long[FIRST_CAPACITY];
    private byte[] flags = new byte[FIRST_CAPACITY];

    /** Indices plus one, by hash of the file block. */
    private int[] table = new int[FIRST_CAPACITY * 2];

    private long[] order = new long[FIRST_CAPACITY];

    int count() {
        return count;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Whether any of them was pushed: all others are durable. */
    boolean hasPushed() {
        return pushed;
    }

    /** Whether any block of [first, last] may be pending; false is certain. */
    boolean mayTouch(long first, long last) {
        return first <= highest && last >= lowest;
    }

    /** The last file block; -1 if there is none. */
    long highest() {
        return highest;
    }

    /** Index of a file block, -1 if it is not pending. */
    int find(long fileBlock) {
        if (fileBlock > highest || fileBlock < lowest) {
            return -1;
        }
        if (stream) {
            return (int) (fileBlock - lowest);
        }
        int mask = table.length - 1;
        for (int at = hash(fileBlock) & mask; table[at] != 0; at = at + 1 & mask) {
            if (fileBlocks[table[at] - 1] == fileBlock) {
                return table[at] - 1;
            }
        }
        return -1;
    }

    /**
     * Adds a block or replaces what is known of it.
     *
     * @param newFlags of {@link CommitExtentLayout}
     */
    void put(long fileBlock, long location, int checksum, long expectedLocation, int newFlags) {
        pushed = true;
        set(fileBlock, location, checksum, expectedLocation, newFlags);
    }

    private void set(long fileBlock, long location, int checksum, long expectedLocation, int newFlags) {
        int index = find(fileBlock);
        if (stream && expectedLocation == 0 && newFlags == 0) {
            if (index < 0 && isNext(fileBlock, 1)) {
                index = append(fileBlock, location, 1);
            }
            if (index >= 0 && location(index) == location) {
                checksums[index] = checksum;
                return;
            }
        }
        if (stream) {
            endStream();
        }
        if (index < 0) {
            index = add(fileBlock);
        }
        locations[index] = location;
        checksums[index] = checksum;
        expected[index] = expectedLocation;
        flags[index] = (byte) newFlags;
    }

    /** As {@link #put} for blocks that follow each other in the file and in the pool, without flags. */
    void putRun(long firstBlock, long firstLocation, int[] newChecksums, int at, int blocks) {
        pushed = true;
        putCopied(firstBlock, firstLocation, newChecksums, at, blocks);
    }

    /** As {@link #putRun} for blocks that their node has copied itself, and made durable. */
    void putCopied(long firstBlock, long firstLocation, int[] newChecksums, int at, int blocks) {
        if (stream && isNext(firstBlock, blocks)) {
            int index = append(firstBlock, firstLocation, blocks);
            System.arraycopy(newChecksums, at, checksums, index, blocks);
            return;
        }
        for (int i = 0; i < blocks; i++) {
            set(firstBlock + i, firstLocation + i, newChecksums[at + i], 0, 0);
        }
    }

    private boolean isNext(long firstBlock, int blocks) {
        return (count == 0 || firstBlock == highest + 1) && count + blocks <= CAPACITY;
    }

    /** Adds blocks to the stream, but for their checksums; answers the index of the first. */
    private int append(long firstBlock, long firstLocation, int blocks) {
        int index = count;
        if (count + blocks > checksums.length) {
            checksums = Arrays.copyOf(checksums, capacityFor(count + blocks));
        }
        if (runs == 0 || !follows(runLocation[runs - 1], count - runFrom[runs - 1], firstLocation)) {
            if (runs == runFrom.length) {
                runFrom = Arrays.copyOf(runFrom, runs * 2);
                runLocation = Arrays.copyOf(runLocation, runs * 2);
            }
            runFrom[runs] = count;
            runLocation[runs++] = firstLocation;
        }
        lowest = Math.min(lowest, firstBlock);
        highest = firstBlock + blocks - 1;
        count += blocks;
        return index;
    }

    private static boolean follows(long location, int blocks, long next) {
        return next == location + blocks && BlockLocation.node(next) == BlockLocation.node(location);
    }

    /** Spells the stream out, block by block. */
    private void endStream() {
        int capacity = checksums.length;
        if (fileBlocks.length < capacity) {
            fileBlocks = new long[capacity];
            locations = new long[capacity];
            expected = new long[capacity];
            flags = new byte[capacity];
        }
        for (int run = 0; run < runs; run++) {
            int end = run + 1 < runs ? runFrom[run + 1] : count;
            for (int i = runFrom[run]; i < end; i++) {
                fileBlocks[i] = lowest + i;
                locations[i] = runLocation[run] + (i - runFrom[run]);
            }
        }
        Arrays.fill(expected, 0, count, 0);
        Arrays.fill(flags, 0, count, (byte) 0);
        stream = false;
        linkAll();
    }

    private int add(long fileBlock) {
        if (count == CAPACITY) {
            throw new IllegalStateException("more than " + CAPACITY + " blocks pending; commit before");
        }
        if (count == fileBlocks.length) {
            grow();
        }
        int index = count++;
        fileBlocks[index] = fileBlock;
        lowest = Math.min(lowest, fileBlock);
        highest = Math.max(highest, fileBlock);
        link(index);
        return index;
    }

    long fileBlock(int index) {
        return stream ? lowest + index : fileBlocks[index];
    }

    long location(int index) {
        if (!stream) {
            return locations[index];
        }
        int run = runOf(index);
        return runLocation[run] + (index - runFrom[run]);
    }

    /** The run of the stream that a block lies in; runs are few, and the last one is asked for most. */
    private int runOf(int index) {
        if (index >= runFrom[runs - 1]) {
            return runs - 1;
        }
        int found = Arrays.binarySearch(runFrom, 0, runs, index);
        return found >= 0 ? found : -found - 2;
    }

    int checksum(int index) {
        return checksums[index];
    }

    long expected(int index) {
        return stream ? 0 : expected[index];
    }

    int flags(int index) {
        return stream ? 0 : flags[index];
    }

    /** Whether block {@code i} in the order of file blocks is that of index {@code i}, for all, and none has a flag. */
    boolean isStream() {
        return stream;
    }

    /** Checksums by index. */
    int[] checksums() {
        return checksums;
    }

    /** Sorts by file block: {@link #ordered} and {@link #runEnd} answer then until the next change. */
    void sort() {
        if (stream) {
            return;
        }
        if (order.length < fileBlocks.length) {
            order = new long[fileBlocks.length];
        }
        boolean sorted = true;
        for (int i = 0; i < count; i++) {
            order[i] = fileBlocks[i] << INDEX_BITS | i;
            sorted &= i == 0 || order[i] > order[i - 1];
        }
        if (!sorted) {
            Arrays.sort(order, 0, count);
        }
    }

    /** Index of the block at a place in the order of file blocks. */
    int ordered(int place) {
        return stream ? place : (int) order[place] & CAPACITY - 1;
    }

    /** The place behind the run that begins at a place: blocks that follow each other in the file and in the pool. */
    int runEnd(int place) {
        if (stream) {
            int run = runOf(place);
            return run + 1 < runs ? runFrom[run + 1] : count;
        }
        int end = place + 1;
        while (end < count && continuesRun(end)) {
            end++;
        }
        return end;
    }

    private boolean continuesRun(int place) {
        int before = ordered(place - 1);
        int index = ordered(place);
        return flags[before] == flags[index]
                && (flags[index] & CommitExtentLayout.FLAG_MERGED) == 0
                && fileBlocks[index] == fileBlocks[before] + 1
                && follows(locations[before], 1, locations[index]);
    }

    void clear() {
        commitInDoubt = false;
        pushed = false;
        if (!stream) {
            Arrays.fill(table, 0);
            stream = true;
        }
        runs = 0;
        count = 0;
        lowest = Long.MAX_VALUE;
        highest = -1;
    }

    private static int capacityFor(int blocks) {
        return Math.max(FIRST_CAPACITY, Integer.highestOneBit(blocks - 1) * 2);
    }

    private void grow() {
        int capacity = fileBlocks.length * 2;
        fileBlocks = Arrays.copyOf(fileBlocks, capacity);
        locations = Arrays.copyOf(locations, capacity);
        expected = Arrays.copyOf(expected, capacity);
        flags = Arrays.copyOf(flags, capacity);
        if (checksums.length < capacity) {
            checksums = Arrays.copyOf(checksums, capacity);
        }
        linkAll();
    }

    private void linkAll() {
        if (table.length < fileBlocks.length * 2) {
            table = new int[fileBlocks.length * 2];
        } else {
            Arrays.fill(table, 0);
        }
        for (int i = 0; i < count; i++) {
            link(i);
        }
    }

    private void link(int index) {
        int mask = table.length - 1;
        int at = hash(fileBlocks[index]) & mask;
        while (table[at] != 0) {
            at = at + 1 & mask;
        }
        table[at] = index + 1;
    }

    private static int hash(long fileBlock) {
        return (int) ((fileBlock * 0x9E37_79B9_7F4A_7C15L) >>> 40);
    }
}
