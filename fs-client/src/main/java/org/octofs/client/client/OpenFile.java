package org.octofs.client.client;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.octofs.client.data.FileState;

/**
 * An open file description. Thread-safe; made by {@link FsClient#open} and {@link FsClient#create}, given back by
 * {@link FsClient#release}.
 */
public final class OpenFile {
    private final FileState state;
    private final int flags;
    private final long cacheGeneration;
    private final AtomicBoolean released = new AtomicBoolean();
    private final AtomicInteger errorsSeen;
    private volatile long lastAppendEnd;
    private volatile boolean hasLocked;

    OpenFile(FileState state, int flags) {
        this.state = state;
        this.flags = flags;
        this.cacheGeneration = state.generation();
        this.errorsSeen = new AtomicInteger(state.errorCount());
    }

    /** Inode number. */
    public long ino() {
        return state.ino();
    }

    /** Open flags, see {@link OpenFlags}. */
    public int flags() {
        return flags;
    }

    /** Whether every write goes to the end of the file. */
    public boolean isAppend() {
        return (flags & OpenFlags.APPEND) != 0;
    }

    /**
     * A number that was the same at an earlier open if, and only if, nobody but this client has changed the file's data
     * since: whoever cached its pages then may keep them.
     */
    public long cacheGeneration() {
        return cacheGeneration;
    }

    /** As {@link #cacheGeneration}, of what this client has seen of the file last. */
    public long generation() {
        return state.generation();
    }

    /** Where the last write through this O_APPEND handle ended, bytes from the start of the file. */
    public long lastAppendEnd() {
        return lastAppendEnd;
    }

    void lastAppendEnd(long value) {
        lastAppendEnd = value;
    }

    FileState state() {
        return state;
    }

    /** True for the first who asks. */
    boolean markReleased() {
        return released.compareAndSet(false, true);
    }

    boolean movesAccessTime() {
        return (flags & OpenFlags.NOATIME) == 0;
    }

    /** Whether there may be locks that were taken by it. */
    boolean hasLocked() {
        return hasLocked;
    }

    /** Before one is asked for. */
    void locking() {
        hasLocked = true;
    }

    boolean isReleased() {
        return released.get();
    }

    /** An error was reported just now: what was kept so far goes with it. */
    void errorReported() {
        errorsSeen.set(state.errorCount());
    }

    /** Reports an error that was kept and that this handle has not reported yet. */
    void throwDeferredError() throws FsException {
        int count = state.errorCount();
        if (errorsSeen.getAndSet(count) != count) {
            throw new FsException(
                    state.lastError(), "data written before could not be committed: " + state.lastError());
        }
    }
}
