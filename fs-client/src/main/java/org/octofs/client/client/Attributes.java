package org.octofs.client.client;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.octofs.rpc.protocol.AttributeMask;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeLayout;

/**
 * What stat(2) tells about an inode. A reusable holder that calls fill; not thread-safe.
 *
 * <p>Sizes and times include this client's own writes that are not committed yet.
 */
public final class Attributes {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    /** An access time that is as old as this moves with the next read. */
    static final long ACCESS_AGE_SECONDS = 24 * 3600;

    private static final long SECTORS_PER_BLOCK = 4096 / 512;

    private long ino;
    private long version;
    private int mode;
    private int linkCount;
    private int uid;
    private int gid;
    private long deviceNumber;
    private long sizeBytes;
    private long blocks;
    private long accessSeconds;
    private long modificationSeconds;
    private long changeSeconds;
    private long birthSeconds;
    private int accessNanos;
    private int modificationNanos;
    private int changeNanos;
    private int birthNanos;
    private int flags;
    private long parentIno;
    private long entryCount;
    private boolean hasOwnWrites;

    /** Fills this from an inode image of {@link InodeLayout#SIZE_BYTES} bytes that was found consistent. */
    public void fillFrom(MemorySegment memory, long offset) {
        ino = memory.get(LONG, offset + InodeLayout.INO_OFFSET);
        version = memory.get(LONG, offset + InodeLayout.BODY_VERSION_OFFSET);
        mode = memory.get(INT, offset + InodeLayout.MODE_OFFSET);
        linkCount = memory.get(INT, offset + InodeLayout.NLINK_OFFSET);
        uid = memory.get(INT, offset + InodeLayout.UID_OFFSET);
        gid = memory.get(INT, offset + InodeLayout.GID_OFFSET);
        deviceNumber = memory.get(LONG, offset + InodeLayout.RDEV_OFFSET);
        sizeBytes = memory.get(LONG, offset + InodeLayout.SIZE_BYTES_OFFSET);
        blocks = memory.get(LONG, offset + InodeLayout.BLOCKS_OFFSET);
        accessSeconds = memory.get(LONG, offset + InodeLayout.ATIME_SEC_OFFSET);
        modificationSeconds = memory.get(LONG, offset + InodeLayout.MTIME_SEC_OFFSET);
        changeSeconds = memory.get(LONG, offset + InodeLayout.CTIME_SEC_OFFSET);
        birthSeconds = memory.get(LONG, offset + InodeLayout.BTIME_SEC_OFFSET);
        accessNanos = memory.get(INT, offset + InodeLayout.ATIME_NSEC_OFFSET);
        modificationNanos = memory.get(INT, offset + InodeLayout.MTIME_NSEC_OFFSET);
        changeNanos = memory.get(INT, offset + InodeLayout.CTIME_NSEC_OFFSET);
        birthNanos = memory.get(INT, offset + InodeLayout.BTIME_NSEC_OFFSET);
        flags = memory.get(INT, offset + InodeLayout.FLAGS_OFFSET);
        parentIno = memory.get(LONG, offset + InodeLayout.PARENT_OFFSET);
        entryCount = memory.get(LONG, offset + InodeLayout.ENTRY_COUNT_OFFSET);
        hasOwnWrites = false;
    }

    /** Becomes a copy of others. */
    public void copy(Attributes other) {
        ino = other.ino;
        version = other.version;
        mode = other.mode;
        linkCount = other.linkCount;
        uid = other.uid;
        gid = other.gid;
        deviceNumber = other.deviceNumber;
        sizeBytes = other.sizeBytes;
        blocks = other.blocks;
        accessSeconds = other.accessSeconds;
        modificationSeconds = other.modificationSeconds;
        changeSeconds = other.changeSeconds;
        birthSeconds = other.birthSeconds;
        accessNanos = other.accessNanos;
        modificationNanos = other.modificationNanos;
        changeNanos = other.changeNanos;
        birthNanos = other.birthNanos;
        flags = other.flags;
        parentIno = other.parentIno;
        entryCount = other.entryCount;
        hasOwnWrites = other.hasOwnWrites;
    }

    /** A copy as of an inode whose last name has gone at {@code seconds}. */
    public Attributes removed(long seconds, int nanos) {
        Attributes copy = new Attributes();
        copy.copy(this);
        copy.linkCount = 0;
        copy.changeSeconds = seconds;
        copy.changeNanos = nanos;
        return copy;
    }

    /** Becomes what is known of an inode that was made and is gone again. */
    void gone(long goneIno, int goneMode, int goneUid, int goneGid) {
        copy(new Attributes());
        ino = goneIno;
        mode = goneMode;
        uid = goneUid;
        gid = goneGid;
    }

