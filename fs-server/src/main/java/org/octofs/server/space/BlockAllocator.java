package org.octofs.server.space;

import java.util.Arrays;
import org.agrona.collections.Long2LongHashMap;
import org.octofs.rpc.protocol.BlockLocation;

/**
 * Which blocks of one shard's segments are free: two-level bitmaps in DRAM.
 *
 * <p>The grain of book-keeping is the chunk: 256 blocks, 1 MiB aligned, of one node. Segments are whole chunks, since
 * their size is a power of two of at least 1 MiB and the data zone is aligned to it. So blocks can be marked used before
 * it is known which segment they are in: recovery reads block maps that reference other nodes before those nodes have
 * said which of their segments this shard owns. Blocks of a chunk outside of any segment are never handed out.
 *
 * <p>Chunks with free blocks hang in lists by node and by how many blocks are free, so that a large request finds an
 * empty chunk, and a small one a used chunk, without a search.
 *
 * <p>Threading: confined to the server's worker. Durability: none; see the package. Limits: an allocated run never
 * crosses a chunk, so it has at most {@link #MAX_RUN_BLOCKS} blocks. Allocates nothing in steady state.
 */
public final class BlockAllocator {
    /** Longest run that {@link #allocate} answers, blocks. */
    public static final int MAX_RUN_BLOCKS = BlockBits.CHUNK_BLOCKS;

    private static final int CHUNK_SHIFT = 8;
    private static final int NONE = -1;

    /** Lists by free blocks: 1 to 15, 16 to 63, 64 to 255, 256. */
    private static final int LISTS = 4;

    private static final int[] LIST_MIN = {1, 16, 64, BlockBits.CHUNK_BLOCKS};

    private final Long2LongHashMap chunkByKey = new Long2LongHashMap(NONE);
    private final SegmentSet segments = new SegmentSet();
    private final BlockBits busy = new BlockBits();
    private long[] keyOf = new long[64];
    private int[] freeOf = new int[64];
    private int[] segmentOf = new int[64];
    private int[] listOf = new int[64];
    private int[] next = new int[64];
    private int[] previous = new int[64];
    private int chunkCount;
    private int recycled = NONE;

    /** Heads by node * LISTS + list. */
    private int[] heads = new int[0];

    private long[] ownedByNode = new long[0];
    private long[] freeByNode = new long[0];
    private long freeTotal;
    private int lastCount;

    /**
     * Adds a segment; one that is there already stays as it is.
     *
     * @param location first block of the segment, aligned to a chunk
     * @param blockCount blocks of the segment, whole chunks
     */
    public void addSegment(long location, int blockCount) {
        int node = BlockLocation.node(location);
        long firstBlock = BlockLocation.block(location);
        if (firstBlock % MAX_RUN_BLOCKS != 0 || blockCount % MAX_RUN_BLOCKS != 0 || blockCount <= 0) {
            throw new IllegalArgumentException("segment of " + blockCount + " blocks at block " + firstBlock
                    + " of node " + node + " is not whole MiBs");
        }
        if (segments.find(location) != NONE) {
            return;
        }
        ensureNode(node);
        int segment = segments.add(location, blockCount);
        for (long key = location >>> CHUNK_SHIFT, end = key + blockCount / MAX_RUN_BLOCKS; key < end; key++) {
            int chunk = chunk(key);
            assert segmentOf[chunk] == NONE : "overlapping segments at " + BlockLocation.toString(key << CHUNK_SHIFT);
            segmentOf[chunk] = segment;
            segments.changeFree(segment, freeOf[chunk]);
            freeByNode[node] += freeOf[chunk];
            freeTotal += freeOf[chunk];
            link(chunk);
        }
        ownedByNode[node] += blockCount;
    }

    /**
     * Takes an empty segment out.
     *
     * @return false, and nothing is changed, if it is not here or one of its blocks is busy
     */
    public boolean removeSegment(long location) {
        int segment = segments.find(location);
        if (segment == NONE || !segments.isEmpty(segment)) {
            return false;
        }
        int node = BlockLocation.node(location);
        int blockCount = segments.blockCount(segment);
        for (long key = location >>> CHUNK_SHIFT, end = key + blockCount / MAX_RUN_BLOCKS; key < end; key++) {
            int chunk = (int) chunkByKey.get(key);
            unlink(chunk);
            dropChunk(key, chunk);
        }
        segments.remove(segment);
        ownedByNode[node] -= blockCount;
        freeByNode[node] -= blockCount;
        freeTotal -= blockCount;
        return true;
    }

    /** Location of an empty segment of {@code node}, 0 if there is none. Looks at every segment. */
    public long emptySegment(int node) {
        return segments.firstEmpty(node);
    }

