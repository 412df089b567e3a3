package org.octofs.client.data;

import java.util.Arrays;
import org.octofs.rpc.protocol.BlockLocation;

/**
 * Blocks of one file that lie in lent space and wait for their commit, by file block. Insert or update, find, list in
 * order, clear; no single removal.
 *
 * <p>As long as each new block is the next one of the file, its index follows from its number; only then a hash table is
 * made. So a stream costs a few stores per block.
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

    private int count;
    private long lowest = Long.MAX_VALUE;
    private long highest = -1;
    private long[] fileBlocks = new long[FIRST_CAPACITY];
    private long[] locations = new long[FIRST_CAPACITY];
    private long[] expected = new long[FIRST_CAPACITY];
    private int[] checksums = new int[FIRST_CAPACITY];
    private byte[] flags = new byte[FIRST_CAPACITY];

    /** Indices plus one, by hash of the file block; not in use while {@link #dense}. */
    private int[] table = new int[FIRST_CAPACITY * 2];

    /** Block {@code i} is block {@code fileBlocks[0] + i} of the file, for all. */
    private boolean dense = true;

    private boolean anyFlags;
    private long[] order = new long[FIRST_CAPACITY];

    int count() {
        return count;
    }

    boolean isEmpty() {
        return count == 0;
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
        if (dense) {
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
     * @param newFlags of {@link org.octofs.rpc.protocol.CommitExtentLayout}
     */
    void put(long fileBlock, long location, int checksum, long expectedLocation, int newFlags) {
        int index = find(fileBlock);
        if (index < 0) {
            index = add(fileBlock);
        }
        locations[index] = location;
        checksums[index] = checksum;
        expected[index] = expectedLocation;
        flags[index] = (byte) newFlags;
        anyFlags |= newFlags != 0;
    }

    /** As {@link #put} for blocks that follow each other in the file and in the pool, without flags. */
    void putRun(long firstBlock, long firstLocation, int[] newChecksums, int at, int blocks) {
        if (!dense || (count > 0 && firstBlock != highest + 1) || count + blocks > CAPACITY) {
            for (int i = 0; i < blocks; i++) {
                put(firstBlock + i, firstLocation + i, newChecksums[at + i], 0, 0);
            }
            return;
        }
        while (count + blocks > fileBlocks.length) {
            grow();
        }
        for (int i = 0; i < blocks; i++) {
            fileBlocks[count + i] = firstBlock + i;
            locations[count + i] = firstLocation + i;
        }
        System.arraycopy(newChecksums, at, checksums, count, blocks);
        Arrays.fill(expected, count, count + blocks, 0);
        Arrays.fill(flags, count, count + blocks, (byte) 0);
        lowest = Math.min(lowest, firstBlock);
        highest = firstBlock + blocks - 1;
        count += blocks;
    }

    private int add(long fileBlock) {
        if (count == CAPACITY) {
            throw new IllegalStateException("more than " + CAPACITY + " blocks pending; commit before");
        }
        if (count == fileBlocks.length) {
            grow();
        }
        if (dense && count > 0 && fileBlock != highest + 1) {
            dense = false;
            linkAll();
        }
        int index = count++;
        fileBlocks[index] = fileBlock;
        lowest = Math.min(lowest, fileBlock);
        highest = Math.max(highest, fileBlock);
        if (!dense) {
            link(index);
        }
        return index;
    }

    long fileBlock(int index) {
        return fileBlocks[index];
    }

    long location(int index) {
        return locations[index];
    }

    int checksum(int index) {
        return checksums[index];
    }

    long expected(int index) {
        return expected[index];
    }

    int flags(int index) {
        return flags[index];
    }

    /** Whether block {@code i} in the order of file blocks is that of index {@code i}, for all. */
    boolean isDense() {
        return dense;
    }

    /** Whether any block has a flag. */
    boolean hasFlags() {
        return anyFlags;
    }

    /** Checksums by index. */
    int[] checksums() {
        return checksums;
    }

    /** Sorts by file block: {@link #ordered} answers then until the next change. */
    void sort() {
        if (dense) {
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
        return dense ? place : (int) order[place] & CAPACITY - 1;
    }

    /** Whether the block at a place of the order follows the one before it, in the file and in the pool. */
    boolean continuesRun(int place) {
        int before = ordered(place - 1);
        int index = ordered(place);
        return flags[before] == flags[index]
                && (flags[index] & org.octofs.rpc.protocol.CommitExtentLayout.FLAG_MERGED) == 0
                && fileBlocks[index] == fileBlocks[before] + 1
                && locations[index] == locations[before] + 1
                && BlockLocation.node(locations[index]) == BlockLocation.node(locations[before]);
    }

    void clear() {
        commitInDoubt = false;
        if (!dense) {
            Arrays.fill(table, 0);
            dense = true;
        }
        anyFlags = false;
        count = 0;
        lowest = Long.MAX_VALUE;
        highest = -1;
    }

    private void grow() {
        int capacity = fileBlocks.length * 2;
        fileBlocks = Arrays.copyOf(fileBlocks, capacity);
        locations = Arrays.copyOf(locations, capacity);
        expected = Arrays.copyOf(expected, capacity);
        checksums = Arrays.copyOf(checksums, capacity);
        flags = Arrays.copyOf(flags, capacity);
        if (!dense) {
            linkAll();
        }
    }

    private void linkAll() {
        if (table.length < fileBlocks.length * 2) {
            table = new int[fileBlocks.length * 2];
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
