package org.octofs.client.data;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import org.octofs.client.client.ClientCounter;
import org.octofs.client.client.FsException;
import org.octofs.client.link.Links;
import org.octofs.client.link.Statuses;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.CommitExtentLayout;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.rpc.RpcCall;

/**
 * Makes pushed blocks part of their file. Partial blocks are merged with the committed ones just before, and pushed; the
 * home takes the commit only if those are still there, else the merge is done again.
 *
 * <p>Threading: all under the file's exclusive lock. Durability: what {@link #commit} has committed is durable.
 */
final class Committer {
    /** Most commits of all files that are sent and not waited for: each keeps a slot of its home busy. */
    private static final int CALLS_BEHIND_MAX = 16;

    private final AtomicInteger callsBehind = new AtomicInteger();
    private final Links links;
    private final FileView views;
    private final BlockLoans loans;
    private final Persister persister;

    Committer(Links links, FileView views, BlockLoans loans) {
        this.links = links;
        this.views = views;
        this.loans = loans;
        this.persister = new Persister(links);
    }

    /**
     * Commits all that was written.
     *
     * @throws FsException the data is still there and can be tried again, but for ENOENT and EINVAL: then it is lost
     */
    void commit(IoContext io, FileState file, long deadlineNanos) throws FsException {
        finishBehind(io, file, deadlineNanos);
        if (!file.hasUncommitted()) {
            file.dirty = false;
            return;
        }
        for (int attempt = 0; ; attempt++) {
            mergePartials(io, file, deadlineNanos);
            io.commit.begin(file, loans).want(loans.wantedWithCommit(file, (file.writtenEnd - 1) >> 12));
            int status = send(io, file, deadlineNanos);
            if (status == 0) {
                committed(file);
                return;
            }
            if (!io.commit.isConflict()) {
                failed(io, file, file.pending, status, deadlineNanos);
                return;
            }
            conflict(attempt, deadlineNanos);
        }
    }

    /** Commits as an append at {@code expectedSize}; false if the file has another size by now. */
    boolean commitAppend(IoContext io, FileState file, long expectedSize, long deadlineNanos) throws FsException {
        finishBehind(io, file, deadlineNanos);
        mergePartials(io, file, deadlineNanos);
        io.commit
                .begin(file, loans)
                .append(expectedSize)
                .want(loans.wantedWithCommit(file, (file.writtenEnd - 1) >> 12));
        int status = send(io, file, deadlineNanos);
        if (status == 0) {
            committed(file);
            return true;
        }
        if (io.commit.isConflict()) {
            links.counters().increment(ClientCounter.COMMIT_CONFLICTS);
            return false;
        }
        failed(io, file, file.pending, status, deadlineNanos);
        return true;
    }

    /** Sends what {@code io.commit} was told; answers the status. */
    int send(IoContext io, FileState file, long deadlineNanos) throws FsException {
        int bytes = io.commit.prepare();
        PendingBlocks blocks = io.commit.blocks();
        persister.persist(io, file, blocks, deadlineNanos);
        try {
            links.call(links.home(file.ino), OpCode.COMMIT, bytes, deadlineNanos, io.commit, io.commit);
        } catch (FsException e) {
            blocks.commitInDoubt = true;
            throw e;
        }
        return io.commit.status();
    }

    /**
     * Sends the commit of what is pending and does not wait for the answer, where that is possible; else commits. One commit
     * of a file is outstanding at a time, so they take effect in their order.
     *
     * @throws FsException if the commit before has failed; its blocks are still there, as with {@link #commit}
     */
    void commitBehind(IoContext io, FileState file, long deadlineNanos) throws FsException {
        finishBehind(io, file, deadlineNanos);
        if (!file.canHandOver() || !persister.isDurable(file.pending) || callsBehind.get() >= CALLS_BEHIND_MAX) {
            commit(io, file, deadlineNanos);
            return;
        }
        file.handOver();
        file.pending.pushedAtRestart = links.restarts();
        CommitBehind behind = file.behind();
        CommitCall commit = behind.commit;
        long last = file.inFlight.highest();
        commit.begin(file, loans, file.inFlight, file.inFlightEnd()).want(loans.wantedWithCommit(file, last));
        int bytes = commit.prepare();
        RpcCall call = links.home(file.ino).begin(OpCode.COMMIT, bytes, deadlineNanos);
        callsBehind.incrementAndGet();
        call.send(commit.fill(call.request()));
        behind.call = call;
    }

