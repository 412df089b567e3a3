package org.octofs.client.data;

import java.lang.foreign.MemorySegment;
import java.util.function.LongSupplier;
import org.octofs.client.client.ClientCounter;
import org.octofs.client.client.FsException;
import org.octofs.client.link.Links;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.UnixTime;

/**
 * Client-active writes: whole blocks are pushed from the caller's memory straight into lent blocks, parts of blocks are
 * kept until the commit. A block that was pushed and not committed is overwritten where it is.
 *
 * <p>Threading: all under the file's exclusive lock. Durability: none before the commit. Allocates nothing in steady state.
 */
final class FileWriter {
    private static final int BLOCK = IoContext.BLOCK;
    private static final int BLOCKS_MAX = PendingBlocks.CAPACITY - PartialBlocks.CAPACITY;

    private final Links links;
    private final BlockLoans loans;
    private final Committer committer;
    private final LongSupplier wallClock;
    private final int pendingBlocksMax;
    private final int behindBlocks;

    FileWriter(Links links, BlockLoans loans, Committer committer) {
        this.links = links;
        this.loans = loans;
        this.committer = committer;
        this.wallClock = links.config().wallClock();
        this.pendingBlocksMax = Math.min(BLOCKS_MAX, links.config().pendingBytesMax() / BLOCK);
        // Half of it is being committed while the other half fills.
        this.behindBlocks = Math.max(1, Math.min(PendingBlocks.CAPACITY, pendingBlocksMax) / 2);
    }

    /**
     * Writes; the source is native memory and is not looked at again afterwards.
     *
     * @return bytes written, fewer than asked if an error came in the middle (it comes again with the next write)
     * @throws FsException if nothing was written
     */
    int write(
            IoContext io,
            FileState file,
            long offset,
            MemorySegment source,
            long sourceOffset,
            int length,
            long deadlineNanos)
            throws FsException {
        if (offset < 0 || offset > Long.MAX_VALUE - length) {
            throw new FsException(Errno.EFBIG);
        }
        if (file.pending.isEmpty()) {
            noteRestarts(file);
        }
        int done = 0;
        while (done < length) {
            try {
                done += writeSome(io, file, offset + done, source, sourceOffset + done, length - done, deadlineNanos);
            } catch (FsException e) {
                if (done > 0) {
                    break;
                }
                throw e;
            }
            written(file, offset + done);
        }
        return done;
    }

    /** Notes that there is something to commit, up to a byte of the file. */
    void written(FileState file, long end) {
        file.writtenEnd = Math.max(file.writtenEnd, end);
        touch(file);
        if (!file.dirty) {
            file.dirtySinceNanos = links.nanoTime();
            file.dirty = true;
        }
    }

    /** Before anything is pushed for a commit of its own. */
    void noteRestarts(FileState file) {
        file.pending.pushedAtRestart = links.restarts();
    }

    /** Sets the modification time that the next commit will carry. */
    void touch(FileState file) {
        long now = wallClock.getAsLong();
        file.mtimeSeconds = UnixTime.seconds(now);
        file.mtimeNanos = UnixTime.nanos(now);
    }

    private int writeSome(
            IoContext io,
            FileState file,
            long offset,
            MemorySegment source,
            long sourceOffset,
            int length,
            long deadlineNanos)
            throws FsException {
        int within = (int) (offset % BLOCK);
        if (within != 0 || length < BLOCK) {
            int n = Math.min(length, BLOCK - within);
            writePart(io, file, offset / BLOCK, within, within + n, source, sourceOffset, deadlineNanos);
            return n;
        }
        int whole = Math.min(length / BLOCK, IoContext.PUSH_BLOCKS);
        return writeWhole(io, file, offset / BLOCK, whole, source, sourceOffset, deadlineNanos) * BLOCK;
    }

