package org.octofs.client.data;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.StampedLock;
import org.octofs.client.cache.MapCache;
import org.octofs.client.client.FsException;
import org.octofs.client.link.Deadline;
import org.octofs.client.link.Links;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.InodeLayout;

/**
 * What this client knows of one file, and what it has written to it and not committed; shared by all handles.
 *
 * <p>The view is of one version: size, block map, place of the inode. Over it lie {@link #inFlight} blocks (pushed, their
 * commit sent), over them {@link #pending} blocks (pushed) and {@link #partials} (in memory); a block is in one of the last
 * two or in both (then the last counts).
 *
 * <p>Threading: everything but the volatile fields is guarded by {@link #lockShared} or {@link #lockExclusive}; the
 * handle counts by the {@link FileTable}'s lock.
 */
public final class FileState {
    /** What one change adds to the version of an inode. */
    static final long VERSION_STEP = 2;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final AtomicLong GENERATIONS = new AtomicLong();

    final long ino;
    final int homeNode;

    // The view.
    final MapCache map = new MapCache();
    private boolean mapIsInline;
    long slotOffset;
    long version;
    long committedSize;
    long committedBlocks;

    /** Version at which a read would not move the access time; another one if it would, or if that is not known. */
    private volatile long accessVersion;

    private volatile long accessSeconds;

    /** Changes when somebody else has changed the file, see {@code OpenFile.cacheGeneration}. */
    volatile long generation = GENERATIONS.incrementAndGet();

    // What is not committed.
    PendingBlocks pending = new PendingBlocks();

    /** Blocks whose commit was sent and has not been looked at since; see {@link CommitBehind}. Older than the pending. */
    PendingBlocks inFlight = new PendingBlocks();

    /** Where the blocks in flight end. */
    private long inFlightEnd;

    private CommitBehind behind;
    final PartialBlocks partials = new PartialBlocks();
    final LoanList loans = new LoanList();
    int nextBatch = BlockLoans.BATCH_MIN;
    long writtenEnd;
    long mtimeSeconds;
    int mtimeNanos;

    /** There are writes that are not committed. */
    volatile boolean dirty;

    /** When the oldest of them was made, on the clock of deadlines. */
    volatile long dirtySinceNanos;

    /** Where the last piece of the map ended and how much is fetched next: grows while reading goes forward. */
    long nextMapBlock = -1;

    int mapFetchBlocks = MapCache.CHUNK_BLOCKS;

    // Errors of commits that nobody was waiting for: each handle reports the latest once.
    private final AtomicInteger errorCount = new AtomicInteger();
    private volatile Errno lastError = Errno.OK;

    // Guarded by the table.
    int handles;

    /** How many OPENs the home has counted for us and we do not take back. Changed under the exclusive lock. */
    final AtomicInteger registrations = new AtomicInteger();

    /** How many OPENs are being taken back: the home may count them or not. */
    final AtomicInteger closing = new AtomicInteger();

    /** Waits in the background worker's queue. Guarded by that queue's lock. */
    boolean queued;

    private final StampedLock lock = new StampedLock();

    FileState(long ino, int homeNode) {
        this.ino = ino;
        this.homeNode = homeNode;
    }

    /** How often the home may count us; never less than it does. */
    int registrationsAtMost() {
        // In this order: what moves from one to the other meanwhile is counted twice rather than not at all.
        int lasting = registrations.get();
        return lasting + closing.get();
    }

    /** Locks for reading; answers the stamp for {@link #unlockShared}. The clock is only asked if somebody else has it locked. */
    long lockShared(Links links, Deadline deadline) throws FsException {
        long stamp = tryLockShared();
        return stamp != 0 ? stamp : lockShared(links, deadline.nanos());
    }

