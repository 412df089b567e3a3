package org.octofs.rpc.fabric.verbs;

/**
 * The ids of work requests: {connection index:24 | receive:1 | sequence:39}. The index is the connection's at its receive
 * queue; indices go round, so that a late completion of a closed connection meets an empty place.
 */
final class WorkId {
    private static final int INDEX_SHIFT = 40;
    private static final long RECEIVE = 1L << 39;
    private static final long SEQUENCE_MASK = RECEIVE - 1;

    private WorkId() {}

    static long ofSend(int connectionIndex, long sequence) {
        return ((long) connectionIndex << INDEX_SHIFT) | (sequence & SEQUENCE_MASK);
    }

    static long ofReceive(int connectionIndex) {
        return ((long) connectionIndex << INDEX_SHIFT) | RECEIVE;
    }

    static int connectionIndexOf(long id) {
        return (int) (id >>> INDEX_SHIFT);
    }

    static boolean isReceive(long id) {
        return (id & RECEIVE) != 0;
    }

    static long sequenceOf(long id) {
        return id & SEQUENCE_MASK;
    }
}