    private int writeWhole(
            IoContext io,
            FileState file,
            long firstBlock,
            int count,
            MemorySegment source,
            long sourceOffset,
            long deadlineNanos)
            throws FsException {
        commitIfFull(io, file, deadlineNanos);
        takeLoansOnTheirWay(io, file, count, deadlineNanos);
        int room = (io.isAppend ? BLOCKS_MAX : pendingBlocksMax) - file.pending.count();
        io.verbs.clear();
        io.runs = 0;
        io.pushedFrom = sourceOffset;
        int planned = 0;
        int fresh = 0;
        FsException failure = null;
        while (planned < count && io.verbs.hasRoom()) {
            long block = firstBlock + planned;
            int run = ownRun(io, file, block, count - planned);
            if (run == 0) {
                run = Math.min(room - fresh, freshRun(file, block, count - planned));
                if (run <= 0) {
                    break;
                }
                try {
                    takeLoan(io, file, block, run, deadlineNanos);
                } catch (FsException e) {
                    failure = e;
                    break;
                }
                run = io.runBlocks;
                fresh += run;
            }
            io.addRun(io.runLocation, run);
            io.verbs.write(
                    BlockLocation.node(io.runLocation),
                    BlockLocation.poolOffset(io.runLocation),
                    source,
                    sourceOffset + (long) planned * BLOCK,
                    run * BLOCK,
                    io);
            planned += run;
        }
        if (planned == 0) {
            throw failure != null ? failure : new FsException(Errno.EIO, "no room for pending blocks");
        }
        push(io, file, firstBlock, deadlineNanos);
        record(io, file, firstBlock);
        return planned;
    }

    private void push(IoContext io, FileState file, long firstBlock, long deadlineNanos) throws FsException {
        boolean success = false;
        try {
            io.verbs.run(deadlineNanos);
            success = true;
        } finally {
            io.verbs.clear();
            if (!success) {
                giveBackRuns(io, file, firstBlock);
            }
        }
    }

    /** After a push that failed: fresh blocks are loans again. */
    private static void giveBackRuns(IoContext io, FileState file, long firstBlock) {
        long block = firstBlock;
        for (int run = 0; run < io.runs; run++) {
            if (file.pending.find(block) < 0 && file.partials.get(block) == null) {
                file.loans.add(io.runLocations[run], io.runCounts[run]);
            }
            block += io.runCounts[run];
        }
    }

    private static void record(IoContext io, FileState file, long firstBlock) {
        int done = 0;
        for (int run = 0; run < io.runs; run++) {
            int blocks = io.runCounts[run];
            file.pending.putRun(firstBlock + done, io.runLocations[run], io.pushedChecksums, done, blocks);
            done += blocks;
        }
        for (int i = 0; i < done && !file.partials.isEmpty(); i++) {
            file.partials.remove(firstBlock + i);
        }
    }

    /** A run of blocks that have lent blocks of their own already: {@code io.runLocation}; its length, 0 if none. */
    private static int ownRun(IoContext io, FileState file, long firstBlock, int max) {
        long location = ownLocation(file, firstBlock);
        if (location == BlockLocation.HOLE) {
            return 0;
        }
        io.runLocation = location;
        int run = 1;
        while (run < max && ownLocation(file, firstBlock + run) == location + run) {
            run++;
        }
        return run;
    }

    private static long ownLocation(FileState file, long block) {
        PartialBlock partial = file.partials.get(block);
        if (partial != null) {
            return partial.location;
        }
        int index = file.pending.find(block);
        return index < 0 ? BlockLocation.HOLE : file.pending.location(index);
    }

    /** How many blocks from here on have no lent block yet. */
    private static int freshRun(FileState file, long firstBlock, int max) {
        if (file.partials.isEmpty() && !file.pending.mayTouch(firstBlock, firstBlock + max - 1)) {
            return max;
        }
        int run = 1;
        while (run < max && ownLocation(file, firstBlock + run) == BlockLocation.HOLE) {
            run++;
        }
        return run;
    }

    /** The answer to a commit sent before brings blocks; without those the home would be asked for more, and waited for. */
    private void takeLoansOnTheirWay(IoContext io, FileState file, int wanted, long deadlineNanos) throws FsException {
        if (io.mayCommitBehind && !io.isAppend && file.loans.blocks() < wanted) {
            committer.finishBehind(io, file, deadlineNanos);
        }
    }

