package org.octofs.client.cache;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.agrona.collections.Long2ObjectHashMap;
import org.octofs.rpc.protocol.BlockEntryLayout;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.MessageBuffer;

/**
 * Where the blocks of one file are, as of one version of the file, in chunks of {@link #CHUNK_BLOCKS}. A chunk is known or
 * not; with {@link #loadInline} all of them are.
 *
 * <p>Threading: guarded by the file's lock. Allocates only when a chunk becomes known. Limits: {@link #CHUNKS_MAX}
 * chunks, then everything is forgotten and asked for again as needed.
 */
public final class MapCache {
    /** Blocks of a chunk: those of a leaf of the home's map. */
    public static final int CHUNK_BLOCKS = 256;

    /** Most chunks, 1 KiB each where they are one run and 3 KiB else: those of 16 GiB. */
    public static final int CHUNKS_MAX = 1 << 14;

    private static final int CHUNK_SHIFT = 8;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final Chunk EMPTY = new Chunk();

    private final Long2ObjectHashMap<Chunk> chunks = new Long2ObjectHashMap<>();
    private boolean restIsHoles;

    /** Blocks that are holes although their chunks are not known, by the latest piece: where they begin, and end. */
    private long holesFrom;

    private long holesEnd;

    private static final class Chunk {
        /** Where all blocks of the chunk lie one behind the other, the first of them; 0 = see {@link #locations}. */
        private long run;

        /** Present only where the blocks are not one run. */
        private long[] locations;

        private final int[] checksums = new int[CHUNK_BLOCKS];
        private final long[] verified = new long[CHUNK_BLOCKS / Long.SIZE];

        long location(int index) {
            return run != 0 ? run + index : locations == null ? 0 : locations[index];
        }

        void location(int index, long location) {
            spellOut()[index] = location;
        }

        /** Blocks from {@code from} on become a run of their own; the others stay where they are. */
        void locate(int from, int count, long first) {
            if (count == CHUNK_BLOCKS) {
                run = first;
                locations = null;
                return;
            }
            if (run != 0 && run + from == first) {
                return;
            }
            long[] all = spellOut();
            for (int i = 0; i < count; i++) {
                all[from + i] = first + i;
            }
        }

        private long[] spellOut() {
            if (locations == null) {
                locations = new long[CHUNK_BLOCKS];
                for (int i = 0; run != 0 && i < CHUNK_BLOCKS; i++) {
                    locations[i] = run + i;
                }
                run = 0;
            }
            return locations;
        }

        void unverify(int from, int count) {
            int end = from + count;
            for (int at = from; at < end; at = (at | Long.SIZE - 1) + 1) {
                int bits = Math.min(end, (at | Long.SIZE - 1) + 1) - at;
                verified[at / Long.SIZE] &= ~((-1L >>> (Long.SIZE - bits)) << at);
            }
        }
    }

    /** Forgets everything. */
    public void clear() {
        chunks.clear();
        restIsHoles = false;
        holesEnd = 0;
    }

    /** Takes the whole map from an inode image whose map is inline. */
    public void loadInline(MemorySegment image, long offset) {
        clear();
        restIsHoles = true;
        for (int i = 0; i < InodeLayout.INLINE_ENTRIES; i++) {
            long at = offset + InodeLayout.INLINE_OFFSET + (long) i * BlockEntryLayout.SIZE_BYTES;
            long location = image.get(LONG, at + BlockEntryLayout.LOCATION_OFFSET);
            if (location != 0) {
                set(i, location, image.get(INT, at + BlockEntryLayout.CHECKSUM_OFFSET));
            }
        }
    }

    /**
     * Takes a piece of the map; it must begin with a chunk. Blocks of its last chunk that are missing are holes.
     *
     * @param nextMapped a block behind the piece before which there are only holes; -1 = there are only holes
     */
    public void load(long firstBlock, MessageBuffer body, int at, int count, int blocksAsked, long nextMapped) {
        for (long block = firstBlock; block < firstBlock + blocksAsked; block += CHUNK_BLOCKS) {
            if (chunks.size() >= CHUNKS_MAX) {
                clear();
            }
            int done = (int) (block - firstBlock);
            if (done >= count) {
                chunks.put(block >> CHUNK_SHIFT, EMPTY);
                continue;
            }
            chunks.put(
                    block >> CHUNK_SHIFT,
                    read(body, at + done * BlockEntryLayout.SIZE_BYTES, Math.min(CHUNK_BLOCKS, count - done)));
        }
        holesFrom = firstBlock + blocksAsked;
        holesEnd = nextMapped < 0 ? Long.MAX_VALUE : nextMapped & -CHUNK_BLOCKS;
    }

