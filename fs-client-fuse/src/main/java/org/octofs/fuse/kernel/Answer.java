package org.octofs.fuse.kernel;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.octofs.fuse.fuse.AttributesReply;
import org.octofs.fuse.fuse.EntryReply;
import org.octofs.fuse.fuse.NodeAttributes;
import org.octofs.fuse.fuse.OpenReply;
import org.octofs.fuse.fuse.StatisticsReply;

/**
 * The answer being built: a header and a body in one native buffer, sent by one write.
 *
 * <p>Threading: confined to its thread. Ownership: the buffer is free again when {@link #send} returns.
 */
final class Answer {
    /** Where the body begins; a READ puts its data there. */
    static final int BODY = KernelLayouts.OutHeader.SIZE_BYTES;

    private static final int FOPEN_DIRECT_IO = 1;
    private static final int FOPEN_KEEP_CACHE = 1 << 1;
    private static final int FOPEN_PARALLEL_DIRECT_WRITES = 1 << 6;
    private static final int STATX_BASIC_STATS = 0x7FF;
    private static final int STATX_BTIME = 0x800;
    private static final int NAME_BYTES_MAX = 255;
    private static final double NANOS = 1e9;

    // Two struct iovec: the header, and a body that is elsewhere.
    private static final int HEADER_ADDRESS_OFFSET = 0;
    private static final int HEADER_BYTES_OFFSET = HEADER_ADDRESS_OFFSET + Long.BYTES;
    private static final int BODY_ADDRESS_OFFSET = HEADER_BYTES_OFFSET + Long.BYTES;
    private static final int BODY_BYTES_OFFSET = BODY_ADDRESS_OFFSET + Long.BYTES;
    private static final int PARTS_BYTES = BODY_BYTES_OFFSET + Long.BYTES;

    private final MemorySegment memory;
    private MemorySegment parts;
    private boolean bodyElsewhere;
    private int bodyBytes;

    Answer(MemorySegment memory) {
        this.memory = memory;
    }

    MemorySegment memory() {
        return memory;
    }

    /** Largest body. */
    int capacityBytes() {
        return (int) memory.byteSize() - BODY;
    }

    void clear() {
        bodyBytes = 0;
        bodyElsewhere = false;
    }

    /** Says that {@code count} bytes of the body were filled in place. */
    void filled(int count) {
        bodyBytes = count;
    }

    /** Says that the body is {@code count} bytes of native memory, which must stay as they are until it is sent. */
    void place(MemorySegment at, long offset, int count) {
        if (parts == null) {
            parts = Arena.ofAuto().allocate(PARTS_BYTES, Long.BYTES);
        }
        Native.putLong(parts, BODY_ADDRESS_OFFSET, at.address() + offset);
        Native.putLong(parts, BODY_BYTES_OFFSET, count);
        bodyBytes = count;
        bodyElsewhere = count > 0;
    }

    /**
     * Sends it.
     *
     * @param error 0 or a negative errno, which goes out without a body
     * @return the write's answer; a negative errno if the request is gone (interrupted, or the mount ended)
     */
    long send(FuseDevice device, LinuxCalls.CallState state, long unique, int error) {
        int length = error == 0 ? BODY + bodyBytes : BODY;
        Native.putInt(memory, KernelLayouts.OutHeader.LENGTH_OFFSET, length);
        Native.putInt(memory, KernelLayouts.OutHeader.ERROR_OFFSET, error);
        Native.putLong(memory, KernelLayouts.OutHeader.UNIQUE_OFFSET, unique);
        if (error == 0 && bodyElsewhere) {
            Native.putLong(parts, HEADER_ADDRESS_OFFSET, memory.address());
            Native.putLong(parts, HEADER_BYTES_OFFSET, BODY);
            return device.write(state, parts);
        }
        return device.write(state, memory, length);
    }

    void entry(EntryReply entry) {
        entry(grow(KernelLayouts.EntryOut.SIZE_BYTES), entry);
    }

