package org.octofs.server.space;

import java.util.Arrays;
import org.agrona.collections.Long2LongHashMap;
import org.octofs.rpc.protocol.BlockLocation;

/**
 * Which blocks are lent to which client: the working copy, in DRAM, of the reservation table.
 *
 * <p>One entry is one run of blocks within one chunk (1 MiB), lent to one client. The table is exact at every moment: when
 * some blocks of a run become part of a file or come back, the entry is cut down, and splits if what is left is not one
 * run. Entries that covered used blocks as well would be cheaper to keep, but the same blocks could be freed and lent
 * again, and then two entries would claim them.
 *
 * <p>A split needs an entry more, and a commit must not fail for want of one. So lending is refused early: a run of n
 * blocks can never become more than ceil(n / 2) entries at the same time, and the sum of that over all runs is kept within
 * the capacity; cutting a run never raises the sum.
 *
 * <p>Changes are planned first ({@link #planBegin}, {@link #planUse} in the order of locations, {@link #planEnd}), so that
 * they can be put on media with the transaction that causes them, and take effect with {@link #planApply} once that is
 * durable, or never with {@link #planCancel}.
 *
 * <p>Threading: confined to the server's worker. Durability: none; {@link ReservationTable} has it. Allocates nothing in
 * steady state.
 */
final class LentRuns {
    static final int NONE = -1;

    private final Long2LongHashMap headByChunk = new Long2LongHashMap(NONE);
    private final long[] locationOf;
    private final int[] countOf;
    private final long[] clientOf;
    private final long[] tagOf;
    private final int[] next;
    private final int[] freeStack;
    private int freeCount;
    private int entryCeiling;
    private long blocks;
    private long[] blocksByNode = new long[1];
    private long potential;

    private int planEntry;
    private long planAt;
    private int planEmitted;
    private int planTaken;
    private int planCount;
    private int[] planIndex = new int[16];
    private int[] planSource = new int[16];
    private long[] planLocation = new long[16];
    private int[] planBlocks = new int[16];

    LentRuns(int capacity) {
        locationOf = new long[capacity];
        countOf = new int[capacity];
        clientOf = new long[capacity];
        tagOf = new long[capacity];
        next = new int[capacity];
        freeStack = new int[capacity];
        for (int i = 0; i < capacity; i++) {
            freeStack[i] = capacity - 1 - i;
        }
        freeCount = capacity;
    }

    int capacity() {
        return locationOf.length;
    }

    /** One more than the highest entry that was ever in use. */
    int ceiling() {
        return entryCeiling;
    }

    long lentBlocks() {
        return blocks;
    }

    /** Those of one node. */
    long lentBlocks(int node) {
        return node < blocksByNode.length ? blocksByNode[node] : 0;
    }

    int entries() {
        return locationOf.length - freeCount;
    }

    /** Most blocks that a run lent now may have, 0 = nothing can be lent. */
    int lendable() {
        return (int) Math.min(Integer.MAX_VALUE, Math.min(freeCount, locationOf.length - potential) * 2L);
    }

    /** The entry that the next {@link #add} fills. */
    int nextFree() {
        if (freeCount == 0) {
            throw new IllegalStateException("no reservation entry is free");
        }
        return freeStack[freeCount - 1];
    }

    /** Adds a run; it must lie in one chunk and be lent to nobody. @return its entry */
    int add(long location, int count, long client, long tag) {
        int entry = nextFree();
        freeCount--;
        fill(entry, location, count, client, tag);
        return entry;
    }

    /** Recovery: a run that was found in entry {@code entry}; {@link #recovered} must follow the last one. */
    void restore(int entry, long location, int count, long client, long tag) {
        fill(entry, location, count, client, tag);
    }

    /** Recovery is over: the entries that were not restored are free. */
    void recovered() {
        freeCount = 0;
        for (int entry = locationOf.length - 1; entry >= 0; entry--) {
            if (countOf[entry] == 0) {
                freeStack[freeCount++] = entry;
            }
        }
    }

    /** Drops an entry whole. */
    void remove(int entry) {
        unlink(entry);
        discount(entry);
        countOf[entry] = 0;
        freeStack[freeCount++] = entry;
    }

    long location(int entry) {
        return locationOf[entry];
    }

    /** Blocks of the run, 0 if the entry is free. */
    int count(int entry) {
        return countOf[entry];
    }

    long client(int entry) {
        return clientOf[entry];
    }

    long tag(int entry) {
        return tagOf[entry];
    }

    /** The entry that covers a block, -1 if it is lent to nobody. */
    int find(long location) {
        int entry = (int) headByChunk.get(location >>> 8);
        while (entry != NONE && (location < locationOf[entry] || location >= locationOf[entry] + countOf[entry])) {
            entry = next[entry];
        }
        return entry;
    }

    /** Starts a plan; there is at most one. */
    void planBegin() {
        assert planTaken == 0 && planCount == 0 : "a plan is open";
        planEntry = NONE;
    }

