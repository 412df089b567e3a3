package org.octofs.client.data;

import org.octofs.client.client.ClientCounter;
import org.octofs.client.client.Consistency;
import org.octofs.client.client.FsException;
import org.octofs.client.link.Links;
import org.octofs.client.link.ScratchPool;
import org.octofs.client.link.ServerLink;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.rpc.RpcCall;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies whole blocks at the nodes that have them: into blocks lent for the target, on the node of the source's. No data comes here,
 * and no checksum is calculated: the copy is pending with those that the source's map has, so that a damaged block stays
 * one. Everything else is left to the caller: parts of blocks, holes, what is not committed, blocks on different nodes.
 *
 * <p>The source is validated as in a read: its version word is read when the nodes have answered. If it moved, the copied blocks may
 * have been somebody else's; they are lent blocks as before then, and copied to again.
 *
 * <p><i>Answers that do not come.</i> Without an answer the node may execute the request at any later time, and would overwrite what the
 * blocks hold by then. So they are forgotten here: not used and not given back. They come back to their home when this client's session
 * ends there, after it has been fenced at the node; and since a goodbye is not waited for like that, none is said any more. After an answer, of
 * whatever kind, the request is over: the node's reply cache keeps a resend from being executed, and its next life refuses what was meant
 * for this one.
 *
 * <p>Threading: thread-safe; holds the exclusive locks of both files, in the order of their numbers. Durability: none before the commit,
 * which need not ask the nodes for it.
 */
final class BlockCopier {
    private static final Logger LOG = LoggerFactory.getLogger(BlockCopier.class);
    private static final int BLOCK = IoContext.BLOCK;

    /** Requests that are on their way, so that a node has the next one when it has answered: what others wait for there at most. */
    private static final int OUTSTANDING_MAX = 2;

    /** The source moves all the time: the caller reads it, with more patience. */
    private static final int ATTEMPTS_MAX = 4;

    /** What the caller copies at least, where blocks that nodes can copy come in between: every piece costs it round trips. */
    private static final int OTHERS_BLOCKS_MIN = 32;

    /** The view of the source is not the present one. */
    private static final int MOVED = Integer.MIN_VALUE;

    private final Links links;
    private final ScratchPool<IoContext> contexts;
    private final FileView views;
    private final Committer committer;
    private final FileWriter writer;
    private final boolean isStrict;

    BlockCopier(Links links, ScratchPool<IoContext> contexts, FileView views, Committer committer, FileWriter writer) {
        this.links = links;
        this.contexts = contexts;
        this.views = views;
        this.committer = committer;
        this.writer = writer;
        this.isStrict = links.config().consistency() == Consistency.STRICT;
    }

    /**
     * Copies what it can.
     *
     * @param length bytes wanted, more than 0; within one file the ranges must not overlap
     * @param commit whether to commit before returning: then it copies everything there is to copy or nothing
     * @return bytes copied; or, negative, how many the caller has to copy before it is worthwhile to ask again
     */
    int copy(FileState source, long offset, FileState target, long targetOffset, int length, boolean commit)
            throws FsException {
        int within = (int) (offset % BLOCK);
        boolean sameFile = source.ino == target.ino;
        if (within != targetOffset % BLOCK || length < BLOCK || targetOffset > Long.MAX_VALUE - length) {
            return -length;
        }
        if (within != 0) {
            return commit ? -length : within - BLOCK;
        }
        int piece = Math.min(length, CopyPlan.BLOCKS_MAX * BLOCK);
        long deadline = links.deadline();
        FileState first = source.ino < target.ino ? source : target;
        FileState second = source.ino < target.ino ? target : source;
        long stamp = first.lockExclusive(links, deadline);
        try {
            long secondStamp = sameFile ? 0 : second.lockExclusive(links, deadline);
            try {
                return copyLocked(source, offset, target, targetOffset, piece, commit, deadline);
            } finally {
                if (!sameFile) {
                    second.unlockExclusive(secondStamp);
                }
            }
        } finally {
            first.unlockExclusive(stamp);
        }
    }

    private int copyLocked(
            FileState source,
            long offset,
            FileState target,
            long targetOffset,
            int piece,
            boolean commit,
            long deadline)
            throws FsException {
        IoContext io = contexts.borrow();
        boolean success = false;
        try {
            io.mayCommitBehind = !commit;
            io.inOneCommit = isStrict;
            int copied = copyValidated(io, source, offset, target, targetOffset, piece, commit, deadline);
            if (copied > 0) {
                writer.written(target, targetOffset + copied);
                if (commit) {
                    committer.commit(io, target, deadline);
                }
            }
            success = true;
            return copied;
        } finally {
            io.mayCommitBehind = false;
            io.inOneCommit = false;
            contexts.giveBack(io);
            if (!success && isStrict) {
                // As after a write: nobody but readers here would see it, and a later commit would bring it back.
                target.discardUncommitted();
            }
        }
    }

