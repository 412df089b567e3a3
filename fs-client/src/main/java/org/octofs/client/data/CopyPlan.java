package org.octofs.client.data;

import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.message.CopyBlocksRequest;

/**
 * Blocks that nodes are to copy, in the order of the files, and the requests for that: each is for one node and of at most
 * {@link CopyBlocksRequest#COPY_BYTES_MAX}. Confined to its {@link IoContext}. Allocates nothing.
 */
final class CopyPlan {
    /** Most blocks of a plan, and runs, and requests. */
    static final int BLOCKS_MAX = IoContext.PUSH_BLOCKS;

    private static final int REQUEST_BLOCKS = CopyBlocksRequest.COPY_BYTES_MAX / BlockLocation.BLOCK_BYTES;

    private final CopyBlocksRequest request = new CopyBlocksRequest();

    // Runs of blocks that lie together in both files, none of which is for more than one request.
    private final long[] sources = new long[BLOCKS_MAX];
    private final long[] targets = new long[BLOCKS_MAX];
    private final int[] counts = new int[BLOCKS_MAX];
    private int runs;
    private int blocks;

    /** Room in the last request. */
    private int room;

    /** The first run of each request, and the end. */
    private final int[] firstRuns = new int[BLOCKS_MAX + 1];

    private final boolean[] outstanding = new boolean[BLOCKS_MAX];
    private int requests;

    private final int[] checksums = new int[BLOCKS_MAX];
    private final boolean[] verified = new boolean[BLOCKS_MAX];

    /** An empty plan. */
    void begin() {
        runs = 0;
        blocks = 0;
        room = 0;
        requests = 0;
    }

    /** Adds blocks that lie together in both files, and on one node. */
    void add(long source, long target, int count) {
        for (int done = 0; done < count; ) {
            if (room == 0 || BlockLocation.node(sources[runs - 1]) != BlockLocation.node(source)) {
                room = REQUEST_BLOCKS;
                outstanding[requests] = false;
                firstRuns[requests++] = runs;
            }
            int part = Math.min(count - done, room);
            sources[runs] = source + done;
            targets[runs] = target + done;
            counts[runs++] = part;
            room -= part;
            done += part;
        }
        firstRuns[requests] = runs;
        blocks += count;
    }

    /** Blocks so far. */
    int blocks() {
        return blocks;
    }

    /** Requests so far. */
    int requests() {
        return requests;
    }

    /** The node that a request is for. */
    int node(int index) {
        return BlockLocation.node(sources[firstRuns[index]]);
    }

    /** Bytes of a request. */
    int requestBytes(int index) {
        return CopyBlocksRequest.FIXED_BYTES
                + (firstRuns[index + 1] - firstRuns[index]) * CopyBlocksRequest.RANGE_BYTES;
    }

    /**
     * Writes a request, which counts as outstanding from now on.
     *
     * @param incarnation the life of the node that it is for
     * @return its bytes
     */
    int fill(int index, long incarnation, MessageBuffer body) {
        int first = firstRuns[index];
        int end = firstRuns[index + 1];
        request.wrap(body).incarnation(incarnation).rangesCount(end - first);
        for (int run = first; run < end; run++) {
            request.range(
                    run - first,
                    BlockLocation.poolOffset(sources[run]),
                    BlockLocation.poolOffset(targets[run]),
                    (long) counts[run] * IoContext.BLOCK);
        }
        outstanding[index] = true;
        return request.bodyBytes();
    }

    /** A request was answered. */
    void answered(int index) {
        outstanding[index] = false;
    }

    /** Whether any request has no answer, so that it may be executed whenever. */
    boolean isOutstanding() {
        boolean any = false;
        for (int i = 0; i < requests; i++) {
            any |= outstanding[i];
        }
        return any;
    }

    /** Makes what was lent for this the next loans to be taken, but for what outstanding requests may still copy to. */
    void giveBack(LoanList loans) {
        for (int i = requests - 1; i >= 0; i--) {
            for (int run = firstRuns[i + 1] - 1; !outstanding[i] && run >= firstRuns[i]; run--) {
                loans.putBack(targets[run], counts[run]);
            }
        }
    }

    /** Makes what was copied pending in the target, with the checksums that the source has for it. */
    void record(FileState source, long sourceBlock, FileState target, long targetBlock) {
        int done = 0;
        for (int run = 0; run < runs; run++) {
            source.map.describe(sourceBlock + done, counts[run], checksums, verified, 0);
            target.pending.putCopied(targetBlock + done, targets[run], checksums, 0, counts[run]);
            done += counts[run];
        }
    }
}
