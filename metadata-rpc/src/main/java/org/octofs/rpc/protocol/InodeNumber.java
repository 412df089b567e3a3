package org.octofs.rpc.protocol;

/**
 * Inode numbers: {shard:16 | index:48} in a u64, so that everybody finds an inode's home without asking. The index is
 * never used again within a shard, and never 0; inode number 0 means none.
 */
public final class InodeNumber {
    /** Bits of the index. */
    public static final int INDEX_BITS = 48;

    /** Largest index. */
    public static final long INDEX_MAX = (1L << INDEX_BITS) - 1;

    /** The root directory: shard 0, index 1; also FUSE's root node id. */
    public static final long ROOT = 1L;

    private InodeNumber() {}

    /** The number of inode {@code index} (1 to {@link #INDEX_MAX}) of {@code shard} (0 to 65535). */
    public static long of(int shard, long index) {
        assert shard >= 0 && shard <= 0xFFFF && index > 0 && index <= INDEX_MAX : shard + "/" + index;
        return ((long) shard << INDEX_BITS) | index;
    }

    /** The shard that {@code ino} lives in. */
    public static int shard(long ino) {
        return (int) (ino >>> INDEX_BITS);
    }

    /** The index within the shard. */
    public static long index(long ino) {
        return ino & INDEX_MAX;
    }
}