    private int copyValidated(
            IoContext io,
            FileState source,
            long offset,
            FileState target,
            long targetOffset,
            int piece,
            boolean commit,
            long deadline)
            throws FsException {
        if (!source.hasView()) {
            views.ask(source, deadline);
        }
        if (!target.hasView()) {
            views.ask(target, deadline);
        }
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            int copied = attempt(io, source, offset, target, targetOffset, piece, commit, deadline);
            if (copied != MOVED) {
                return copied;
            }
            links.counters().increment(ClientCounter.READ_RETRIES);
            committer.settleBehind(io, source, deadline);
            views.refresh(io, source, deadline);
        }
        return -piece;
    }

    private int attempt(
            IoContext io,
            FileState source,
            long offset,
            FileState target,
            long targetOffset,
            int piece,
            boolean commit,
            long deadline)
            throws FsException {
        long first = offset / BLOCK;
        long targetFirst = targetOffset / BLOCK;
        long bytes = Math.min(piece, source.committedSize - offset);
        if (bytes < BLOCK || (commit && bytes % BLOCK != 0)) {
            return -piece;
        }
        int blocks = (int) (bytes / BLOCK);
        int room = writer.makeRoom(io, target, blocks, deadline);
        if (room == 0
                || (commit && room < blocks)
                || source.mayBeUncommitted(first, first + blocks - 1)
                || target.mayBeUncommitted(targetFirst, targetFirst + blocks - 1)) {
            return -piece;
        }
        long seen = source.version;
        views.needMap(io, source, first, first + room - 1, deadline);
        if (source.version != seen) {
            return MOVED;
        }
        io.verbs.clear();
        int left = plan(io, source, first, target, targetFirst, room, deadline);
        int planned = io.copy.blocks();
        if (planned == 0 || (commit && planned < blocks)) {
            io.copy.giveBack(target.loans);
            return commit ? -piece : -Math.min(piece, Math.max(left, OTHERS_BLOCKS_MIN) * BLOCK);
        }
        return run(io, source, first, target, targetFirst, deadline) ? planned * BLOCK : MOVED;
    }

    /**
     * Plans what can be copied, from the first block on.
     *
     * @return how many blocks are behind it that cannot be, for one and the same reason
     * @throws FsException if there is no block for the first
     */
    private int plan(
            IoContext io, FileState source, long first, FileState target, long targetFirst, int blocks, long deadline)
            throws FsException {
        CopyPlan plan = io.copy;
        plan.begin();
        while (plan.blocks() < blocks) {
            int done = plan.blocks();
            int run = source.map.run(first + done, blocks - done);
            if (run == 0) {
                return holes(source, first + done, blocks - done);
            }
            long from = source.map.location(first + done);
            try {
                writer.takeLoan(io, target, targetFirst + done, run, deadline);
            } catch (FsException e) {
                if (done > 0) {
                    break; // it comes again with the next block
                }
                throw e;
            }
            if (BlockLocation.node(io.runLocation) != BlockLocation.node(from)) {
                // Not wasted: who copies it otherwise takes them next.
                target.loans.putBack(io.runLocation, io.runBlocks);
                return io.runBlocks;
            }
            plan.add(from, io.runLocation, io.runBlocks);
        }
        return 0;
    }

    private static int holes(FileState source, long first, int max) {
        int count = 1;
        while (count < max && source.map.run(first + count, 1) == 0) {
            count++;
        }
        return count;
    }

    /** Has the nodes copy what is planned and makes it pending; false if the source was another one, or a node refused. */
    private boolean run(IoContext io, FileState source, long first, FileState target, long targetFirst, long deadline)
            throws FsException {
        CopyPlan plan = io.copy;
        boolean success = false;
        links.storing();
        try {
            success = ask(plan, deadline) && isUnmoved(io, source, deadline);
        } finally {
            if (!plan.isOutstanding()) {
                links.stored();
            }
            if (!success) {
                plan.giveBack(target.loans);
            }
        }
        if (success) {
            plan.record(source, first, target, targetFirst);
        }
        return success;
    }

    /** Has the nodes copy; false if some of it was not done and will not be. An exception leaves open what outstanding requests will do. */
    private boolean ask(CopyPlan plan, long deadline) throws FsException {
        RpcCall[] calls = new RpcCall[OUTSTANDING_MAX];
        boolean done = true;
        int sent = 0;
        int taken = 0;
        try {
            while (taken < sent || (done && sent < plan.requests())) {
                while (done && sent < plan.requests() && sent - taken < OUTSTANDING_MAX) {
                    RpcCall call = send(plan, sent, deadline);
                    calls[sent++ % OUTSTANDING_MAX] = call;
                }
                int place = taken % OUTSTANDING_MAX;
                try (RpcCall call = calls[place]) {
                    calls[place] = null;
                    done &= isDone(links.node(plan.node(taken)), call);
                    plan.answered(taken++);
                }
            }
        } finally {
            for (RpcCall call : calls) {
                if (call != null) {
                    call.close();
                }
            }
        }
        return done;
    }

    private RpcCall send(CopyPlan plan, int index, long deadline) throws FsException {
        ServerLink link = links.node(plan.node(index));
        long incarnation = link.pool(deadline).incarnation();
        RpcCall call = link.begin(OpCode.COPY_BLOCKS, plan.requestBytes(index), deadline);
        call.send(plan.fill(index, incarnation, call.request()));
        return call;
    }

    private static boolean isDone(ServerLink link, RpcCall call) throws FsException {
        Errno errno = Errno.of(link.await(call));
        if (errno != Errno.OK && errno != Errno.ECANCELED) {
            // Damage, it may be; the client's copy will find out.
            LOG.warn("node {} refused to copy blocks: {}", link.nodeId(), errno);
        }
        return errno == Errno.OK;
    }

    /** Whether the source is still what the view says: then all copied blocks were its own. */
    private static boolean isUnmoved(IoContext io, FileState source, long deadline) throws FsException {
        io.verbs.clear();
        io.verbs.read(source.homeNode, source.slotOffset, io.image, 0, Long.BYTES);
        io.verbs.run(deadline);
        io.verbs.clear();
        return io.versionWord() == source.version;
    }
}