    /**
     * Gets ready for more blocks, which may take a commit of those before.
     *
     * @return how many there is room for, at most {@code wanted}; 0 = none
     */
    int makeRoom(IoContext io, FileState file, int wanted, long deadlineNanos) throws FsException {
        if (file.pending.isEmpty()) {
            noteRestarts(file);
        }
        commitIfFull(io, file, deadlineNanos);
        takeLoansOnTheirWay(io, file, wanted, deadlineNanos);
        return Math.clamp(pendingBlocksMax - file.pending.count(), 0, wanted);
    }

    /** Takes a loan; when the home has no space, commits first, since that frees the blocks that are replaced. */
    void takeLoan(IoContext io, FileState file, long block, int wanted, long deadlineNanos) throws FsException {
        try {
            loans.take(io, file, block, wanted, deadlineNanos);
        } catch (FsException e) {
            // Not in the middle of a batch: a commit would use the same one.
            if (e.errno() != Errno.ENOSPC || io.inOneCommit || !file.hasUncommitted() || io.verbs.count() > 0) {
                throw e;
            }
            committer.commit(io, file, deadlineNanos);
            io.verbs.clear();
            loans.take(io, file, block, wanted, deadlineNanos);
        }
    }

    private void writePart(
            IoContext io,
            FileState file,
            long block,
            int from,
            int to,
            MemorySegment source,
            long sourceOffset,
            long deadlineNanos)
            throws FsException {
        PartialBlock partial = file.partials.get(block);
        if (partial == null) {
            partial = beginPart(io, file, block, deadlineNanos);
        }
        partial.write(source, sourceOffset, from, to);
        if (to == BLOCK && partial.isWhole()) {
            pushWhole(io, file, partial, deadlineNanos);
        }
    }

    private PartialBlock beginPart(IoContext io, FileState file, long block, long deadlineNanos) throws FsException {
        commitIfFull(io, file, deadlineNanos);
        int index = file.pending.find(block);
        if (index < 0) {
            takeLoan(io, file, block, 1, deadlineNanos);
            return file.partials.begin(block, io.runLocation);
        }
        // Pushed already: take it back whole, so that more parts cost nothing.
        long location = file.pending.location(index);
        io.verbs.clear();
        io.verbs.read(BlockLocation.node(location), BlockLocation.poolOffset(location), io.blocks, 0, BLOCK);
        io.verbs.run(deadlineNanos);
        io.verbs.clear();
        if (io.checksumOfScratch(0) != file.pending.checksum(index)) {
            // It would get a checksum of its own, and nobody could ever tell.
            throw damaged(file, block, location);
        }
        PartialBlock partial = file.partials.begin(block, location);
        partial.write(io.blocks, 0, 0, BLOCK);
        return partial;
    }

    private FsException damaged(FileState file, long block, long location) {
        if (file.pending.pushedAtRestart != links.restarts()) {
            return Persister.lost(file); // the next fsync will say so, and drop it
        }
        links.counters().increment(ClientCounter.CHECKSUM_FAILURES);
        return new FsException(
                Errno.EIO,
                "block " + block + " of inode " + file.ino + " at " + BlockLocation.toString(location)
                        + " does not match its checksum, so no part of it can be written");
    }

    /** A block that small writes have filled to its end: the next ones will go to the next block. */
    private void pushWhole(IoContext io, FileState file, PartialBlock partial, long deadlineNanos) throws FsException {
        MemorySegment.copy(partial.content, 0, io.blocks, 0, BLOCK);
        io.verbs.clear();
        io.verbs.write(
                BlockLocation.node(partial.location), BlockLocation.poolOffset(partial.location), io.blocks, 0, BLOCK);
        io.verbs.run(deadlineNanos);
        io.verbs.clear();
        file.pending.put(partial.fileBlock, partial.location, io.checksumOfScratch(0), 0, 0);
        file.partials.remove(partial.fileBlock);
    }

    private void commitIfFull(IoContext io, FileState file, long deadlineNanos) throws FsException {
        if (io.isAppend) {
            return;
        }
        if (file.partials.count() >= PartialBlocks.CAPACITY) {
            committer.commit(io, file, deadlineNanos);
        } else if (io.mayCommitBehind && file.pending.count() >= behindBlocks) {
            committer.commitBehind(io, file, deadlineNanos);
        } else if (file.pending.count() >= pendingBlocksMax) {
            committer.commit(io, file, deadlineNanos);
        }
    }
}
