package org.octofs.fuse.fuse;

/** Attributes of an inode as stat(2) shows them; filled in by the file system, read by the binding. */
public final class NodeAttributes {
    public long inode;
    /** Type and permissions. */
    public int mode;

    public int linkCount;
    public int uid;
    public int gid;
    /** As in st_rdev. */
    public long device;

    public long sizeBytes;
    /** Units of 512 bytes, as in st_blocks. */
    public long blocks;

    public int blockSizeBytes;
    public long accessSeconds;
    public int accessNanos;
    public long modifySeconds;
    public int modifyNanos;
    public long changeSeconds;
    public int changeNanos;
    public long birthSeconds;
    public int birthNanos;
}
