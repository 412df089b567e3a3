package org.octofs.client.data;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.LongConsumer;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.ClientCounter;
import org.octofs.client.client.Consistency;
import org.octofs.client.client.FsException;
import org.octofs.client.link.Links;
import org.octofs.client.link.ScratchPool;
import org.octofs.rpc.protocol.Errno;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The data of files: what {@code FsClient} calls. Locks the file, borrows a context, and lets the others do the work.
 * Thread-safe.
 */
public final class FileData {
    private static final Logger LOG = LoggerFactory.getLogger(FileData.class);

    private static final int CONTEXTS_KEPT = 64;

    /** An append is committed in pieces of at most this; each is atomic. */
    private static final int APPEND_BYTES_MAX = 8 << 20;

    private final Links links;
    private final ScratchPool<IoContext> contexts;
    private final FileTable table;
    private final FileView views;
    private final BlockLoans loans;
    private final FileReader reader;
    private final Committer committer;
    private final FileWriter writer;
    private final FileShaper shaper;
    private final BlockCopier copier;
    private final Registrations registrations;
    private final BackgroundWorker worker;
    private final Greeter greeter;
    private final boolean isStrict;

    /** Starts the background thread. */
    public FileData(Links links, int shardCount) {
        this.links = links;
        isStrict = links.config().consistency() == Consistency.STRICT;
        contexts = new ScratchPool<>(CONTEXTS_KEPT, () -> new IoContext(links, Arena.ofAuto()));
        table = new FileTable(links);
        registrations = new Registrations(links, table);
        views = new FileView(links);
        loans = new BlockLoans(links, shardCount);
        committer = new Committer(links, views, loans);
        reader = new FileReader(links, views, contexts, committer);
        writer = new FileWriter(links, loans, committer);
        shaper = new FileShaper(views, loans, committer, writer);
        copier = new BlockCopier(links, contexts, views, committer, writer);
        worker = new BackgroundWorker(this, links.config());
        loans.onShortage(this::gatherLoans);
        worker.start();
        greeter = new Greeter(this::greet, links.config().threads(), links.nodeCount());
    }

    /** Work under a file's exclusive lock. */
    @FunctionalInterface
    private interface Work {
        void run(IoContext io, long deadline) throws FsException;
    }

    /** Has a thread of its own talk to a node, so that it hears what this client holds even if nobody here needs the node. */
    public void greetLater(int nodeId) {
        greeter.greet(nodeId);
    }

    private void greet(int nodeId) throws FsException {
        links.node(nodeId).pool(links.deadline());
    }

    long nanoTime() {
        return links.nanoTime();
    }

    private void exclusively(FileState file, Work work) throws FsException {
        long deadline = links.deadline();
        long stamp = file.lockExclusive(links, deadline);
        try {
            IoContext io = contexts.borrow();
            try {
                if (!file.hasView()) {
                    views.ask(file, deadline);
                }
                committer.settleBehind(io, file, deadline);
                work.run(io, deadline);
            } finally {
                contexts.giveBack(io);
            }
        } finally {
            file.unlockExclusive(stamp);
        }
    }

    // Opening and closing.

    /** Opens a file: registered at its home, with the present view. Given back with {@link #release}. */
    public FileState open(long ino) throws FsException {
        FileState file = table.acquire(ino);
        boolean success = false;
        try {
            exclusively(file, (io, deadline) -> {
                if (file.registrations.get() > 0 && file.slotOffset != 0) {
                    views.refresh(io, file, deadline);
                } else {
                    registrations.register(file, deadline);
                }
            });
            success = true;
            return file;
        } finally {
            if (!success) {
                table.release(file);
            }
        }
    }

    /** A file that the home has opened for us while creating it; the image is the answer's. */
    public FileState opened(long ino, long slotOffset, MemorySegment image, long imageOffset) throws FsException {
        FileState file = table.acquire(ino);
        // Who has it locked has a deadline of its own; the open that is taken over here must not get lost.
        long stamp = file.lockExclusive(links, links.nanoTime() + Long.MAX_VALUE);
        try {
            file.registrations.incrementAndGet();
            file.slotOffset = slotOffset;
            file.view(image, imageOffset, false);
        } finally {
            file.unlockExclusive(stamp);
        }
        return file;
    }

    /** What was lent for files that are open, but that nobody works on, is shared with the other files of their shards. */
    private void gatherLoans() {
        for (FileState file : table.all()) {
            long stamp = file.loans.isEmpty() ? 0 : file.tryLockExclusive();
            if (stamp != 0) {
                try {
                    loans.share(file);
                } finally {
                    file.unlockExclusive(stamp);
                }
            }
        }
    }