    /**
     * Takes the answer to the commit that was sent and not waited for, if there is one; sends it again if it did not succeed.
     *
     * @throws FsException as {@link #commit}
     */
    void finishBehind(IoContext io, FileState file, long deadlineNanos) throws FsException {
        if (file.inFlight.isEmpty() || answerTaken(file)) {
            return;
        }
        for (int attempt = 0; ; attempt++) {
            io.commit.begin(file, loans, file.inFlight, file.inFlightEnd());
            int status = send(io, file, deadlineNanos);
            if (status == 0) {
                file.endFlight();
                return;
            }
            if (!io.commit.isConflict()) {
                failed(io, file, file.inFlight, status, deadlineNanos);
                return;
            }
            conflict(attempt, deadlineNanos);
        }
    }

    /** {@link #finishBehind} for those who are not to hear of its errors: who writes or syncs next will. */
    void settleBehind(IoContext io, FileState file, long deadlineNanos) {
        try {
            finishBehind(io, file, deadlineNanos);
        } catch (FsException e) {
            if (file.inFlight.isEmpty()) {
                file.recordError(e.errno()); // lost; else it is tried again
            }
        }
    }

    /** Waits for the answer, if a call is outstanding; whether it was success. */
    private boolean answerTaken(FileState file) throws FsException {
        CommitBehind behind = file.behind();
        RpcCall outstanding = behind.call;
        if (outstanding == null) {
            return false;
        }
        behind.call = null;
        callsBehind.decrementAndGet();
        try (RpcCall call = outstanding) {
            int status = links.home(file.ino).await(call);
            if (status != 0) {
                return false;
            }
            behind.commit.take(status, call.reply());
            file.endFlight();
            return true;
        } catch (FsException e) {
            file.inFlight.commitInDoubt = true;
            throw e;
        }
    }

    /** Counts a conflict and rests a little; throws when there is no time left. */
    void conflict(int attempt, long deadlineNanos) throws FsException {
        links.counters().increment(ClientCounter.COMMIT_CONFLICTS);
        if (links.isPast(deadlineNanos)) {
            throw new FsException(Errno.EIO, "other clients change the file faster than it can be committed");
        }
        if (attempt > 0) {
            links.pause(attempt, deadlineNanos);
        }
    }

    private void committed(FileState file) {
        file.forgetUncommitted();
        if (file.committedSize <= (long) BlockLoans.SMALL_FILE_BLOCKS * IoContext.BLOCK) {
            loans.share(file);
        }
    }

    private void failed(IoContext io, FileState file, PendingBlocks blocks, int status, long deadlineNanos)
            throws FsException {
        boolean inFlight = blocks == file.inFlight;
        Errno errno = Errno.of(status);
        if (errno == Errno.EINVAL || errno == Errno.ERESERVATION) {
            boolean happened = blocks.commitInDoubt && hasHappened(io, file, blocks, deadlineNanos);
            // If not, the home does not know our loans (any more): the blocks may be somebody else's.
            if (happened && !inFlight) {
                committed(file);
            } else {
                file.forget(blocks);
            }
            if (happened) {
                return;
            }
            throw new FsException(
                    Errno.EIO, "inode " + file.ino + ": the home no longer lends the blocks that were written");
        }
        if (errno == Errno.ENOENT || errno == Errno.ESTALE || isOfAnotherKind(errno)) {
            if (inFlight) {
                file.discardFlight();
            }
            file.discardUncommitted();
        }
        throw Statuses.exception(status, "COMMIT of inode " + file.ino);
    }

    /** What has the number now has no data. */
    private static boolean isOfAnotherKind(Errno errno) {
        return errno == Errno.EISDIR || errno == Errno.ELOOP || errno == Errno.ENXIO;
    }