    /**
     * Plans to take blocks out of what {@code client} holds of {@code shard}.
     *
     * @param location not below the end of the run given before within this plan
     * @return false if one of the blocks is not lent to that client (or was given twice): the plan must be cancelled
     */
    boolean planUse(long client, int shard, long location, int count) {
        for (long at = location, end = location + count; at < end; ) {
            if (planEntry == NONE || at < locationOf[planEntry] || at >= locationOf[planEntry] + countOf[planEntry]) {
                planLeave();
                int entry = find(at);
                if (entry == NONE || clientOf[entry] != client || ReservationLayout.shardOfTag(tagOf[entry]) != shard) {
                    return false;
                }
                planEntry = entry;
                planAt = locationOf[entry];
                planEmitted = 0;
            }
            if (at < planAt) {
                return false;
            }
            if (at > planAt) {
                planEmit(planAt, (int) (at - planAt));
            }
            planAt = Math.min(end, locationOf[planEntry] + countOf[planEntry]);
            at = planAt;
        }
        return true;
    }

    /** Completes the plan: {@link #planCount()} changed entries. */
    void planEnd() {
        planLeave();
    }

    int planCount() {
        return planCount;
    }

    int planIndex(int i) {
        return planIndex[i];
    }

    /** The entry that change {@code i} inherits client and tag from. */
    int planSource(int i) {
        return planSource[i];
    }

    long planLocation(int i) {
        return planLocation[i];
    }

    /** Blocks of the entry afterwards, 0 = free. */
    int planBlocks(int i) {
        return planBlocks[i];
    }

    /** Makes the planned changes. */
    void planApply() {
        for (int i = 0; i < planCount; i++) {
            int entry = planIndex[i];
            int source = planSource[i];
            long client = clientOf[source];
            long tag = tagOf[source];
            // The source's own change comes first and its client and tag stay, so later fragments may still read them.
            if (entry == source) {
                unlink(entry);
                discount(entry);
                countOf[entry] = 0;
                if (planBlocks[i] == 0) {
                    freeStack[freeCount++] = entry;
                    continue;
                }
            }
            fill(entry, planLocation[i], planBlocks[i], client, tag);
        }
        planTaken = 0;
        planCount = 0;
    }

    /** Forgets the plan; entries taken for fragments are free again. */
    void planCancel() {
        for (int i = planCount - 1; i >= 0; i--) {
            if (planIndex[i] != planSource[i]) {
                freeStack[freeCount++] = planIndex[i];
            }
        }
        planTaken = 0;
        planCount = 0;
        planEntry = NONE;
    }

    private void planLeave() {
        if (planEntry == NONE) {
            return;
        }
        long end = locationOf[planEntry] + countOf[planEntry];
        if (planAt < end) {
            planEmit(planAt, (int) (end - planAt));
        } else if (planEmitted == 0) {
            planAdd(planEntry, 0, 0);
        }
        planEntry = NONE;
    }

    private void planEmit(long location, int count) {
        int entry = planEntry;
        if (planEmitted++ > 0) {
            entry = nextFree();
            freeCount--;
            planTaken++;
        }
        planAdd(entry, location, count);
    }

    private void planAdd(int entry, long location, int count) {
        if (planCount == planIndex.length) {
            int length = planCount * 2;
            planIndex = Arrays.copyOf(planIndex, length);
            planSource = Arrays.copyOf(planSource, length);
            planLocation = Arrays.copyOf(planLocation, length);
            planBlocks = Arrays.copyOf(planBlocks, length);
        }
        planIndex[planCount] = entry;
        planSource[planCount] = planEntry;
        planLocation[planCount] = location;
        planBlocks[planCount++] = count;
    }

    private void fill(int entry, long location, int count, long client, long tag) {
        assert count > 0 && (location >>> 8) == ((location + count - 1) >>> 8) : location + "+" + count;
        locationOf[entry] = location;
        countOf[entry] = count;
        clientOf[entry] = client;
        tagOf[entry] = tag;
        next[entry] = (int) headByChunk.put(location >>> 8, entry);
        int node = BlockLocation.node(location);
        if (node >= blocksByNode.length) {
            blocksByNode = Arrays.copyOf(blocksByNode, node + 1);
        }
        blocksByNode[node] += count;
        blocks += count;
        potential += (count + 1) / 2;
        entryCeiling = Math.max(entryCeiling, entry + 1);
    }

    private void discount(int entry) {
        blocksByNode[BlockLocation.node(locationOf[entry])] -= countOf[entry];
        blocks -= countOf[entry];
        potential -= (countOf[entry] + 1) / 2;
    }

    private void unlink(int entry) {
        long key = locationOf[entry] >>> 8;
        int at = (int) headByChunk.get(key);
        if (at == entry) {
            if (next[entry] == NONE) {
                headByChunk.remove(key);
            } else {
                headByChunk.put(key, next[entry]);
            }
            return;
        }
        while (next[at] != entry) {
            at = next[at];
        }
        next[at] = next[entry];
    }
}