    /** How many segments of {@code node} are empty. Looks at every segment. */
    public int emptySegmentCount(int node) {
        return segments.emptyCount(node);
    }

    /** How many segments of {@code node} are here. */
    public int segmentCount(int node) {
        return segments.count(node);
    }

    /** Whether the segment that begins at {@code location} is here. */
    public boolean hasSegment(long location) {
        return segments.find(location) != NONE;
    }

    /**
     * Takes one run of free blocks of {@code node}.
     *
     * @param wantBlocks blocks wanted, at least 1
     * @return location of its first block, 0 if the node has no free block here; {@link #lastCount()} tells its length,
     *     at least 1 and at most {@code wantBlocks}
     */
    public long allocate(int node, int wantBlocks) {
        assert wantBlocks > 0 : wantBlocks;
        if (node >= freeByNode.length || freeByNode[node] == 0) {
            return 0;
        }
        int want = Math.min(wantBlocks, MAX_RUN_BLOCKS);
        int chunk = choose(node, want);
        int bestFrom = 0;
        int bestCount = 0;
        for (int from = busy.nextClear(chunk, 0, MAX_RUN_BLOCKS); from < MAX_RUN_BLOCKS; ) {
            int end = busy.nextSet(chunk, from, Math.min(MAX_RUN_BLOCKS, from + want));
            if (end - from > bestCount) {
                bestFrom = from;
                bestCount = end - from;
                if (bestCount == want) {
                    break;
                }
            }
            from = busy.nextClear(chunk, end, MAX_RUN_BLOCKS);
        }
        boolean wereFree = busy.set(chunk, bestFrom, bestCount);
        assert wereFree && bestCount > 0 : bestFrom + "+" + bestCount;
        changeFree(chunk, -bestCount);
        lastCount = bestCount;
        return (keyOf[chunk] << CHUNK_SHIFT) + bestFrom;
    }

    /** Blocks of the run that the last successful {@link #allocate} answered. */
    public int lastCount() {
        return lastCount;
    }

    /**
     * Makes busy blocks free. Flags of the location are ignored.
     *
     * @throws IllegalStateException if one of them is free already: a block would be given away twice
     */
    public void free(long location, int count) {
        for (long at = BlockLocation.withoutFlags(location), end = at + count; at < end; ) {
            int from = (int) (at & (MAX_RUN_BLOCKS - 1));
            int part = (int) Math.min(end - at, MAX_RUN_BLOCKS - from);
            int chunk = (int) chunkByKey.get(at >>> CHUNK_SHIFT);
            if (chunk == NONE || !busy.clear(chunk, from, part)) {
                throw new IllegalStateException("freed twice: " + part + " blocks from " + BlockLocation.toString(at));
            }
            changeFree(chunk, part);
            if (segmentOf[chunk] == NONE && freeOf[chunk] == MAX_RUN_BLOCKS) {
                dropChunk(at >>> CHUNK_SHIFT, chunk);
            }
            at += part;
        }
    }

    /**
     * Recovery: marks blocks that a block map or a reservation references. Their segment need not be here yet.
     *
     * @return false if one of them is marked already, the blocks before it then are marked
     */
    public boolean markUsed(long location, int count) {
        for (long at = BlockLocation.withoutFlags(location), end = at + count; at < end; ) {
            int from = (int) (at & (MAX_RUN_BLOCKS - 1));
            int part = (int) Math.min(end - at, MAX_RUN_BLOCKS - from);
            int chunk = chunk(at >>> CHUNK_SHIFT);
            if (!busy.set(chunk, from, part)) {
                return false;
            }
            changeFree(chunk, -part);
            at += part;
        }
        return true;
    }

    /**
     * Gives the book-keeping of a segment's blocks that were marked here before it was known whose it is to its owner.
     *
     * @return false if one of them is marked there as well
     */
    boolean handOver(long location, int blockCount, BlockAllocator owner) {
        for (long key = location >>> CHUNK_SHIFT, end = key + blockCount / MAX_RUN_BLOCKS; key < end; key++) {
            int chunk = (int) chunkByKey.get(key);
            if (chunk == NONE || segmentOf[chunk] != NONE) {
                continue;
            }
            int from = busy.nextSet(chunk, 0, MAX_RUN_BLOCKS);
            while (from < MAX_RUN_BLOCKS) {
                int to = busy.nextClear(chunk, from, MAX_RUN_BLOCKS);
                if (!owner.markUsed((key << CHUNK_SHIFT) + from, to - from)) {
                    return false;
                }
                from = busy.nextSet(chunk, to, MAX_RUN_BLOCKS);
            }
            dropChunk(key, chunk);
        }
        return true;
    }

