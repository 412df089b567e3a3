package org.octofs.server.space;

/**
 * Where a shard gets segments from: the segment tables of all nodes, this one's included. Asking never waits; what comes,
 * comes into the allocator later or at once.
 *
 * <p>Threading: confined to the server's worker.
 */
public interface SegmentSource {
    /** What became of asking. */
    enum Answer {
        /** The segment is in the allocator already. */
        ADDED,
        /** It was asked for; the outcome is known later. */
        ASKED,
        /** There is none, or the node cannot be asked now. */
        NONE
    }

    /** Asks for one more segment of {@code node} for {@code shard}. */
    Answer ask(int node, int shard);

    /** Whether something asked for is still on its way, for this shard, from any node. */
    boolean isPending(int shard);

    /** Whether so few segments of a node are free that shards should use up what they have before they ask for more. */
    boolean isScarce(int node);

    /** A shard with fewer free blocks on another node asks for a segment ahead, so that nobody has to wait for it. */
    int aheadBlocks(int node);
}
