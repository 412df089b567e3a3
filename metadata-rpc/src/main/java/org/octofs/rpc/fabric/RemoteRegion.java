package org.octofs.rpc.fabric;

/**
 * A peer's memory region as its messages name it. Valid on connections to the process that exported it, as long as that
 * process has granted it there and has not renewed or closed it.
 *
 * @param rkey {index:32 | generation:32}
 * @param lengthBytes length of the region, at most 1 GiB; the owner checks against its own record all the same
 */
public record RemoteRegion(long rkey, long lengthBytes) {
    /** The rkey of an index and a generation. */
    public static long rkey(int index, int generation) {
        return ((long) index << 32) | (generation & 0xFFFF_FFFFL);
    }

    /** Index of an rkey in its owner's region table. */
    public static int indexOf(long rkey) {
        return (int) (rkey >>> 32);
    }

    /** Generation of an rkey. */
    public static int generationOf(long rkey) {
        return (int) rkey;
    }
}