    /** Whether the block is used or lent. */
    public boolean isBusy(long location) {
        long at = BlockLocation.withoutFlags(location);
        int chunk = (int) chunkByKey.get(at >>> CHUNK_SHIFT);
        int bit = (int) (at & (MAX_RUN_BLOCKS - 1));
        return chunk != NONE && busy.nextSet(chunk, bit, bit + 1) == bit;
    }

    /** Free blocks in all segments. */
    public long freeBlocks() {
        return freeTotal;
    }

    /** Free blocks in the segments of one node. */
    public long freeBlocks(int node) {
        return node < freeByNode.length ? freeByNode[node] : 0;
    }

    /** Blocks of all segments of one node. */
    public long ownedBlocks(int node) {
        return node < ownedByNode.length ? ownedByNode[node] : 0;
    }

    private int choose(int node, int want) {
        // The tightest list whose chunks all have enough free blocks in sum, else the next ones below.
        int tight = 0;
        while (tight < LISTS - 1 && LIST_MIN[tight] < want) {
            tight++;
        }
        for (int list = tight; list < LISTS; list++) {
            int head = heads[node * LISTS + list];
            if (head != NONE) {
                return head;
            }
        }
        for (int list = tight - 1; list >= 0; list--) {
            int head = heads[node * LISTS + list];
            if (head != NONE) {
                return head;
            }
        }
        throw new IllegalStateException(
                "node " + node + " counts " + freeByNode[node] + " free blocks, lists are empty");
    }

    private void changeFree(int chunk, int delta) {
        freeOf[chunk] += delta;
        int segment = segmentOf[chunk];
        if (segment == NONE) {
            return;
        }
        segments.changeFree(segment, delta);
        freeByNode[BlockLocation.node(keyOf[chunk] << CHUNK_SHIFT)] += delta;
        freeTotal += delta;
        if (listFor(freeOf[chunk]) != listOf[chunk]) {
            unlink(chunk);
            link(chunk);
        }
    }

    private static int listFor(int free) {
        int list = LISTS - 1;
        while (list >= 0 && free < LIST_MIN[list]) {
            list--;
        }
        return list;
    }

    private void link(int chunk) {
        int list = listFor(freeOf[chunk]);
        listOf[chunk] = list;
        if (list == NONE) {
            return;
        }
        int at = BlockLocation.node(keyOf[chunk] << CHUNK_SHIFT) * LISTS + list;
        int head = heads[at];
        next[chunk] = head;
        previous[chunk] = NONE;
        if (head != NONE) {
            previous[head] = chunk;
        }
        heads[at] = chunk;
    }

    private void unlink(int chunk) {
        int list = listOf[chunk];
        if (list == NONE) {
            return;
        }
        listOf[chunk] = NONE;
        if (previous[chunk] == NONE) {
            heads[BlockLocation.node(keyOf[chunk] << CHUNK_SHIFT) * LISTS + list] = next[chunk];
        } else {
            next[previous[chunk]] = next[chunk];
        }
        if (next[chunk] != NONE) {
            previous[next[chunk]] = previous[chunk];
        }
    }

    /** The chunk with that key; made, all free and in no segment, if it is not there. */
    private int chunk(long key) {
        int known = (int) chunkByKey.get(key);
        if (known != NONE) {
            return known;
        }
        int chunk = recycled;
        if (chunk != NONE) {
            recycled = next[chunk];
        } else {
            chunk = chunkCount++;
            if (chunk == keyOf.length) {
                int length = chunk * 2;
                keyOf = Arrays.copyOf(keyOf, length);
                freeOf = Arrays.copyOf(freeOf, length);
                segmentOf = Arrays.copyOf(segmentOf, length);
                listOf = Arrays.copyOf(listOf, length);
                next = Arrays.copyOf(next, length);
                previous = Arrays.copyOf(previous, length);
            }
        }
        busy.clearChunk(chunk);
        keyOf[chunk] = key;
        freeOf[chunk] = MAX_RUN_BLOCKS;
        segmentOf[chunk] = NONE;
        listOf[chunk] = NONE;
        chunkByKey.put(key, chunk);
        return chunk;
    }

    private void dropChunk(long key, int chunk) {
        chunkByKey.remove(key);
        next[chunk] = recycled;
        recycled = chunk;
    }

    private void ensureNode(int node) {
        if (node < freeByNode.length) {
            return;
        }
        int from = heads.length;
        heads = Arrays.copyOf(heads, (node + 1) * LISTS);
        Arrays.fill(heads, from, heads.length, NONE);
        ownedByNode = Arrays.copyOf(ownedByNode, node + 1);
        freeByNode = Arrays.copyOf(freeByNode, node + 1);
    }
}
