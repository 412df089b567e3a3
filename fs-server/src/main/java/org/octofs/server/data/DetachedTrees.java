package org.octofs.server.data;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.server.store.MetaStore;
import org.octofs.server.store.MetaTransaction;
import org.octofs.server.store.RecordType;

/**
 * Parts of block maps that were cut off, waiting to have their pages and blocks freed a few at a time, so that deleting a
 * large file does not make everybody else wait.
 *
 * <p>Threading: confined to the server's worker. Durability: none and none needed: nothing reaches these pages, so recovery
 * takes them for free. Limits: a step reads at most so many pages; the stack holds at most 512 pages per level of each
 * tree. Allocates nothing once the stack has grown.
 */
public final class DetachedTrees {
    /** Takes runs of blocks that are free now. */
    @FunctionalInterface
    public interface BlockSink {
        void free(int shard, long location, int count);
    }

    private static final int HEIGHT_BITS = 8;

    private final MetaStore store;
    private final BlockSink sink;
    private long[] pages = new long[1024];
    private int[] kinds = new int[1024];
    private int count;
    private long pendingBlocks;

    public DetachedTrees(MetaStore store, BlockSink sink) {
        this.store = store;
        this.sink = sink;
    }

    /** Adds a subtree that no reader can reach any more, with {@code blockCount} blocks in its leaves. */
    public void add(int shard, long page, int height, long blockCount) {
        push(page, shard << HEIGHT_BITS | height);
        pendingBlocks += blockCount;
    }

    /** Blocks in what is waiting: free, as far as users are concerned. */
    public long pendingBlocks() {
        return pendingBlocks;
    }

    public boolean isEmpty() {
        return count == 0;
    }

    /**
     * Frees some pages and what they reference.
     *
     * @param tx no transaction may be open in it
     * @param pagesMax most pages to look at
     * @return pages freed
     */
    public int step(MetaTransaction tx, int pagesMax) {
        if (count == 0) {
            return 0;
        }
        int done = 0;
        // Nothing is staged: it only brings the pages back the way every page comes back.
        tx.begin(RecordType.RECLAIM);
        while (count > 0 && done < pagesMax) {
            count--;
            long page = pages[count];
            int shard = kinds[count] >>> HEIGHT_BITS;
            int height = kinds[count] & ((1 << HEIGHT_BITS) - 1);
            if (height == 1) {
                freeLeaf(shard, page);
            } else {
                for (int i = 0; i < BlockMapLayout.NODE_POINTERS; i++) {
                    long child = store.readLong(page + (long) i * Long.BYTES);
                    if (child != 0) {
                        push(child, shard << HEIGHT_BITS | (height - 1));
                    }
                }
            }
            tx.freePage(page);
            done++;
        }
        tx.commit();
        return done;
    }

    private void freeLeaf(int shard, long leaf) {
        MemorySegment memory = store.memory();
        long runLocation = 0;
        int runCount = 0;
        for (int i = 0; i < BlockMapLayout.LEAF_ENTRIES; i++) {
            long location =
                    BlockLocation.withoutFlags(memory.get(MediaWords.LONG, BlockMapReader.entryOffset(leaf, i)));
            if (location == BlockLocation.HOLE) {
                continue;
            }
            if (runCount > 0 && location == runLocation + runCount) {
                runCount++;
                continue;
            }
            free(shard, runLocation, runCount);
            runLocation = location;
            runCount = 1;
        }
        free(shard, runLocation, runCount);
    }

    private void free(int shard, long location, int blockCount) {
        if (blockCount > 0) {
            sink.free(shard, location, blockCount);
            pendingBlocks -= blockCount;
        }
    }

    private void push(long page, int kind) {
        if (count == pages.length) {
            pages = Arrays.copyOf(pages, count * 2);
            kinds = Arrays.copyOf(kinds, count * 2);
        }
        pages[count] = page;
        kinds[count++] = kind;
    }
}
