package org.octofs.client.data;

import org.octofs.client.cache.MapCache;
import org.octofs.client.client.FsException;
import org.octofs.client.link.Statuses;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.CommitExtentLayout;
import org.octofs.rpc.protocol.CommitFlags;
import org.octofs.rpc.protocol.Errno;

/**
 * Changes of a file's shape: size, holes, allocation; and the search for holes. What was written before is committed
 * first, so that these need to look at the committed map only.
 *
 * <p>Threading: all under the file's exclusive lock. Durability: durable when a method returns.
 */
final class FileShaper {
    private static final int BLOCK = IoContext.BLOCK;

    /** Blocks that become zeros in one commit, those at both edges included. */
    private static final int ZEROED_BLOCKS_MAX = PendingBlocks.CAPACITY;

    private final FileView views;
    private final BlockLoans loans;
    private final Committer committer;
    private final FileWriter writer;

    FileShaper(FileView views, BlockLoans loans, Committer committer, FileWriter writer) {
        this.views = views;
        this.loans = loans;
        this.committer = committer;
        this.writer = writer;
    }

    /** Sets the size; bytes beyond it are gone, bytes that come in by growing are zero. */
    void truncate(IoContext io, FileState file, long size, long deadline) throws FsException {
        committer.commit(io, file, deadline);
        int within = (int) (size % BLOCK);
        for (int attempt = 0; ; attempt++) {
            begin(file);
            long seen = file.version;
            if (within != 0 && size < file.committedSize) {
                // The rest of a tail block must be zeros, so that growing needs no data.
                clear(io, file, size, (size / BLOCK + 1) * BLOCK, 0, deadline);
            }
            if (isOutdated(file, seen, attempt, deadline)) {
                continue;
            }
            io.commit.begin(file, loans).setSize(size);
            if (within != 0) {
                // What the tail block holds, and whether there is one, must be as it was when it was looked at.
                io.commit.flags(CommitFlags.IF_UNCHANGED);
            }
            if (sendOrConflict(io, file, attempt, deadline)) {
                return;
            }
        }
    }

    /**
     * Makes a range read as zeros and gives its whole blocks back; the size stays. All in one commit, so that nobody sees, and no
     * other write comes between, some of it.
     */
    void punch(IoContext io, FileState file, long offset, long length, long deadline) throws FsException {
        committer.commit(io, file, deadline);
        long end = length > Long.MAX_VALUE - offset ? Long.MAX_VALUE : offset + length;
        long firstWhole = firstWholeBlock(offset);
        long endWhole = end / BLOCK;
        for (int attempt = 0; ; attempt++) {
            begin(file);
            long seen = file.version;
            clearEdges(io, file, offset, end, deadline);
            if (isOutdated(file, seen, attempt, deadline)) {
                continue;
            }
            io.commit.begin(file, loans).flags(CommitFlags.KEEP_SIZE);
            if (endWhole > firstWhole) {
                io.commit.hole(firstWhole, Math.min(endWhole - firstWhole, CommitCall.TO_END));
            }
            if (offset % BLOCK != 0 || end % BLOCK != 0) {
                // Whether a block at the edge has anything to be zeroed was for the map that we have to say.
                io.commit.flags(CommitFlags.IF_UNCHANGED);
            }
            if (sendOrConflict(io, file, attempt, deadline)) {
                return;
            }
        }
    }

    /** Before what is pending is prepared for a commit of its own. */
    private void begin(FileState file) {
        writer.touch(file);
        writer.noteRestarts(file);
    }

    /** Whether the view has moved since it was {@code seen}, so that what was decided by it is to be decided again. */
    private boolean isOutdated(FileState file, long seen, int attempt, long deadline) throws FsException {
        if (file.version == seen) {
            return false;
        }
        file.discardUncommitted();
        committer.conflict(attempt, deadline);
        return true;
    }

    private static long firstWholeBlock(long from) {
        return Long.divideUnsigned(from + BLOCK - 1, BLOCK);
    }

    /** Makes zeros pending for those parts of a range that are no whole blocks: one at each end, or the range itself within one block. */
    private void clearEdges(IoContext io, FileState file, long from, long to, long deadline) throws FsException {
        long firstWhole = firstWholeBlock(from);
        long endWhole = to / BLOCK;
        if (endWhole < firstWhole) {
            clear(io, file, from, to, 0, deadline);
        } else {
            clear(io, file, from, firstWhole * BLOCK, 0, deadline);
            clear(io, file, endWhole * BLOCK, to, 1, deadline);
        }
    }

