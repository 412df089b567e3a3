package org.octofs.client.client;

/** What statfs(2) tells, summed over the nodes. A reusable holder, not thread-safe. */
public final class FsStatistics {
    private long totalBlocks;
    private long freeBlocks;
    private long totalInodes;
    private long freeInodes;

    /** Forgets everything. */
    public void clear() {
        totalBlocks = 0;
        freeBlocks = 0;
        totalInodes = 0;
        freeInodes = 0;
    }

    /** Adds one node's part. */
    public void add(long nodeTotalBlocks, long nodeFreeBlocks, long nodeTotalInodes, long nodeFreeInodes) {
        totalBlocks += nodeTotalBlocks;
        freeBlocks += nodeFreeBlocks;
        totalInodes += nodeTotalInodes;
        freeInodes += nodeFreeInodes;
    }

    /** Bytes of a block. */
    public int blockBytes() {
        return 4096;
    }

    /** Longest name, bytes. */
    public int nameBytesMax() {
        return 255;
    }

    /** Blocks of the data zones. */
    public long totalBlocks() {
        return totalBlocks;
    }

    /** Blocks that no file references. */
    public long freeBlocks() {
        return freeBlocks;
    }

    /** Upper bound of inodes. */
    public long totalInodes() {
        return totalInodes;
    }

    /** Inodes that can still be made. */
    public long freeInodes() {
        return freeInodes;
    }
}