    private static Chunk read(MessageBuffer body, int at, int count) {
        Chunk chunk = new Chunk();
        long first = body.getU64(at + BlockEntryLayout.LOCATION_OFFSET);
        boolean oneRun = count == CHUNK_BLOCKS && first != 0 && !BlockLocation.isUnwritten(first);
        for (int i = 0; i < count; i++) {
            int entry = at + i * BlockEntryLayout.SIZE_BYTES;
            oneRun &= body.getU64(entry + BlockEntryLayout.LOCATION_OFFSET) == first + i;
            chunk.checksums[i] = body.getI32(entry + BlockEntryLayout.CHECKSUM_OFFSET);
        }
        if (oneRun) {
            chunk.locate(0, CHUNK_BLOCKS, first);
            return chunk;
        }
        for (int i = 0; i < count; i++) {
            chunk.location(i, body.getU64(at + i * BlockEntryLayout.SIZE_BYTES + BlockEntryLayout.LOCATION_OFFSET));
        }
        return chunk;
    }

    /** Whether {@link #location} can answer for a block. */
    public boolean knows(long fileBlock) {
        return restIsHoles || chunks.get(fileBlock >> CHUNK_SHIFT) != null;
    }

    /** Location of a block that is known, with its flags; 0 = hole. */
    public long location(long fileBlock) {
        Chunk chunk = chunks.get(fileBlock >> CHUNK_SHIFT);
        return chunk == null ? 0 : chunk.location((int) fileBlock & CHUNK_BLOCKS - 1);
    }

    /** Checksum of a block that is known. */
    public int checksum(long fileBlock) {
        Chunk chunk = chunks.get(fileBlock >> CHUNK_SHIFT);
        return chunk == null ? 0 : chunk.checksums[(int) fileBlock & CHUNK_BLOCKS - 1];
    }

    /**
     * Whether {@link #markVerified} was called since the block's place in this map became known. What was read from there
     * once and matched its checksum stays the same: blocks are never written in place.
     */
    public boolean isVerified(long fileBlock) {
        Chunk chunk = chunks.get(fileBlock >> CHUNK_SHIFT);
        int index = (int) fileBlock & CHUNK_BLOCKS - 1;
        return chunk != null && (chunk.verified[index / Long.SIZE] & 1L << index) != 0;
    }

    /** Remembers that the block matched its checksum. Readers that share the lock may call it: a lost mark costs a check. */
    public void markVerified(long fileBlock) {
        Chunk chunk = chunks.get(fileBlock >> CHUNK_SHIFT);
        if (chunk != null && chunk != EMPTY) {
            int index = (int) fileBlock & CHUNK_BLOCKS - 1;
            chunk.verified[index / Long.SIZE] |= 1L << index;
        }
    }

    /**
     * How many blocks from {@code fileBlock} on hold data and lie one behind the other in one pool.
     *
     * @return at most {@code max} and the blocks left in the chunk; 0 = not known, a hole or unwritten
     */
    public int run(long fileBlock, int max) {
        Chunk chunk = chunks.get(fileBlock >> CHUNK_SHIFT);
        int from = (int) fileBlock & CHUNK_BLOCKS - 1;
        if (chunk == null || chunk.location(from) == 0 || BlockLocation.isUnwritten(chunk.location(from))) {
            return 0;
        }
        int end = Math.min(CHUNK_BLOCKS, from + max);
        long[] locations = chunk.locations;
        if (locations == null) {
            return end - from;
        }
        int at = from + 1;
        // A location with a flag is not the successor of one without.
        while (at < end && locations[at] == locations[at - 1] + 1) {
            at++;
        }
        return at - from;
    }

