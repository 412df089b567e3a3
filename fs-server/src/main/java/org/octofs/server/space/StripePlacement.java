package org.octofs.server.space;

/**
 * On which node a block of a file should lie: consecutive stripe units rotate over the nodes, so that one file uses the
 * bandwidth of all of them.
 *
 * <p>Unit 0 lies on the inode's home: most files are small, and their data is then where their metadata is (one
 * connection, and a validated read is ordered by it). The further units start at a node that depends on the inode number;
 * if they started at the home too, the second unit of every file of a directory would land on the same node.
 */
public final class StripePlacement {
    /** Blocks of a stripe unit: 1 MiB. */
    public static final int UNIT_BLOCKS = 256;

    private StripePlacement() {}

    /**
     * The node that {@code fileBlock} of inode {@code ino} is meant for.
     *
     * @param home node of the inode's home
     * @param nodeCount nodes of the cluster
     */
    public static int node(long ino, long fileBlock, int home, int nodeCount) {
        long unit = fileBlock / UNIT_BLOCKS;
        if (unit == 0) {
            return home;
        }
        // Fibonacci hashing: consecutive inode numbers start at different nodes.
        long start = (ino * 0x9E37_79B9_7F4A_7C15L) >>> 33;
        return (int) ((start + unit) % nodeCount);
    }

    /** Blocks from {@code fileBlock} to the end of its stripe unit. */
    public static int blocksToUnitEnd(long fileBlock) {
        return UNIT_BLOCKS - (int) (fileBlock % UNIT_BLOCKS);
    }
}
