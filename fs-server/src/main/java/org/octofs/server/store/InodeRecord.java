package org.octofs.server.store;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeLayout;

/**
 * Flyweight over one inode image, see {@link InodeLayout}: either in the pool (then only read) or staged in a
 * {@link MetaTransaction} (then also written).
 * Threading:  confined to the worker.
 * Ownership:  none; must not outlive what it is wrapped around.
 */
public final class InodeRecord {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private MemorySegment memory;
    private long base;
    private long slotOffset;

    /**
     * Points the flyweight at an image.
     *
     * @param memory segment with the image
     * @param base where in it the image begins, bytes
     * @param slotOffset pool offset of the slot that the image belongs to
     * @return this
     */
    public InodeRecord wrap(MemorySegment memory, long base, long slotOffset) {
        this.memory = memory;
        this.base = base;
        this.slotOffset = slotOffset;
        return this;
    }

    /** Pool offset of the slot. */
    public long slotOffset() {
        return slotOffset;
    }

    /** The segment with the image. */
    public MemorySegment memory() {
        return memory;
    }

    /** Where the image begins in {@link #memory()}. */
    public long base() {
        return base;
    }

    /** A field of 8 bytes, by its offset in {@link InodeLayout}. */
    public long getLong(int field) {
        return memory.get(LONG, base + field);
    }

    /** A field of 4 bytes, by its offset in {@link InodeLayout}. */
    public int getInt(int field) {
        return memory.get(INT, base + field);
    }

    /** Sets a field of 8 bytes; only in a staged image. */
    public InodeRecord putLong(int field, long value) {
        memory.set(LONG, base + field, value);
        return this;
    }

    /** Sets a field of 4 bytes; only in a staged image. */
    public InodeRecord putInt(int field, int value) {
        memory.set(INT, base + field, value);
        return this;
    }

    public long version() {
        return getLong(InodeLayout.VERSION_OFFSET);
    }

    public boolean isAllocated() {
        return getInt(InodeLayout.MAGIC_OFFSET) == InodeLayout.MAGIC;
    }

    public long ino() {
        return getLong(InodeLayout.INO_OFFSET);
    }

    public int mode() {
        return getInt(InodeLayout.MODE_OFFSET);
    }

    public InodeRecord mode(int value) {
        return putInt(InodeLayout.MODE_OFFSET, value);
    }

    public boolean isDirectory() {
        return FileMode.isDirectory(mode());
    }

    public boolean isRegular() {
        return FileMode.isRegular(mode());
    }

    public boolean isSymlink() {
        return FileMode.isSymlink(mode());
    }

    public int nlink() {
        return getInt(InodeLayout.NLINK_OFFSET);
    }

    public InodeRecord nlink(int value) {
        return putInt(InodeLayout.NLINK_OFFSET, value);
    }

    public int uid() {
        return getInt(InodeLayout.UID_OFFSET);
    }

    public int gid() {
        return getInt(InodeLayout.GID_OFFSET);
    }

    public long sizeBytes() {
        return getLong(InodeLayout.SIZE_BYTES_OFFSET);
    }

    public InodeRecord sizeBytes(long value) {
        return putLong(InodeLayout.SIZE_BYTES_OFFSET, value);
    }

    /** Allocated blocks of 4 KiB. */
    public long blocks() {
        return getLong(InodeLayout.BLOCKS_OFFSET);
    }

    public InodeRecord blocks(long value) {
        return putLong(InodeLayout.BLOCKS_OFFSET, value);
    }

    public int flags() {
        return getInt(InodeLayout.FLAGS_OFFSET);
    }

    public InodeRecord flags(int value) {
        return putInt(InodeLayout.FLAGS_OFFSET, value);
    }

    public int mapHeight() {
        return getInt(InodeLayout.MAP_HEIGHT_OFFSET);
    }

    public InodeRecord mapHeight(int value) {
        return putInt(InodeLayout.MAP_HEIGHT_OFFSET, value);
    }

    public long mapRoot() {
        return getLong(InodeLayout.MAP_ROOT_OFFSET);
    }

    public InodeRecord mapRoot(long value) {
        return putLong(InodeLayout.MAP_ROOT_OFFSET, value);
    }

    public long xattrRoot() {
        return getLong(InodeLayout.XATTR_ROOT_OFFSET);
    }

    public InodeRecord xattrRoot(long value) {
        return putLong(InodeLayout.XATTR_ROOT_OFFSET, value);
    }

    public long parent() {
        return getLong(InodeLayout.PARENT_OFFSET);
    }

    public InodeRecord parent(long value) {
        return putLong(InodeLayout.PARENT_OFFSET, value);
    }

    /** Entries of a directory, without "." and "..". */
    public long entryCount() {
        return getLong(InodeLayout.ENTRY_COUNT_OFFSET);
    }

    public InodeRecord entryCount(long value) {
        return putLong(InodeLayout.ENTRY_COUNT_OFFSET, value);
    }

    /** Sets atime, seconds and nanoseconds. */
    public InodeRecord atime(long seconds, int nanos) {
        return putLong(InodeLayout.ATIME_SEC_OFFSET, seconds).putInt(InodeLayout.ATIME_NSEC_OFFSET, nanos);
    }

    /** Sets mtime, seconds and nanoseconds. */
    public InodeRecord mtime(long seconds, int nanos) {
        return putLong(InodeLayout.MTIME_SEC_OFFSET, seconds).putInt(InodeLayout.MTIME_NSEC_OFFSET, nanos);
    }

    /** Sets ctime, seconds and nanoseconds. */
    public InodeRecord ctime(long seconds, int nanos) {
        return putLong(InodeLayout.CTIME_SEC_OFFSET, seconds).putInt(InodeLayout.CTIME_NSEC_OFFSET, nanos);
    }

    /** Sets btime, seconds and nanoseconds. */
    public InodeRecord btime(long seconds, int nanos) {
        return putLong(InodeLayout.BTIME_SEC_OFFSET, seconds).putInt(InodeLayout.BTIME_NSEC_OFFSET, nanos);
    }
}