    /**
     * Checksums and marks of a run, see {@link #run}.
     *
     * @return whether all of them are marked as verified
     */
    public boolean describe(long fileBlock, int count, int[] checksums, boolean[] verified, int at) {
        Chunk chunk = chunks.get(fileBlock >> CHUNK_SHIFT);
        int from = (int) fileBlock & CHUNK_BLOCKS - 1;
        System.arraycopy(chunk.checksums, from, checksums, at, count);
        boolean all = true;
        for (int i = 0; i < count; i++) {
            int index = from + i;
            boolean marked = (chunk.verified[index / Long.SIZE] & 1L << index) != 0;
            verified[at + i] = marked;
            all &= marked;
        }
        return all;
    }

    /**
     * Skips chunks that are known to be holes without being looked at one by one.
     *
     * @param block first block of a chunk
     * @return first block of that or a later chunk; {@link Long#MAX_VALUE} if there are only holes
     */
    public long afterHoles(long block) {
        if (chunks.containsKey(block >> CHUNK_SHIFT)) {
            return block;
        }
        if (!restIsHoles) {
            return block >= holesFrom && block < holesEnd ? holesEnd : block;
        }
        long next = Long.MAX_VALUE >> CHUNK_SHIFT;
        for (Long2ObjectHashMap<Chunk>.KeyIterator keys = chunks.keySet().iterator(); keys.hasNext(); ) {
            long key = keys.nextLong();
            if (key > block >> CHUNK_SHIFT) {
                next = Math.min(next, key);
            }
        }
        return next == Long.MAX_VALUE >> CHUNK_SHIFT ? Long.MAX_VALUE : next << CHUNK_SHIFT;
    }

    /**
     * First block from {@code from} on, within the same chunk, that holds data or does not.
     *
     * @param data whether to look for data; unwritten blocks are none
     * @return the block; the first one of the next chunk if there is none
     */
    public long next(long from, boolean data) {
        Chunk chunk = chunks.get(from >> CHUNK_SHIFT);
        long end = (from & -CHUNK_BLOCKS) + CHUNK_BLOCKS;
        if (chunk == null || chunk == EMPTY) {
            return data ? end : from;
        }
        for (long block = from; block < end; block++) {
            long location = chunk.location((int) block & CHUNK_BLOCKS - 1);
            if ((location != 0 && !BlockLocation.isUnwritten(location)) == data) {
                return block;
            }
        }
        return end;
    }

    /** {@link #set} for blocks that follow each other in the file and in the pool; {@code checksums} from {@code at} on. */
    public void setRun(long firstBlock, long firstLocation, int[] checksums, int at, int count) {
        int done = 0;
        while (done < count) {
            long block = firstBlock + done;
            int index = (int) block & CHUNK_BLOCKS - 1;
            int part = Math.min(count - done, CHUNK_BLOCKS - index);
            Chunk chunk = chunkFor(block, firstLocation);
            if (chunk != null) {
                chunk.locate(index, part, firstLocation + done);
                chunk.unverify(index, part);
                System.arraycopy(checksums, at + done, chunk.checksums, index, part);
            }
            done += part;
        }
    }

    /** Follows a change of a block; ignored where the chunk is not known. */
    public void set(long fileBlock, long location, int checksum) {
        Chunk chunk = chunkFor(fileBlock, location);
        if (chunk != null) {
            int index = (int) fileBlock & CHUNK_BLOCKS - 1;
            chunk.location(index, location);
            chunk.checksums[index] = checksum;
            chunk.unverify(index, 1);
        }
    }

    /** The chunk that takes a change; null if there is to be none: it is not known, or stays all holes. */
    private Chunk chunkFor(long fileBlock, long location) {
        long key = fileBlock >> CHUNK_SHIFT;
        Chunk chunk = chunks.get(key);
        if (location != 0 && fileBlock >= holesFrom) {
            holesEnd = Math.min(holesEnd, fileBlock & -CHUNK_BLOCKS);
        }
        if (chunk == null && !restIsHoles) {
            return null;
        }
        if (chunk == null || chunk == EMPTY) {
            if (location == 0) {
                return null;
            }
            if (chunks.size() >= CHUNKS_MAX) {
                clear();
                return null;
            }
            chunk = new Chunk();
            chunks.put(key, chunk);
        }
        return chunk;
    }
}
