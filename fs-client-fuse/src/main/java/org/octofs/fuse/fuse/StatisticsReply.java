package org.octofs.fuse.fuse;

/** Answer to statfs; blocks are counted in {@link #fragmentSizeBytes}. */
public final class StatisticsReply {
    /** Preferred size of a transfer. */
    public int blockSizeBytes;

    public int fragmentSizeBytes;
    public long blocks;
    public long freeBlocks;
    public long availableBlocks;
    public long inodes;
    public long freeInodes;
    public int nameBytesMax;
}