    /** Gives an open back; what is not committed is committed, errors are logged and kept for other handles. */
    public void release(FileState file) {
        if (file.dirty) {
            commitInBackground(file);
        }
        if (!table.release(file)) {
            return;
        }
        long stamp = file.tryLockExclusive();
        if (stamp != 0) {
            try {
                loans.share(file);
            } finally {
                file.unlockExclusive(stamp);
            }
        }
        if (file.registrations.get() > 0) {
            loans.expectSpace();
            worker.closed(file);
        }
        if (loans.hasSurplus()) {
            giveSurplusBack();
        }
    }

    private void giveSurplusBack() {
        try {
            loans.trim(links.deadline());
        } catch (FsException e) {
            LOG.warn("could not return lent blocks: {}", e.getMessage());
        }
    }

    // Data.

    /** Reads, see {@code FsClient.read}. */
    public int read(FileState file, long offset, MemorySegment target, long targetOffset, int length)
            throws FsException {
        if (offset < 0 || length < 0) {
            throw new FsException(Errno.EINVAL);
        }
        return reader.read(file, offset, target, targetOffset, length);
    }

    /**
     * Writes, see {@code FsClient.write}.
     *
     * @param commit whether to commit before returning
     */
    public int write(FileState file, long offset, MemorySegment source, long sourceOffset, int length, boolean commit)
            throws FsException {
        long deadline = links.deadline();
        long stamp = file.lockExclusive(links, deadline);
        try {
            IoContext io = contexts.borrow();
            boolean success = false;
            try {
                if (!file.hasView()) {
                    views.ask(file, deadline);
                }
                io.mayCommitBehind = !commit;
                io.inOneCommit = isStrict;
                int n = writer.write(io, file, offset, source, sourceOffset, length, deadline);
                if (commit) {
                    committer.commit(io, file, deadline);
                }
                success = true;
                return n;
            } finally {
                io.mayCommitBehind = false;
                io.inOneCommit = false;
                contexts.giveBack(io);
                if (!success && isStrict) {
                    // Nobody but readers here would see it, and a later commit would bring it back.
                    file.discardUncommitted();
                }
                if (file.dirty && !file.queued) {
                    worker.dirty(file);
                }
            }
        } finally {
            file.unlockExclusive(stamp);
        }
    }

    /**
     * Writes at the end, wherever that is at the home, and commits.
     *
     * @param end is told where the written bytes end
     * @return bytes written, in one place but for pieces of 8 MiB; fewer than asked if an error came in the middle (it comes
     *     again with the next append)
     * @throws FsException if nothing was written
     */
    public int append(FileState file, MemorySegment source, long sourceOffset, int length, LongConsumer end)
            throws FsException {
        int done = 0;
        while (done < length) {
            int from = done;
            int piece = Math.min(APPEND_BYTES_MAX, length - from);
            int[] written = new int[1];
            try {
                exclusively(file, (io, deadline) -> {
                    end.accept(appendPiece(io, file, source, sourceOffset + from, piece, written, deadline));
                });
            } catch (FsException e) {
                if (done > 0) {
                    break;
                }
                throw e;
            }
            done += written[0];
            if (written[0] < piece && done > 0) {
                // There was no space for more. If there is some now, others may have appended meanwhile.
                break;
            }
        }
        return done;
    }

    private long appendPiece(
            IoContext io,
            FileState file,
            MemorySegment source,
            long sourceOffset,
            int length,
            int[] written,
            long deadline)
            throws FsException {
        committer.commit(io, file, deadline);
        for (int attempt = 0; ; attempt++) {
            long at = file.committedSize;
            boolean success = false;
            try {
                io.inOneCommit = true;
                io.isAppend = true;
                written[0] = writer.write(io, file, at, source, sourceOffset, length, deadline);
                success = committer.commitAppend(io, file, at, deadline);
            } finally {
                io.inOneCommit = false;
                io.isAppend = false;
                if (!success) {
                    file.discardUncommitted();
                }
            }
            if (success) {
                return at + written[0];
            }
            committer.conflict(attempt, deadline);
        }
    }

    /**
     * Has nodes copy whole blocks that they have from one file to another, or within one, where the ranges must not overlap.
     *
     * @param commit whether to commit before returning: then it copies everything there is to copy or nothing
     * @return bytes copied; or, negative, how many have to be read and written before it is worthwhile to ask again
     */
    public int copyAtNodes(
            FileState source, long offset, FileState target, long targetOffset, int length, boolean commit)
            throws FsException {
        try {
            return copier.copy(source, offset, target, targetOffset, length, commit);
        } finally {
            if (target.dirty) {
                worker.dirty(target);
            }
        }
    }

    /** Commits what was written to a file. */
    public void commit(FileState file) throws FsException {
        if (file.dirty) {
            exclusively(file, (io, deadline) -> committer.commit(io, file, deadline));
        }
    }

    /** Commits what others are to see from now on, if anything. An error is for whoever syncs or closes here. */
    public void commitForOthers(FileState file) {
        if (file.dirty) {
            commitInBackground(file);
        }
    }

