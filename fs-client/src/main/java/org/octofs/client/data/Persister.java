package org.octofs.client.data;

import org.octofs.client.client.FsException;
import org.octofs.client.link.Links;
import org.octofs.client.link.ServerLink;
import org.octofs.client.link.Statuses;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.CommitExtentLayout;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.PersistRequest;

/**
 * Makes pushed blocks durable at their nodes before a commit says that they are. Over shared memory the push itself does
 * that; over other transports a completed push is visible and no more, so the nodes are asked. What nodes have copied themselves
 * is durable.
 *
 * <p>What was pushed and not persisted may be lost when its node loses power. So if any node was restarted since the push,
 * the blocks are read back and compared with their checksums first.
 *
 * <p>Threading: under the file's exclusive lock.
 */
final class Persister {
    private static final int RANGE_BYTES = 16;

    private final Links links;

    Persister(Links links) {
        this.links = links;
    }

    /**
     * Persists blocks; their order must have been sorted.
     *
     * @throws FsException EIO if pushed data did not survive a restart of its node; it is lost then
     */
    void persist(IoContext io, FileState file, PendingBlocks blocks, long deadlineNanos) throws FsException {
        if (blocks.isEmpty()) {
            return;
        }
        for (int node = 0; blocks.hasPushed() && node < links.nodeCount(); node++) {
            ServerLink link = links.node(node);
            if (link.pushesAreDurable()) {
                continue;
            }
            int ranges = countRanges(blocks, node);
            if (ranges > 0 && !link.pool(deadlineNanos).pushesAreDurable()) {
                ask(blocks, link, ranges, deadlineNanos);
                // A call is sent again by itself after a restart, so it may be the node's next life that has answered:
                // make
                // sure that we know which one we talk to before we look whether it is still the one that we pushed to.
                link.pool(deadlineNanos);
            }
        }
        if (blocks.pushedAtRestart != links.restarts()) {
            verify(io, file, blocks, deadlineNanos);
            blocks.pushedAtRestart = links.restarts();
        }
    }

    /** Whether there is nothing to do for blocks, so that they may be committed at once. */
    boolean isDurable(PendingBlocks blocks) throws FsException {
        for (int node = 0; blocks.hasPushed() && node < links.nodeCount(); node++) {
            if (!links.node(node).pushesAreDurable()) {
                return false;
            }
        }
        return blocks.pushedAtRestart == links.restarts();
    }

    private static int countRanges(PendingBlocks pending, int node) {
        int ranges = 0;
        for (int run = 0; run < pending.count(); run = pending.runEnd(run)) {
            ranges += isAt(pending, run, node) ? 1 : 0;
        }
        return ranges;
    }

    private static boolean isAt(PendingBlocks pending, int place, int node) {
        int index = pending.ordered(place);
        return BlockLocation.node(pending.location(index)) == node && isWritten(pending, index);
    }

    private static boolean isWritten(PendingBlocks pending, int index) {
        return (pending.flags(index) & CommitExtentLayout.FLAG_UNWRITTEN) == 0;
    }

    private void ask(PendingBlocks blocks, ServerLink link, int ranges, long deadlineNanos) throws FsException {
        links.call(
                link,
                OpCode.PERSIST,
                PersistRequest.FIXED_BYTES + ranges * RANGE_BYTES,
                deadlineNanos,
                body -> fill(body, blocks, link.nodeId(), ranges),
                (status, body) -> {
                    if (status != 0) {
                        throw Statuses.exception(status, "PERSIST at node " + link.nodeId());
                    }
                });
    }

    private static int fill(MessageBuffer body, PendingBlocks pending, int node, int ranges) {
        PersistRequest request = new PersistRequest().wrap(body).reserved(0).rangesCount(ranges);
        int range = 0;
        for (int run = 0, end; run < pending.count(); run = end) {
            end = pending.runEnd(run);
            if (isAt(pending, run, node)) {
                int at = request.ranges(range++);
                body.putU64(at, BlockLocation.poolOffset(pending.location(pending.ordered(run))));
                body.putU64(at + Long.BYTES, (long) (end - run) * IoContext.BLOCK);
            }
        }
        return request.bodyBytes();
    }

    private void verify(IoContext io, FileState file, PendingBlocks pending, long deadlineNanos) throws FsException {
        for (int from = 0; from < pending.count(); from += IoContext.SCRATCH_BLOCKS) {
            int to = Math.min(pending.count(), from + IoContext.SCRATCH_BLOCKS);
            io.verbs.clear();
            for (int i = from; i < to; i++) {
                long location = pending.location(i);
                io.verbs.read(
                        BlockLocation.node(location),
                        BlockLocation.poolOffset(location),
                        io.blocks,
                        (long) (i - from) * IoContext.BLOCK,
                        IoContext.BLOCK);
            }
            io.verbs.run(deadlineNanos);
            io.verbs.clear();
            for (int i = from; i < to; i++) {
                if (isWritten(pending, i) && io.checksumOfScratch(i - from) != pending.checksum(i)) {
                    file.forget(pending);
                    // Whatever call it is that finds out: all who sync or close the file are to hear of it.
                    file.recordError(Errno.EIO);
                    throw lost(file);
                }
            }
        }
    }

    /** What was pushed has not survived a restart of its node. */
    static FsException lost(FileState file) {
        return new FsException(
                Errno.EIO, "inode " + file.ino + ": written data was lost when a data server was restarted");
    }
}
