package org.octofs.server.space;

import java.util.Arrays;
import org.agrona.collections.Long2LongHashMap;
import org.octofs.rpc.protocol.BlockLocation;

/**
 * The segments that one shard owns, with their free blocks. A segment is named by the location of its first block.
 *
 * <p>Threading: confined to the owner. Durability: none; the segment tables of the nodes have it.
 */
final class SegmentSet {
    private static final int NONE = -1;

    private final Long2LongHashMap byLocation = new Long2LongHashMap(NONE);
    private long[] locationOf = new long[16];
    private int[] blocksOf = new int[16];
    private int[] freeOf = new int[16];
    private int end;

    /** Index of a segment, -1 if it is not here. */
    int find(long location) {
        return (int) byLocation.get(location);
    }

    /** Adds a segment without free blocks. @return its index */
    int add(long location, int blockCount) {
        int segment = 0;
        while (segment < end && locationOf[segment] != 0) {
            segment++;
        }
        if (segment == end) {
            end++;
            if (end > locationOf.length) {
                locationOf = Arrays.copyOf(locationOf, end * 2);
                blocksOf = Arrays.copyOf(blocksOf, end * 2);
                freeOf = Arrays.copyOf(freeOf, end * 2);
            }
        }
        locationOf[segment] = location;
        blocksOf[segment] = blockCount;
        freeOf[segment] = 0;
        byLocation.put(location, segment);
        return segment;
    }

    void remove(int segment) {
        byLocation.remove(locationOf[segment]);
        locationOf[segment] = 0;
    }

    void changeFree(int segment, int delta) {
        freeOf[segment] += delta;
    }

    boolean isEmpty(int segment) {
        return freeOf[segment] == blocksOf[segment];
    }

    int blockCount(int segment) {
        return blocksOf[segment];
    }

    /** Location of the first empty segment of a node, 0 = none. */
    long firstEmpty(int node) {
        for (int segment = 0; segment < end; segment++) {
            if (locationOf[segment] != 0 && isEmpty(segment) && BlockLocation.node(locationOf[segment]) == node) {
                return locationOf[segment];
            }
        }
        return 0;
    }

    /** Empty segments of a node. */
    int emptyCount(int node) {
        int count = 0;
        for (int segment = 0; segment < end; segment++) {
            if (locationOf[segment] != 0 && isEmpty(segment) && BlockLocation.node(locationOf[segment]) == node) {
                count++;
            }
        }
        return count;
    }

    int count(int node) {
        int count = 0;
        for (int segment = 0; segment < end; segment++) {
            if (locationOf[segment] != 0 && BlockLocation.node(locationOf[segment]) == node) {
                count++;
            }
        }
        return count;
    }
}