    /** Puts one at a place of the body, which is to be counted as filled later. */
    void entry(int at, EntryReply entry) {
        Native.putLong(memory, at + KernelLayouts.EntryOut.NODE_OFFSET, entry.attributes.inode);
        Native.putLong(memory, at + KernelLayouts.EntryOut.GENERATION_OFFSET, entry.generation);
        Native.putLong(memory, at + KernelLayouts.EntryOut.ENTRY_VALID_OFFSET, (long) entry.entryTimeoutSeconds);
        Native.putLong(memory, at + KernelLayouts.EntryOut.ATTR_VALID_OFFSET, (long) entry.attributesTimeoutSeconds);
        Native.putInt(memory, at + KernelLayouts.EntryOut.ENTRY_VALID_NSEC_OFFSET, nanos(entry.entryTimeoutSeconds));
        Native.putInt(
                memory, at + KernelLayouts.EntryOut.ATTR_VALID_NSEC_OFFSET, nanos(entry.attributesTimeoutSeconds));
        attributes(at + KernelLayouts.EntryOut.ATTR_OFFSET, entry.attributes);
    }

    void attributes(AttributesReply reply) {
        int at = grow(KernelLayouts.AttrOut.SIZE_BYTES);
        Native.putLong(memory, at + KernelLayouts.AttrOut.VALID_OFFSET, (long) reply.timeoutSeconds);
        Native.putInt(memory, at + KernelLayouts.AttrOut.VALID_NSEC_OFFSET, nanos(reply.timeoutSeconds));
        Native.putInt(memory, at + KernelLayouts.AttrOut.DUMMY_OFFSET, 0);
        attributes(at + KernelLayouts.AttrOut.ATTR_OFFSET, reply.attributes);
    }

    void statx(AttributesReply reply) {
        int at = grow(KernelLayouts.StatxOut.SIZE_BYTES);
        memory.asSlice(at, KernelLayouts.StatxOut.SIZE_BYTES).fill((byte) 0);
        NodeAttributes a = reply.attributes;
        Native.putLong(memory, at + KernelLayouts.StatxOut.VALID_OFFSET, (long) reply.timeoutSeconds);
        Native.putInt(memory, at + KernelLayouts.StatxOut.VALID_NSEC_OFFSET, nanos(reply.timeoutSeconds));
        Native.putInt(memory, at + KernelLayouts.StatxOut.MASK_OFFSET, STATX_BASIC_STATS | STATX_BTIME);
        Native.putInt(memory, at + KernelLayouts.StatxOut.BLKSIZE_OFFSET, a.blockSizeBytes);
        Native.putInt(memory, at + KernelLayouts.StatxOut.NLINK_OFFSET, a.linkCount);
        Native.putInt(memory, at + KernelLayouts.StatxOut.UID_OFFSET, a.uid);
        Native.putInt(memory, at + KernelLayouts.StatxOut.GID_OFFSET, a.gid);
        Native.putShort(memory, at + KernelLayouts.StatxOut.MODE_OFFSET, a.mode);
        Native.putLong(memory, at + KernelLayouts.StatxOut.INO_OFFSET, a.inode);
        Native.putLong(memory, at + KernelLayouts.StatxOut.SIZE_OFFSET, a.sizeBytes);
        Native.putLong(memory, at + KernelLayouts.StatxOut.BLOCKS_OFFSET, a.blocks);
        time(at + KernelLayouts.StatxOut.ATIME_OFFSET, a.accessSeconds, a.accessNanos);
        time(at + KernelLayouts.StatxOut.BTIME_OFFSET, a.birthSeconds, a.birthNanos);
        time(at + KernelLayouts.StatxOut.CTIME_OFFSET, a.changeSeconds, a.changeNanos);
        time(at + KernelLayouts.StatxOut.MTIME_OFFSET, a.modifySeconds, a.modifyNanos);
        // The kernel's own encoding of a device number in 32 bits.
        int device = (int) a.device;
        Native.putInt(memory, at + KernelLayouts.StatxOut.RDEV_MAJOR_OFFSET, device >>> 8 & 0xFFF);
        Native.putInt(
                memory, at + KernelLayouts.StatxOut.RDEV_MINOR_OFFSET, (device & 0xFF) | (device >>> 12 & 0xFFF00));
    }

    private void time(int at, long seconds, int nanos) {
        Native.putLong(memory, at + KernelLayouts.StatxTime.SECONDS_OFFSET, seconds);
        Native.putInt(memory, at + KernelLayouts.StatxTime.NANOS_OFFSET, nanos);
    }