    /** As above. */
    long lockShared(Links links, long deadlineNanos) throws FsException {
        try {
            return checkLocked(lock.tryReadLock(deadlineNanos - links.nanoTime(), TimeUnit.NANOSECONDS));
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** Locks for reading if nobody has it locked for changes; 0 if somebody has. */
    long tryLockShared() {
        return lock.tryReadLock();
    }

    void unlockShared(long stamp) {
        lock.unlockRead(stamp);
    }

    /** Locks for changes; answers the stamp for {@link #unlockExclusive}. The clock is only asked if somebody else has it locked. */
    long lockExclusive(Links links, long deadlineNanos) throws FsException {
        long stamp = lock.tryWriteLock();
        if (stamp != 0) {
            return stamp;
        }
        try {
            return checkLocked(lock.tryWriteLock(deadlineNanos - links.nanoTime(), TimeUnit.NANOSECONDS));
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** Locks for changes if nobody else has it locked; 0 if somebody has. */
    long tryLockExclusive() {
        return lock.tryWriteLock();
    }

    void unlockExclusive(long stamp) {
        lock.unlockWrite(stamp);
    }

    private long checkLocked(long stamp) throws FsException {
        if (stamp == 0) {
            throw new FsException(Errno.EIO, "inode " + ino + " was busy here for longer than an operation may take");
        }
        return stamp;
    }

    private static FsException interrupted(InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new FsException(Errno.EINTR, "interrupted while waiting for another operation on the file", cause);
    }

    /** Whether a view has been loaded. */
    boolean hasView() {
        return version != 0;
    }

    /** Size with what is not committed. */
    long sizeBytes() {
        return Math.max(committedSize, writtenEnd());
    }

    /** Where what is not committed ends; 0 if there is nothing. */
    long writtenEnd() {
        return Math.max(writtenEnd, inFlightEnd);
    }

    /** Blocks that would have to be committed. */
    int uncommittedBlocks() {
        return inFlight.count() + pending.count() + partials.count();
    }

    /** Whether there is anything to commit. Under a lock; {@link #dirty} is for those without. */
    boolean hasUncommitted() {
        return !pending.isEmpty() || !partials.isEmpty() || writtenEnd > 0 || !inFlight.isEmpty();
    }

    /** Whether any of blocks [first, last] may hold something that is not committed. */
    boolean mayBeUncommitted(long first, long last) {
        boolean may = pending.mayTouch(first, last) || inFlight.mayTouch(first, last);
        for (PartialBlock partial : partials.all()) {
            may |= partial.fileBlock >= first && partial.fileBlock <= last;
        }
        return may;
    }

    /** Where the blocks in flight end. */
    long inFlightEnd() {
        return inFlightEnd;
    }

    /** The call that commits the blocks in flight. */
    CommitBehind behind() {
        if (behind == null) {
            behind = new CommitBehind();
        }
        return behind;
    }

    /**
     * Whether what is pending can be committed while more is written: not if a part of one of these blocks was taken back
     * to be changed, since it would be pushed to where the committed block is by then.
     */
    boolean canHandOver() {
        if (pending.isEmpty() || !inFlight.isEmpty() || pending.commitInDoubt) {
            return false;
        }
        for (PartialBlock partial : partials.all()) {
            if (pending.find(partial.fileBlock) >= 0) {
                return false;
            }
        }
        return true;
    }

    /** Makes what is pending the blocks in flight. */
    void handOver() {
        PendingBlocks empty = inFlight;
        inFlight = pending;
        pending = empty;
        inFlightEnd = (inFlight.highest() + 1) * BlockLocation.BLOCK_BYTES;
        if (partials.isEmpty()) {
            writtenEnd = 0;
        }
    }

    /** The blocks in flight are committed, or lost. */
    void endFlight() {
        inFlight.clear();
        inFlightEnd = 0;
        dirty = hasUncommitted();
    }

    /**
     * Moves the view to an inode image that was found consistent.
     *
     * @param ownChange whether the image is the answer to a change by this client: if the version went up by just that,
     *     nobody else's change is in between and the map stays (the caller makes its own change in it)
     * @return false if others have changed the file too, so that the caller must not carry on its own change in the map
     */
    boolean view(MemorySegment image, long offset, boolean ownChange) {
        long newVersion = image.get(LONG, offset + InodeLayout.BODY_VERSION_OFFSET);
        if (newVersion <= version) {
            return newVersion == version;
        }
        boolean foreign = !(ownChange && newVersion == version + VERSION_STEP);
        mapIsInline = image.get(INT, offset + InodeLayout.MAP_HEIGHT_OFFSET) == 0;
        if (mapIsInline) {
            map.loadInline(image, offset);
        } else if (foreign) {
            map.clear();
        }
        if (foreign && version != 0) {
            generation = GENERATIONS.incrementAndGet();
        }
        version = newVersion;
        committedSize = image.get(LONG, offset + InodeLayout.SIZE_BYTES_OFFSET);
        committedBlocks = image.get(LONG, offset + InodeLayout.BLOCKS_OFFSET);
        accessSeconds = image.get(LONG, offset + InodeLayout.ATIME_SEC_OFFSET);
        if (isAccessedLast(image, offset)) {
            accessVersion = newVersion;
        }
        return !foreign;
    }

    private static boolean isAccessedLast(MemorySegment image, long offset) {
        long seconds = image.get(LONG, offset + InodeLayout.ATIME_SEC_OFFSET);
        int nanos = image.get(INT, offset + InodeLayout.ATIME_NSEC_OFFSET);
        return isLater(
                        seconds,
                        nanos,
                        image.get(LONG, offset + InodeLayout.MTIME_SEC_OFFSET),
                        image.get(INT, offset + InodeLayout.MTIME_NSEC_OFFSET))
                && isLater(
                        seconds,
                        nanos,
                        image.get(LONG, offset + InodeLayout.CTIME_SEC_OFFSET),
                        image.get(INT, offset + InodeLayout.CTIME_NSEC_OFFSET));
    }

    private static boolean isLater(long seconds, int nanos, long otherSeconds, int otherNanos) {
        return seconds != otherSeconds ? seconds > otherSeconds : nanos > otherNanos;
    }

    /** Whether the next read may have to move the access time. */
    public boolean isAccessTimeDue() {
        return accessVersion != version;
    }

    /** A read of the file has moved the access time, or the home has said that none would. */
    public void accessTimeMoved() {
        accessVersion = version;
    }

    /** The access time is too old to stay, whatever happened to the file. */
    public void accessTimeBefore(long seconds) {
        if (accessSeconds < seconds) {
            accessVersion = 0;
        }
    }

    /** Somebody else may have changed the file. */
    void doubt() {
        generation = GENERATIONS.incrementAndGet();
    }

    /** For changes that are not followed block by block. */
    void dropMapUnlessInline() {
        if (!mapIsInline) {
            map.clear();
        }
    }

    /** Follows an own commit of all that was pending. */
    void forgetUncommitted() {
        pending.clear();
        partials.clear();
        writtenEnd = 0;
        dirty = hasUncommitted();
    }

    /** Forgets the blocks in flight, or the pending ones with all that belongs to them: committed, or lost. */
    void forget(PendingBlocks blocks) {
        if (blocks == inFlight) {
            endFlight();
        } else {
            forgetUncommitted();
        }
    }

    /** Throws what was written and not committed away; its lent blocks can be used again. */
    void discardUncommitted() {
        // After a commit of unknown outcome they may be part of the file: then they are left to the home to sort out.
        if (!pending.commitInDoubt) {
            for (PartialBlock partial : partials.all()) {
                if (pending.find(partial.fileBlock) < 0) {
                    loans.add(partial.location, 1);
                }
            }
            lendAgain(pending);
        }
        forgetUncommitted();
    }

    /** Throws the blocks in flight away. */
    void discardFlight() {
        if (!inFlight.commitInDoubt) {
            lendAgain(inFlight);
        }
        endFlight();
    }

    private void lendAgain(PendingBlocks blocks) {
        for (int i = 0; i < blocks.count(); i++) {
            loans.add(BlockLocation.withoutFlags(blocks.location(i)), 1);
        }
    }

    /** Keeps an error for the handles. */
    void recordError(Errno errno) {
        lastError = errno;
        errorCount.incrementAndGet();
    }

    /** How many errors were kept so far: a handle that has seen fewer has one to report. */
    public int errorCount() {
        return errorCount.get();
    }

    /** The last of them. */
    public Errno lastError() {
        return lastError;
    }

    /** Inode number. */
    public long ino() {
        return ino;
    }

    /** A number that changes when somebody else has changed the file, as far as this client has looked. */
    public long generation() {
        return generation;
    }
}
