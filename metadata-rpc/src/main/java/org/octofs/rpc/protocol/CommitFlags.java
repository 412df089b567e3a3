package org.octofs.rpc.protocol;

/** Flags of COMMIT. */
public final class CommitFlags {
    /** Conflict unless the file's size equals expectedSizeBytes. */
    public static final int APPEND = 1;

    /** sizeBytes becomes the size, blocks beyond it are freed; else the size becomes the larger of both. */
    public static final int SET_SIZE = 2;

    /** The size stays (fallocate with FALLOC_FL_KEEP_SIZE, punch). */
    public static final int KEEP_SIZE = 4;

    /** mtime is not touched (fallocate that changes no byte). */
    public static final int KEEP_MTIME = 8;

    /** Conflict unless the inode's version is baseVersion: the request rests on what its sender has seen of the whole file. */
    public static final int IF_UNCHANGED = 16;

    private CommitFlags() {}
}