    /** Whether a commit whose answer was lost has been carried out: then the map shows our blocks. */
    private boolean hasHappened(IoContext io, FileState file, PendingBlocks blocks, long deadlineNanos)
            throws FsException {
        views.ask(file, deadlineNanos);
        for (int i = 0; i < blocks.count(); i++) {
            long block = blocks.fileBlock(i);
            views.needMap(io, file, block, block, deadlineNanos);
            if (BlockLocation.withoutFlags(file.map.location(block))
                    != BlockLocation.withoutFlags(blocks.location(i))) {
                return false;
            }
        }
        return true;
    }

    private void mergePartials(IoContext io, FileState file, long deadlineNanos) throws FsException {
        if (file.partials.isEmpty()) {
            return;
        }
        int slot = 0;
        for (PartialBlock partial : file.partials.all()) {
            if (slot == IoContext.SCRATCH_BLOCKS) {
                pushScratch(io, deadlineNanos);
                slot = 0;
            }
            merge(io, file, partial, slot, deadlineNanos);
            io.mergedLocations[slot++] = partial.location;
            io.mergedCount = slot;
        }
        pushScratch(io, deadlineNanos);
    }

    private void pushScratch(IoContext io, long deadlineNanos) throws FsException {
        io.verbs.clear();
        for (int i = 0; i < io.mergedCount; i++) {
            long location = io.mergedLocations[i];
            io.verbs.write(
                    BlockLocation.node(location),
                    BlockLocation.poolOffset(location),
                    io.blocks,
                    (long) i * IoContext.BLOCK,
                    IoContext.BLOCK);
        }
        io.mergedCount = 0;
        io.verbs.run(deadlineNanos);
        io.verbs.clear();
    }

    /** Puts the block's content as it is to be into a scratch slot and makes it pending. */
    private void merge(IoContext io, FileState file, PartialBlock partial, int slot, long deadlineNanos)
            throws FsException {
        long at = (long) slot * IoContext.BLOCK;
        long base = BlockLocation.HOLE;
        int flags = 0;
        if (!partial.isWhole()) {
            base = readCommitted(io, file, partial.fileBlock, io.blocks, slot, deadlineNanos);
            flags = CommitExtentLayout.FLAG_MERGED;
        }
        partial.overlay(io.blocks, at);
        file.pending.put(partial.fileBlock, partial.location, io.checksumOfScratch(slot), base, flags);
    }

    /**
     * Reads a committed block into a scratch slot, as of the view.
     *
     * @return its location with its flags, HOLE if there is none (then the slot is zeros)
     */
    long readCommitted(
            IoContext io, FileState file, long fileBlock, MemorySegment scratch, int slot, long deadlineNanos)
            throws FsException {
        long at = (long) slot * IoContext.BLOCK;
        for (int attempt = 0; ; attempt++) {
            views.needMap(io, file, fileBlock, fileBlock, deadlineNanos);
            long location = file.map.location(fileBlock);
            if (location == BlockLocation.HOLE || BlockLocation.isUnwritten(location)) {
                scratch.asSlice(at, IoContext.BLOCK).fill((byte) 0);
                return location;
            }
            io.verbs.clear();
            io.verbs.read(
                    BlockLocation.node(location), BlockLocation.poolOffset(location), scratch, at, IoContext.BLOCK);
            io.verbs.run(deadlineNanos);
            io.verbs.clear();
            // The checksum also tells whether the block is still what the view says: if it was freed and is somebody
            // else's by now, the content is another.
            if (io.checksumOfScratch(slot) == file.map.checksum(fileBlock)) {
                return location;
            }
            long seen = file.version;
            views.ask(file, deadlineNanos);
            if (file.version == seen && attempt > 2) {
                links.counters().increment(ClientCounter.CHECKSUM_FAILURES);
                throw new FsException(
                        Errno.EIO,
                        "block " + fileBlock + " of inode " + file.ino + " at " + BlockLocation.toString(location)
                                + " does not match its checksum, so nothing can be merged into it");
            }
            conflict(attempt, deadlineNanos);
        }
    }
}
