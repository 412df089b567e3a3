package org.octofs.client.client;

/** Flags of open(2) with the numbers of Linux on x86-64 and AArch64. */
public final class OpenFlags {
    /** Read only. */
    public static final int RDONLY = 0;

    /** Write only. */
    public static final int WRONLY = 1;

    /** Read and write. */
    public static final int RDWR = 2;

    /** Mask of the access mode. */
    public static final int ACCESS_MASK = 3;

    /** Make the file if it is absent. */
    public static final int CREAT = 0x40;

    /** With CREAT: fail if it exists. */
    public static final int EXCL = 0x80;

    /** Empty the file. */
    public static final int TRUNC = 0x200;

    /** Every write goes to the end of the file. */
    public static final int APPEND = 0x400;

    /** Reads do not move the access time. */
    public static final int NOATIME = 0x40000;

    /** Every write is durable when it returns. */
    public static final int DSYNC = 0x1000;

    /** As DSYNC, with the attributes; contains the bit of DSYNC. */
    public static final int SYNC = 0x101000;

    private OpenFlags() {}

    /** Whether a handle with these flags may read. */
    public static boolean reads(int flags) {
        return (flags & ACCESS_MASK) != WRONLY;
    }

    /** Whether a handle with these flags may write. */
    public static boolean writes(int flags) {
        return (flags & ACCESS_MASK) != RDONLY;
    }
}
