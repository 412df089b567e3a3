package org.octofs.fuse.fuse;

/** A POSIX record lock: type, first and last byte, holder. */
public final class LockRange {
    /** F_RDLCK, F_WRLCK and F_UNLCK of Linux. */
    public static final int READ = 0;

    public static final int WRITE = 1;
    public static final int UNLOCK = 2;

    /** Last byte of a range that has no end. */
    public static final long TO_THE_END = Long.MAX_VALUE;

    public int type;
    public long firstByte;
    /** Inclusive. */
    public long lastByte;

    public int pid;
}