    /** A copy with a change of owner, permissions and times that is made at {@code seconds}. */
    public Attributes changed(AttributeChange change, long seconds, int nanos) {
        Attributes copy = new Attributes();
        copy.copy(this);
        int valid = change.valid();
        if ((valid & AttributeMask.MODE) != 0) {
            copy.mode = (mode & FileMode.TYPE_MASK) | (change.mode() & FileMode.PERMISSIONS);
        }
        copy.uid = (valid & AttributeMask.UID) != 0 ? change.uid() : uid;
        copy.gid = (valid & AttributeMask.GID) != 0 ? change.gid() : gid;
        if ((valid & (AttributeMask.ATIME | AttributeMask.ATIME_NOW)) != 0) {
            boolean now = (valid & AttributeMask.ATIME_NOW) != 0;
            copy.accessSeconds = now ? seconds : change.accessSeconds();
            copy.accessNanos = now ? nanos : change.accessNanos();
        }
        if ((valid & (AttributeMask.MTIME | AttributeMask.MTIME_NOW)) != 0) {
            boolean now = (valid & AttributeMask.MTIME_NOW) != 0;
            copy.modificationSeconds = now ? seconds : change.modificationSeconds();
            copy.modificationNanos = now ? nanos : change.modificationNanos();
        }
        copy.changeSeconds = seconds;
        copy.changeNanos = nanos;
        return copy;
    }

    /** Replaces the size and the times of the last change by those of writes that are not committed yet. */
    public void overlay(long newSizeBytes, long newBlocks, long seconds, int nanos) {
        hasOwnWrites = true;
        sizeBytes = newSizeBytes;
        blocks = newBlocks;
        modificationSeconds = seconds;
        modificationNanos = nanos;
        changeSeconds = seconds;
        changeNanos = nanos;
    }

    /** Inode number. */
    public long ino() {
        return ino;
    }

    /** Version of the inode that this shows; grows with every committed change. */
    public long version() {
        return version;
    }

    /** Type and permissions, as st_mode. */
    public int mode() {
        return mode;
    }

    /** Number of names. */
    public int linkCount() {
        return linkCount;
    }

    /** Owner. */
    public int uid() {
        return uid;
    }

    /** Group. */
    public int gid() {
        return gid;
    }

    /** Device number of a special file. */
    public long deviceNumber() {
        return deviceNumber;
    }

    /** Size in bytes. */
    public long sizeBytes() {
        return sizeBytes;
    }

    /** Allocated 4 KiB blocks. */
    public long blocks() {
        return blocks;
    }

    /** Allocated space in units of 512 bytes, as st_blocks. */
    public long sectors() {
        return blocks * SECTORS_PER_BLOCK;
    }

    /** Access time, seconds. */
    public long accessSeconds() {
        return accessSeconds;
    }

    /** Access time, nanoseconds within the second. */
    public int accessNanos() {
        return accessNanos;
    }

    /** Modification time, seconds. */
    public long modificationSeconds() {
        return modificationSeconds;
    }

    /** Modification time, nanoseconds within the second. */
    public int modificationNanos() {
        return modificationNanos;
    }

    /** Change time, seconds. */
    public long changeSeconds() {
        return changeSeconds;
    }

    /** Change time, nanoseconds within the second. */
    public int changeNanos() {
        return changeNanos;
    }

    /** Birth time, seconds. */
    public long birthSeconds() {
        return birthSeconds;
    }

    /** Birth time, nanoseconds within the second. */
    public int birthNanos() {
        return birthNanos;
    }

    /** Whether writes of this client are in it that are not committed yet: the commit will change more. */
    public boolean hasOwnWrites() {
        return hasOwnWrites;
    }

    /** Whether extended attributes exist. */
    public boolean hasExtendedAttributes() {
        return (flags & InodeLayout.FLAG_XATTRS) != 0;
    }

    /** Whether a read at {@code nowSeconds} moves the access time, by the rule of relatime. */
    public boolean isAccessTimeDue(long nowSeconds) {
        return !isAccessedAfter(modificationSeconds, modificationNanos)
                || !isAccessedAfter(changeSeconds, changeNanos)
                || nowSeconds - accessSeconds >= ACCESS_AGE_SECONDS;
    }

    private boolean isAccessedAfter(long seconds, int nanos) {
        return accessSeconds != seconds ? accessSeconds > seconds : accessNanos > nanos;
    }

    /** Directories: inode number of the parent; else 0. */
    public long parentIno() {
        return parentIno;
    }

    /** Directories: number of entries without "." and "..". */
    public long entryCount() {
        return entryCount;
    }

    /** Whether this is a directory. */
    public boolean isDirectory() {
        return FileMode.isDirectory(mode);
    }

    /** Whether this is a regular file. */
    public boolean isRegular() {
        return FileMode.isRegular(mode);
    }

    /** Whether this is a symbolic link. */
    public boolean isSymlink() {
        return FileMode.isSymlink(mode);
    }

    @Override
    public String toString() {
        return "inode " + ino + " version " + version + " mode " + Integer.toOctalString(mode) + " size " + sizeBytes;
    }
}