    /** Makes a replacement pending for the block that holds a range, with zeros there, unless it reads as zeros anyway. */
    private void clear(IoContext io, FileState file, long from, long to, int slot, long deadline) throws FsException {
        if (from >= Math.min(to, file.committedSize)) {
            return;
        }
        boolean success = false;
        try {
            replace(io, file, from, to, slot, deadline);
            success = true;
        } finally {
            if (!success) {
                file.discardUncommitted();
            }
        }
    }

    private void replace(IoContext io, FileState file, long from, long to, int slot, long deadline) throws FsException {
        long block = from / BLOCK;
        long base = committer.readCommitted(io, file, block, io.blocks, slot, deadline);
        if (base == BlockLocation.HOLE || BlockLocation.isUnwritten(base)) {
            return;
        }
        long at = (long) slot * BLOCK;
        io.blocks.asSlice(at + from % BLOCK, to - from).fill((byte) 0);
        loans.take(io, file, block, 1, deadline);
        file.pending.put(block, io.runLocation, io.checksumOfScratch(slot), base, CommitExtentLayout.FLAG_MERGED);
        io.verbs.clear();
        io.verbs.write(
                BlockLocation.node(io.runLocation), BlockLocation.poolOffset(io.runLocation), io.blocks, at, BLOCK);
        io.verbs.run(deadline);
        io.verbs.clear();
    }

    /**
     * Gives a range blocks, which read as zeros where there were none; grows the file unless the size is to stay. What takes more than one
     * commit changes nothing that could be read, nor the time, before the last one.
     */
    void allocate(IoContext io, FileState file, long offset, long length, boolean keepSize, long deadline)
            throws FsException {
        checkEnd(offset, length);
        committer.commit(io, file, deadline);
        // Whether blocks are missing is for the map of now to say: others may have cut the file.
        views.refresh(io, file, deadline);
        long end = offset + length;
        long endBlock = (end - 1) / BLOCK + 1;
        long block = offset / BLOCK;
        for (int attempt = 0; ; attempt++) {
            writer.noteRestarts(file);
            long next = takeHoles(io, file, block, endBlock, deadline);
            boolean isLast = next == endBlock;
            writer.touch(file);
            io.commit.begin(file, loans);
            if (!isLast) {
                io.commit.flags(CommitFlags.KEEP_SIZE | CommitFlags.KEEP_MTIME);
            } else if (keepSize) {
                io.commit.flags(CommitFlags.KEEP_SIZE);
            } else {
                io.commit.extendTo(end);
            }
            if (sendOrConflict(io, file, attempt, deadline)) {
                if (isLast) {
                    return;
                }
                block = next;
            }
        }
    }

    /**
     * Makes a range read as zeros, with blocks for all of it; grows the file unless the size is to stay. Blocks that there are stay
     * where they are, so a full pool does not matter to them. Missing ones are allocated first: until there is space for them, nothing that
     * could be read has changed. Then up to some 16 MiB at a time become zeros, in one commit.
     */
    void zero(IoContext io, FileState file, long offset, long length, boolean keepSize, long deadline)
            throws FsException {
        checkEnd(offset, length);
        committer.commit(io, file, deadline);
        views.refresh(io, file, deadline);
        long end = offset + length;
        for (long from = offset; from < end; ) {
            long to = Math.min(end, (from / BLOCK + ZEROED_BLOCKS_MAX) * BLOCK);
            boolean grows = !keepSize && to == end;
            for (int attempt = 0; !zeroPiece(io, file, from, to, grows, attempt, deadline); attempt++) {}
            // Somebody may have punched or cut the file in between.
            fillHoles(io, file, from / BLOCK, (to - 1) / BLOCK + 1, deadline);
            from = to;
        }
    }

    private boolean zeroPiece(
            IoContext io, FileState file, long from, long to, boolean grows, int attempt, long deadline)
            throws FsException {
        long firstWhole = firstWholeBlock(from);
        long endWhole = to / BLOCK;
        fillHoles(io, file, from / BLOCK, (to - 1) / BLOCK + 1, deadline);
        begin(file);
        long seen = file.version;
        clearEdges(io, file, from, to, deadline);
        if (isOutdated(file, seen, attempt, deadline)) {
            return false;
        }
        io.commit.begin(file, loans);
        if (from % BLOCK != 0 || to % BLOCK != 0) {
            // As for a punch.
            io.commit.flags(CommitFlags.IF_UNCHANGED);
        }
        if (endWhole > firstWhole) {
            io.commit.zeros(firstWhole, endWhole - firstWhole);
        }
        if (grows) {
            io.commit.extendTo(to);
        } else {
            io.commit.flags(CommitFlags.KEEP_SIZE);
        }
        return sendOrConflict(io, file, attempt, deadline);
    }