    /** Looks whether others have changed the file; if that is not to be known, it counts as changed. See {@link FileState#generation}. */
    public void revalidate(FileState file) {
        try {
            exclusively(file, (io, deadline) -> views.refresh(io, file, deadline));
        } catch (FsException e) {
            LOG.debug("inode {} counts as changed: {}", file.ino, e.getMessage());
            file.doubt();
        }
    }

    /** Commits what was written to any file. */
    public void commitAll() throws FsException {
        for (FileState file : table.all()) {
            commitIfDirty(file.ino);
        }
    }

    boolean commitInBackground(FileState file) {
        try {
            commit(file);
            return true;
        } catch (FsException e) {
            links.counters().increment(ClientCounter.BACKGROUND_ERRORS);
            file.recordError(e.errno());
            LOG.warn("inode {} could not be committed: {}", file.ino, e.getMessage());
            return false;
        }
    }

    /** Commits what was written to an inode, if anything. */
    public void commitIfDirty(long ino) throws FsException {
        FileState file = table.acquireIfKnown(ino);
        if (file != null) {
            try {
                commit(file);
            } finally {
                table.release(file);
            }
        }
    }

    /** Sets the size of a file, open or not; returns when that is durable. */
    public void truncate(long ino, long size) throws FsException {
        if (size < 0) {
            throw new FsException(Errno.EINVAL);
        }
        FileState file = table.acquire(ino);
        try {
            exclusively(file, (io, deadline) -> shaper.truncate(io, file, size, deadline));
        } finally {
            table.release(file);
        }
    }

    /** Makes a range a hole. */
    public void punch(FileState file, long offset, long length) throws FsException {
        exclusively(file, (io, deadline) -> shaper.punch(io, file, offset, length, deadline));
    }

    /** Allocates a range. */
    public void allocate(FileState file, long offset, long length, boolean keepSize) throws FsException {
        exclusively(file, (io, deadline) -> shaper.allocate(io, file, offset, length, keepSize, deadline));
    }

    /** Makes a range zeros that take space. */
    public void zero(FileState file, long offset, long length, boolean keepSize) throws FsException {
        exclusively(file, (io, deadline) -> shaper.zero(io, file, offset, length, keepSize, deadline));
    }

    /** Finds data or a hole. */
    public long seek(FileState file, long offset, boolean data) throws FsException {
        long[] found = new long[1];
        exclusively(file, (io, deadline) -> found[0] = shaper.seek(io, file, offset, data, deadline));
        return found[0];
    }

    // What others need to know.

    /** Reads the attributes of an inode from its home. */
    @FunctionalInterface
    public interface AttributeSource {
        /** Fills {@code out}. */
        void read(long ino, Attributes out) throws FsException;
    }

    /**
     * Puts this client's own writes over attributes that were just read: they count at once.
     *
     * @param source to read them again if they are older than a commit of ours that happened meanwhile
     */
    public void withOwnWrites(Attributes out, AttributeSource source) throws FsException {
        FileState file = table.acquireIfKnown(out.ino());
        if (file == null) {
            return;
        }
        try {
            long free = file.tryLockShared();
            long stamp = free != 0 ? free : file.lockShared(links, links.deadline());
            try {
                if (out.version() < file.version) {
                    source.read(file.ino, out);
                }
                if (file.hasUncommitted()) {
                    out.overlay(
                            Math.max(out.sizeBytes(), file.writtenEnd()),
                            out.blocks() + file.uncommittedBlocks(),
                            file.mtimeSeconds,
                            file.mtimeNanos);
                }
            } finally {
                file.unlockShared(stamp);
            }
        } finally {
            table.release(file);
        }
    }

    /**
     * This client has asked for a change of an inode's attributes.
     *
     * @param isOurs whether the image is what that has made: then the block map is as before
     */
    public void attributesChanged(long ino, MemorySegment image, long imageOffset, boolean isOurs) throws FsException {
        FileState file = table.acquireIfKnown(ino);
        if (file != null) {
            try {
                exclusively(file, (io, deadline) -> file.view(image, imageOffset, isOurs));
            } finally {
                table.release(file);
            }
        }
    }

    /** An inode has lost its last name. */
    public void forget(long ino) {
        loans.expectSpace();
        table.forget(ino);
    }

    /** Inodes that homes count as opened by us, as often as they do. */
    public long[] registeredOpens(int node) {
        return registrations.opens(node);
    }

    void sendCloses(List<FileState> files) {
        registrations.sendCloses(files, worker);
    }

    /** Commits everything, closes everything, returns all loans. Errors are logged. */
    public void close() {
        greeter.stop();
        worker.stop();
        for (FileState file : table.all()) {
            if (file.dirty) {
                commitInBackground(file);
            }
            loans.share(file);
        }
        List<FileState> open = table.all();
        open.removeIf(file -> file.registrations.get() == 0);
        if (!open.isEmpty()) {
            sendCloses(open);
        }
        try {
            loans.giveAllBack(links.deadline());
        } catch (FsException e) {
            LOG.warn("could not return lent blocks: {}", e.getMessage());
        }
    }
}
