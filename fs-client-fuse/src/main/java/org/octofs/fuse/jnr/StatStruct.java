package org.octofs.fuse.jnr;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.octofs.fuse.fuse.AttributesChange;
import org.octofs.fuse.fuse.LockRange;
import org.octofs.fuse.fuse.NodeAttributes;
import org.octofs.fuse.fuse.StatisticsReply;

/** Copies between reply objects and libc's structures. */
final class StatStruct {
    private static final short SEEK_SET = 0;

    private StatStruct() {}

    /** The structure's other bytes have to be zero already. */
    static void put(MemorySegment to, long at, NodeAttributes from) {
        to.set(JAVA_LONG, at + NativeStructs.STAT_INODE, from.inode);
        to.set(JAVA_INT, at + NativeStructs.STAT_MODE, from.mode);
        if (NativeStructs.STAT_LINKS_BYTES == Long.BYTES) {
            to.set(JAVA_LONG, at + NativeStructs.STAT_LINKS, Integer.toUnsignedLong(from.linkCount));
        } else {
            to.set(JAVA_INT, at + NativeStructs.STAT_LINKS, from.linkCount);
        }
        to.set(JAVA_INT, at + NativeStructs.STAT_UID, from.uid);
        to.set(JAVA_INT, at + NativeStructs.STAT_GID, from.gid);
        to.set(JAVA_LONG, at + NativeStructs.STAT_DEVICE, from.device);
        to.set(JAVA_LONG, at + NativeStructs.STAT_SIZE, from.sizeBytes);
        if (NativeStructs.STAT_BLOCK_SIZE_BYTES == Long.BYTES) {
            to.set(JAVA_LONG, at + NativeStructs.STAT_BLOCK_SIZE, from.blockSizeBytes);
        } else {
            to.set(JAVA_INT, at + NativeStructs.STAT_BLOCK_SIZE, from.blockSizeBytes);
        }
        to.set(JAVA_LONG, at + NativeStructs.STAT_BLOCKS, from.blocks);
        putTime(to, at + NativeStructs.STAT_ACCESS_TIME, from.accessSeconds, from.accessNanos);
        putTime(to, at + NativeStructs.STAT_MODIFY_TIME, from.modifySeconds, from.modifyNanos);
        putTime(to, at + NativeStructs.STAT_CHANGE_TIME, from.changeSeconds, from.changeNanos);
    }

    private static void putTime(MemorySegment to, long at, long seconds, int nanos) {
        to.set(JAVA_LONG, at, seconds);
        to.set(JAVA_LONG, at + NativeStructs.TIMESPEC_NANOS, nanos);
    }

    /** Reads what setattr is to change from a struct stat. */
    static void get(long from, int mask, AttributesChange to) {
        to.mask = mask;
        to.mode = NativeMemory.getInt(from + NativeStructs.STAT_MODE);
        to.uid = NativeMemory.getInt(from + NativeStructs.STAT_UID);
        to.gid = NativeMemory.getInt(from + NativeStructs.STAT_GID);
        to.sizeBytes = NativeMemory.getLong(from + NativeStructs.STAT_SIZE);
        to.accessSeconds = NativeMemory.getLong(from + NativeStructs.STAT_ACCESS_TIME);
        to.accessNanos =
                (int) NativeMemory.getLong(from + NativeStructs.STAT_ACCESS_TIME + NativeStructs.TIMESPEC_NANOS);
        to.modifySeconds = NativeMemory.getLong(from + NativeStructs.STAT_MODIFY_TIME);
        to.modifyNanos =
                (int) NativeMemory.getLong(from + NativeStructs.STAT_MODIFY_TIME + NativeStructs.TIMESPEC_NANOS);
    }

    static void getLock(long from, LockRange to) {
        to.type = NativeMemory.getShort(from + NativeStructs.FLOCK_TYPE);
        to.firstByte = NativeMemory.getLong(from + NativeStructs.FLOCK_START);
        long length = NativeMemory.getLong(from + NativeStructs.FLOCK_LENGTH);
        to.lastByte = length == 0 ? LockRange.TO_THE_END : to.firstByte + length - 1;
        to.pid = NativeMemory.getInt(from + NativeStructs.FLOCK_PID);
    }

    static void putLock(MemorySegment to, LockRange from) {
        to.fill((byte) 0);
        to.set(java.lang.foreign.ValueLayout.JAVA_SHORT, NativeStructs.FLOCK_TYPE, (short) from.type);
        to.set(java.lang.foreign.ValueLayout.JAVA_SHORT, NativeStructs.FLOCK_WHENCE, SEEK_SET);
        to.set(JAVA_LONG, NativeStructs.FLOCK_START, from.firstByte);
        long length = from.lastByte == LockRange.TO_THE_END ? 0 : from.lastByte - from.firstByte + 1;
        to.set(JAVA_LONG, NativeStructs.FLOCK_LENGTH, length);
        to.set(JAVA_INT, NativeStructs.FLOCK_PID, from.pid);
    }

    static void putStatistics(MemorySegment to, StatisticsReply from) {
        to.fill((byte) 0);
        to.set(JAVA_LONG, NativeStructs.STATVFS_BLOCK_SIZE, from.blockSizeBytes);
        to.set(JAVA_LONG, NativeStructs.STATVFS_FRAGMENT_SIZE, from.fragmentSizeBytes);
        to.set(JAVA_LONG, NativeStructs.STATVFS_BLOCKS, from.blocks);
        to.set(JAVA_LONG, NativeStructs.STATVFS_FREE, from.freeBlocks);
        to.set(JAVA_LONG, NativeStructs.STATVFS_AVAILABLE, from.availableBlocks);
        to.set(JAVA_LONG, NativeStructs.STATVFS_FILES, from.inodes);
        to.set(JAVA_LONG, NativeStructs.STATVFS_FILES_FREE, from.freeInodes);
        to.set(JAVA_LONG, NativeStructs.STATVFS_FILES_AVAILABLE, from.freeInodes);
        to.set(JAVA_LONG, NativeStructs.STATVFS_NAME_MAX, from.nameBytesMax);
    }
}
