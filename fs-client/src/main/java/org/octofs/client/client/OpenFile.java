package org.octofs.client.client;

/**
 * An open file description. Thread-safe; made by {@link FsClient#open} and {@link FsClient#create}, given back by
 * {@link FsClient#release}.
 */
public final class OpenFile {
    private final long ino;
    private final int flags;
    private final long cacheGeneration;
    private volatile long lastAppendEnd;

    OpenFile(long ino, int flags, long cacheGeneration) {
        this.ino = ino;
        this.flags = flags;
        this.cacheGeneration = cacheGeneration;
    }

    /** Inode number. */
    public long ino() {
        return ino;
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

    /** Where the last write through this O_APPEND handle ended, bytes from the start of the file. */
    public long lastAppendEnd() {
        return lastAppendEnd;
    }

    void lastAppendEnd(long value) {
        lastAppendEnd = value;
    }
}
