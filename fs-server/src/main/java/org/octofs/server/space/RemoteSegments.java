package org.octofs.server.space;

import java.util.Arrays;
import java.util.function.LongSupplier;
import org.agrona.collections.IntArrayList;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.SegmentReply;
import org.octofs.rpc.protocol.message.SegmentRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the shards of this home own on one other node, and the calls about it.
 *
 * <p>There is at most one call on its way, so that the answer to a list can never be older than a release. The first is a
 * list: only the other node knows what these shards own. After an outcome that is not known, and a while after each change
 * (the other node may have executed a request twice, before and after a restart), it is asked for again; what it names and
 * is not here is added, so an acquisition whose answer was lost is not lost itself, and a release that did not arrive is
 * simply undone.
 *
 * <p>Threading: confined to the server's worker.
 */
final class RemoteSegments {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteSegments.class);
    private static final long PAUSE_NANOS = 1_000_000_000L;
    private static final long LIST_AGAIN_NANOS = 10_000_000_000L;
    private static final int RELEASES_PER_CALL = 64;

    /** A shard takes about this much at a time. */
    private static final long ACQUIRE_BYTES = 4L << 20;

    private final int node;
    private final ShardSpace space;
    private final SegmentPeers peers;
    private final LongSupplier clock;
    private final boolean[] wanted;
    private final int anyShard;
    private final SegmentRequest request = new SegmentRequest();
    private final SegmentReply reply = new SegmentReply();

    /** Pairs of segment index and shard. */
    private final IntArrayList releases = new IntArrayList();

    private boolean listed;
    private boolean inFlight;
    private int asking = -1;
    private boolean changed;
    private long lastChangeNanos;
    private boolean paused;
    private long pausedUntilNanos;
    private long dataOffset;
    private long segmentBytes;
    private long freeSegments;
    private boolean refusedSizes;

    /** @param anyShard a shard of this home; it tells the other node whose segments to list */
    RemoteSegments(int node, int anyShard, ShardSpace space, SegmentPeers peers, LongSupplier clock) {
        this.node = node;
        this.anyShard = anyShard;
        this.space = space;
        this.peers = peers;
        this.clock = clock;
        this.wanted = new boolean[space.shardCount()];
    }

    /** Asks for a segment, unless the node has just said that it has none or could not be reached. */
    SegmentSource.Answer ask(int shard) {
        if (refusedSizes || isPaused()) {
            return SegmentSource.Answer.NONE;
        }
        wanted[shard] = true;
        pump();
        if (inFlight) {
            return SegmentSource.Answer.ASKED;
        }
        pause();
        return SegmentSource.Answer.NONE;
    }

    /** Whether an answer is due that may bring this shard a segment. */
    boolean isPending(int shard) {
        return inFlight && (wanted[shard] || asking == shard);
    }

    /** Gives back a segment that was taken out of the shard's allocator. */
    void release(long location, int shard) {
        releases.addInt((int) ((BlockLocation.poolOffset(location) - dataOffset) / segmentBytes));
        releases.addInt(shard);
    }

    /** Segments that were free at the node when it last answered; 0 before. */
    long freeSegments() {
        return freeSegments;
    }

    /** Whether it is known what the shards own there. */
    boolean isListed() {
        return listed;
    }

    /** Sends what is due. @return 1 if it sent something */
    int doWork() {
        if (listed && changed && !inFlight && clock.getAsLong() - lastChangeNanos > LIST_AGAIN_NANOS) {
            changed = false;
            listed = false;
        }
        return !isPaused() && pump() ? 1 : 0;
    }

    private boolean isPaused() {
        if (paused && clock.getAsLong() - pausedUntilNanos >= 0) {
            paused = false;
        }
        return paused;
    }

    /** @return true if it sent something */
    private boolean pump() {
        if (inFlight) {
            return false;
        }
        if (!listed) {
            inFlight = peers.call(node, OpCode.SEGMENT_LIST, SegmentRequest.FIXED_BYTES, this::fillList, this::listed);
        } else if (!releases.isEmpty()) {
            int room = SegmentRequest.FIXED_BYTES + RELEASES_PER_CALL * SegmentElementLayout.SIZE_BYTES;
            inFlight = peers.call(node, OpCode.SEGMENT_RELEASE, room, this::fillReleases, this::released);
        } else {
            asking = nextWanted();
            inFlight = asking >= 0
                    && peers.call(
                            node,
                            OpCode.SEGMENT_ACQUIRE,
                            SegmentRequest.FIXED_BYTES,
                            this::fillAcquire,
                            this::acquired);
            asking = inFlight ? asking : -1;
        }
        return inFlight;
    }

    private int nextWanted() {
        for (int shard = 0; shard < wanted.length; shard++) {
            if (wanted[shard]) {
                return shard;
            }
        }
        return -1;
    }

    private int fillList(MessageBuffer body) {
        return fill(body, anyShard, 0);
    }

    private int fillAcquire(MessageBuffer body) {
        return fill(body, asking, (int) Math.max(1, ACQUIRE_BYTES / segmentBytes));
    }

    private int fillReleases(MessageBuffer body) {
        int count = Math.min(releases.size() / 2, RELEASES_PER_CALL);
        fill(body, anyShard, 0);
        request.segmentsCount(count);
        for (int i = 0; i < count; i++) {
            int at = request.segments(i);
            body.putU32(at + SegmentElementLayout.SHARD_OFFSET, releases.removeAt(releases.size() - 1));
            body.putU32(at + SegmentElementLayout.INDEX_OFFSET, releases.removeAt(releases.size() - 1));
        }
        return request.bodyBytes();
    }

    private int fill(MessageBuffer body, int shard, int count) {
        return request.wrap(body)
                .shard(shard)
                .count(count)
                .reserved(0)
                .segmentsCount(0)
                .bodyBytes();
    }

    private void listed(int errno, MessageBuffer body) {
        inFlight = false;
        if (errno == 0) {
            listed = true;
            add(body);
            pump();
        } else {
            pause();
        }
    }

    private void released(int errno, MessageBuffer unused) {
        finished();
        if (errno == 0) {
            pump();
        } else {
            listed = false;
            pause();
        }
    }

    private void acquired(int errno, MessageBuffer body) {
        wanted[asking] = false;
        asking = -1;
        finished();
        if (errno != 0) {
            // It may have been given all the same: the list will tell.
            listed = false;
            pause();
        } else if (add(body) == 0) {
            pause();
        } else {
            pump();
        }
    }

    /** @return how many segments the answer names */
    private int add(MessageBuffer body) {
        reply.wrap(body);
        dataOffset = reply.dataOffset();
        segmentBytes = reply.segmentBytes();
        freeSegments = reply.freeSegments();
        if (segmentBytes < 1 << 20 || Long.bitCount(segmentBytes) != 1 || dataOffset % segmentBytes != 0) {
            if (!refusedSizes) {
                refusedSizes = true;
                LOG.warn(
                        "node {} has segments of {} bytes from {} on, not whole MiBs; its space is not used",
                        node,
                        segmentBytes,
                        dataOffset);
            }
            return 0;
        }
        int count = reply.segmentsCount();
        for (int i = 0; i < count; i++) {
            int at = reply.segments(i);
            int shard = body.getI32(at + SegmentElementLayout.SHARD_OFFSET);
            int index = body.getI32(at + SegmentElementLayout.INDEX_OFFSET);
            long block = (dataOffset + index * segmentBytes) >>> BlockLocation.BLOCK_SHIFT;
            BlockAllocator allocator = shard < 0 ? null : space.allocator(shard);
            if (allocator == null || index < 0) {
                LOG.error("node {} names segment {} of shard {}, which is not homed here", node, index, shard);
            } else if (!isBeingReleased(index)) {
                space.addSegment(
                        shard, BlockLocation.of(node, block), (int) (segmentBytes >>> BlockLocation.BLOCK_SHIFT));
            }
        }
        return count;
    }

    private boolean isBeingReleased(int index) {
        for (int i = 0; i < releases.size(); i += 2) {
            if (releases.getInt(i) == index) {
                return true;
            }
        }
        return false;
    }

    private void finished() {
        inFlight = false;
        changed = true;
        lastChangeNanos = clock.getAsLong();
    }

    private void pause() {
        paused = true;
        pausedUntilNanos = clock.getAsLong() + PAUSE_NANOS;
        Arrays.fill(wanted, false);
    }
}
