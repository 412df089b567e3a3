package org.octofs.client.data;

import java.lang.foreign.MemorySegment;
import org.octofs.client.client.ClientCounter;
import org.octofs.client.client.FsException;
import org.octofs.client.link.Links;
import org.octofs.client.link.ScratchPool;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.Errno;

/**
 * Client-active reads: blocks are fetched from wherever the view says they are, then the inode's version word is read; if
 * it is still the view's, so was everything else. Whole blocks land in the caller's memory at once.
 *
 * <p>On one connection requests take effect in order, so the version's READ goes last in the same batch; between
 * connections there is no order, so it goes out when the data has arrived.
 *
 * <p>Threading: thread-safe. Allocates nothing while the map is known.
 */
final class FileReader {
    /** Blocks that are read and validated together. */
    static final int PIECE_BLOCKS = 256;

    private static final int BLOCK = IoContext.BLOCK;
    private static final int CHECKSUM_RETRIES = 3;

    private final Links links;
    private final FileView views;
    private final ScratchPool<IoContext> contexts;
    private final Committer committer;

    FileReader(Links links, FileView views, ScratchPool<IoContext> contexts, Committer committer) {
        this.links = links;
        this.views = views;
        this.contexts = contexts;
        this.committer = committer;
    }

    /** Reads; fewer bytes than asked only at the end of the file. */
    int read(FileState file, long offset, MemorySegment target, long targetOffset, int length) throws FsException {
        IoContext io = contexts.borrow();
        try {
            int done = 0;
            while (done < length) {
                int piece = (int) Math.min(length - done, (long) PIECE_BLOCKS * BLOCK - (offset + done & BLOCK - 1));
                int n = readPiece(io, file, offset + done, target, targetOffset + done, piece);
                done += n;
                if (n == 0 || io.plan.endsFile()) {
                    break;
                }
            }
            return done;
        } finally {
            contexts.giveBack(io);
        }
    }

    private int readPiece(
            IoContext io, FileState file, long offset, MemorySegment target, long targetOffset, int length)
            throws FsException {
        int mismatches = 0;
        for (int attempt = 0; ; attempt++) {
            long unknownBlock = -1;
            boolean moved = true;
            long stamp = file.lockShared(links, io.deadline);
            try {
                if (file.hasView()) {
                    ReadPlan plan = io.plan;
                    plan.begin(file, offset, target, targetOffset, length);
                    unknownBlock = plan.unknownBlock();
                    if (unknownBlock < 0) {
                        moved = !fetch(io, file);
                        if (!moved) {
                            long bad = plan.finish(io);
                            if (bad < 0) {
                                return plan.bytes();
                            }
                            links.counters().increment(ClientCounter.CHECKSUM_FAILURES);
                            if (++mismatches > CHECKSUM_RETRIES) {
                                throw damaged(file, bad);
                            }
                        }
                    }
                }
            } finally {
                file.unlockShared(stamp);
            }
            if (attempt > 0) {
                links.counters().increment(ClientCounter.READ_RETRIES);
            }
            if (links.isPast(io.deadline.nanos())) {
                throw new FsException(Errno.EIO, "inode " + file.ino + " changes faster than it can be read");
            }
            improve(io, file, unknownBlock, moved, io.deadline.nanos());
        }
    }

    /** Fetches what is planned; true if the view held all the while. */
    private boolean fetch(IoContext io, FileState file) throws FsException {
        boolean sameNode = io.plan.onlyTouches(file.homeNode);
        boolean atOnce = true;
        if (!sameNode) {
            atOnce = io.verbs.run(io.deadline);
            io.verbs.clear();
        }
        io.verbs.read(file.homeNode, file.slotOffset, io.image, 0, Long.BYTES);
        atOnce &= io.verbs.run(io.deadline) || !sameNode;
        return atOnce && io.versionWord() == file.version;
    }

    private void improve(IoContext io, FileState file, long unknownBlock, boolean moved, long deadline)
            throws FsException {
        long stamp = file.lockExclusive(links, deadline);
        try {
            if (unknownBlock >= 0) {
                if (!file.map.knows(unknownBlock)) {
                    views.fetchMap(io, file, unknownBlock, deadline);
                }
            } else if (moved) {
                // It may be our own commit that has moved the version: then its answer brings the view up to date.
                committer.settleBehind(io, file, deadline);
                views.refresh(io, file, deadline);
            }
        } finally {
            file.unlockExclusive(stamp);
        }
    }

    private FsException damaged(FileState file, long fileBlock) {
        PendingBlocks own = file.pending.find(fileBlock) >= 0 ? file.pending : file.inFlight;
        if (own.find(fileBlock) >= 0 && own.pushedAtRestart != links.restarts()) {
            return Persister.lost(file); // the next fsync will say so, and drop it
        }
        String where = file.map.knows(fileBlock) ? BlockLocation.toString(file.map.location(fileBlock)) : "unknown";
        return new FsException(
                Errno.EIO,
                "block " + fileBlock + " of inode " + file.ino + " (" + where
                        + ") does not match its checksum; restore the file from a copy");
    }
}
