package org.octofs.fuse.fuse;

/** What setattr is to change: the bits of {@link #mask} say which fields count. The bits are the kernel's. */
public final class AttributesChange {
    public static final int MODE = 1;
    public static final int UID = 1 << 1;
    public static final int GID = 1 << 2;
    public static final int SIZE = 1 << 3;
    public static final int ACCESS_TIME = 1 << 4;
    public static final int MODIFY_TIME = 1 << 5;
    /** With ACCESS_TIME: the time is now, not {@link #accessSeconds}. */
    public static final int ACCESS_TIME_NOW = 1 << 7;
    /** With MODIFY_TIME: the time is now, not {@link #modifySeconds}. */
    public static final int MODIFY_TIME_NOW = 1 << 8;

    public int mask;
    public int mode;
    public int uid;
    public int gid;
    public long sizeBytes;
    public long accessSeconds;
    public int accessNanos;
    public long modifySeconds;
    public int modifyNanos;

    public boolean has(int bit) {
        return (mask & bit) != 0;
    }

    /** Whether it is a chown: owner, group, or nothing at all, and nothing else. */
    boolean isOfOwner() {
        return (mask & ~(UID | GID)) == 0;
    }
}