    void open(OpenReply open) {
        int at = grow(KernelLayouts.OpenOut.SIZE_BYTES);
        int flags = open.directIo ? FOPEN_DIRECT_IO | FOPEN_PARALLEL_DIRECT_WRITES : FOPEN_PARALLEL_DIRECT_WRITES;
        Native.putLong(memory, at + KernelLayouts.OpenOut.FH_OFFSET, open.handle);
        Native.putInt(
                memory,
                at + KernelLayouts.OpenOut.OPEN_FLAGS_OFFSET,
                open.keepCache ? flags | FOPEN_KEEP_CACHE : flags);
        Native.putInt(memory, at + KernelLayouts.OpenOut.BACKING_ID_OFFSET, 0);
    }

    void statistics(StatisticsReply reply) {
        int at = grow(KernelLayouts.StatfsOut.SIZE_BYTES);
        memory.asSlice(at, KernelLayouts.StatfsOut.SIZE_BYTES).fill((byte) 0);
        Native.putLong(memory, at + KernelLayouts.StatfsOut.BLOCKS_OFFSET, reply.blocks);
        Native.putLong(memory, at + KernelLayouts.StatfsOut.BFREE_OFFSET, reply.freeBlocks);
        Native.putLong(memory, at + KernelLayouts.StatfsOut.BAVAIL_OFFSET, reply.availableBlocks);
        Native.putLong(memory, at + KernelLayouts.StatfsOut.FILES_OFFSET, reply.inodes);
        Native.putLong(memory, at + KernelLayouts.StatfsOut.FFREE_OFFSET, reply.freeInodes);
        Native.putInt(memory, at + KernelLayouts.StatfsOut.BSIZE_OFFSET, reply.blockSizeBytes);
        Native.putInt(memory, at + KernelLayouts.StatfsOut.NAMELEN_OFFSET, NAME_BYTES_MAX);
        Native.putInt(memory, at + KernelLayouts.StatfsOut.FRSIZE_OFFSET, reply.fragmentSizeBytes);
    }

    void int64(long value) {
        Native.putLong(memory, grow(Long.BYTES), value);
    }

    /** fuse_write_out and fuse_getxattr_out: a count and padding. */
    void count(int value) {
        int64(value & 0xFFFF_FFFFL);
    }

    void bytes(byte[] value) {
        MemorySegment.copy(value, 0, memory, ValueLayout.JAVA_BYTE, grow(value.length), value.length);
    }

    private void attributes(int at, NodeAttributes a) {
        Native.putLong(memory, at + KernelLayouts.Attr.INO_OFFSET, a.inode);
        Native.putLong(memory, at + KernelLayouts.Attr.SIZE_OFFSET, a.sizeBytes);
        Native.putLong(memory, at + KernelLayouts.Attr.BLOCKS_OFFSET, a.blocks);
        Native.putLong(memory, at + KernelLayouts.Attr.ATIME_OFFSET, a.accessSeconds);
        Native.putLong(memory, at + KernelLayouts.Attr.MTIME_OFFSET, a.modifySeconds);
        Native.putLong(memory, at + KernelLayouts.Attr.CTIME_OFFSET, a.changeSeconds);
        Native.putInt(memory, at + KernelLayouts.Attr.ATIME_NSEC_OFFSET, a.accessNanos);
        Native.putInt(memory, at + KernelLayouts.Attr.MTIME_NSEC_OFFSET, a.modifyNanos);
        Native.putInt(memory, at + KernelLayouts.Attr.CTIME_NSEC_OFFSET, a.changeNanos);
        Native.putInt(memory, at + KernelLayouts.Attr.MODE_OFFSET, a.mode);
        Native.putInt(memory, at + KernelLayouts.Attr.NLINK_OFFSET, a.linkCount);
        Native.putInt(memory, at + KernelLayouts.Attr.UID_OFFSET, a.uid);
        Native.putInt(memory, at + KernelLayouts.Attr.GID_OFFSET, a.gid);
        Native.putInt(memory, at + KernelLayouts.Attr.RDEV_OFFSET, (int) a.device);
        Native.putInt(memory, at + KernelLayouts.Attr.BLKSIZE_OFFSET, a.blockSizeBytes);
        Native.putInt(memory, at + KernelLayouts.Attr.FLAGS_OFFSET, 0);
    }

    private int grow(int count) {
        int at = BODY + bodyBytes;
        bodyBytes += count;
        return at;
    }

    private static int nanos(double seconds) {
        return (int) ((seconds - (long) seconds) * NANOS);
    }
}