    private static void checkEnd(long offset, long length) throws FsException {
        if (length > Long.MAX_VALUE - offset) {
            throw new FsException(Errno.EFBIG);
        }
    }

    /** Commits unwritten blocks for all holes of a range, which changes nothing that could be read. */
    private void fillHoles(IoContext io, FileState file, long from, long to, long deadline) throws FsException {
        long block = from;
        for (int attempt = 0; block < to; attempt++) {
            writer.noteRestarts(file);
            long next = takeHoles(io, file, block, to, deadline);
            if (file.pending.isEmpty()) {
                return;
            }
            io.commit.begin(file, loans).flags(CommitFlags.KEEP_SIZE | CommitFlags.KEEP_MTIME);
            if (sendOrConflict(io, file, attempt, deadline)) {
                block = next;
            }
        }
    }

    /** Makes as many holes pending as one commit takes; answers the block to go on with. */
    private long takeHoles(IoContext io, FileState file, long from, long to, long deadline) throws FsException {
        long block = from;
        try {
            while (block < to && file.pending.count() < PendingBlocks.CAPACITY) {
                views.needMap(io, file, block, block, deadline);
                if (file.map.location(block) != BlockLocation.HOLE) {
                    block++;
                    continue;
                }
                long holeEnd = Math.min(to, block + PendingBlocks.CAPACITY - file.pending.count());
                int run = 1;
                while (block + run < holeEnd
                        && file.map.knows(block + run)
                        && file.map.location(block + run) == BlockLocation.HOLE) {
                    run++;
                }
                loans.take(io, file, block, run, deadline);
                for (int i = 0; i < io.runBlocks; i++) {
                    file.pending.put(
                            block++,
                            io.runLocation + i,
                            0,
                            BlockLocation.HOLE,
                            CommitExtentLayout.FLAG_MERGED | CommitExtentLayout.FLAG_UNWRITTEN);
                }
            }
            return block;
        } catch (FsException e) {
            file.discardUncommitted();
            throw e;
        }
    }

    /** True if done; false if somebody else was faster and what was pending for it has been taken back. */
    private boolean sendOrConflict(IoContext io, FileState file, int attempt, long deadline) throws FsException {
        boolean success = false;
        try {
            int status = committer.send(io, file, deadline);
            if (status == 0) {
                file.forgetUncommitted();
                success = true;
                return true;
            }
            if (!io.commit.isConflict()) {
                throw Statuses.exception(status, "COMMIT of inode " + file.ino);
            }
        } finally {
            if (!success) {
                file.discardUncommitted();
            }
        }
        committer.conflict(attempt, deadline);
        return false;
    }

    /** Where the next data, or the next hole, begins. */
    long seek(IoContext io, FileState file, long offset, boolean data, long deadline) throws FsException {
        committer.commit(io, file, deadline);
        views.refresh(io, file, deadline);
        if (offset < 0 || offset >= file.committedSize) {
            throw new FsException(Errno.ENXIO);
        }
        long block = offset / BLOCK;
        while (block < endBlock(file)) {
            views.needMap(io, file, block, block, deadline);
            long next = file.map.next(block, data);
            if (next % MapCache.CHUNK_BLOCKS != 0 || next == block) {
                return next >= endBlock(file) ? atEnd(file, offset, data) : Math.max(offset, next * BLOCK);
            }
            block = data ? file.map.afterHoles(next) : next;
        }
        return atEnd(file, offset, data);
    }

    /** The first block behind the file, by the view of now. */
    private static long endBlock(FileState file) {
        return file.committedSize == 0 ? 0 : (file.committedSize - 1) / BLOCK + 1;
    }

    /** Behind the last block there is a hole, and no data. */
    private static long atEnd(FileState file, long offset, boolean data) throws FsException {
        if (data || offset >= file.committedSize) {
            throw new FsException(Errno.ENXIO);
        }
        return file.committedSize;
    }
}
