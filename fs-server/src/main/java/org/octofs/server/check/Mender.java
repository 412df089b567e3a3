package org.octofs.server.check;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.function.Consumer;
import org.octofs.pmem.PoolFullException;
import org.octofs.pmem.log.LogRecord;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.server.namespace.DentryLayout;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.PageKind;
import org.octofs.server.store.RecordType;

/**
 * Changes a pool as the server would: each change is one record of the redo log, durable and atomic.
 * Threading: confined to the check.
 */
final class Mender {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Mender() {}

    /** A change under way. */
    static LogRecord begin(PoolView pool) {
        return pool.log().begin(RecordType.NAMESPACE);
    }

    static void commit(PoolView pool, LogRecord record) throws RepairException {
        try {
            pool.log().commit(record);
        } catch (PoolFullException e) {
            throw new RepairException("the redo log of node " + pool.node() + " is full: " + e.getMessage());
        }
        pool.log().apply(record);
    }

    /** Stores one aligned word. */
    static void word(PoolView pool, long offset, long value) throws RepairException {
        commit(pool, begin(pool).updateLong(offset, value));
    }

    /** Zeros a range. */
    static void zero(PoolView pool, long offset, int lengthBytes) throws RepairException {
        commit(pool, begin(pool).update(offset, MemorySegment.ofArray(new byte[lengthBytes]), 0, lengthBytes));
    }

    /** Changes an inode and seals it. */
    static void inode(PoolView pool, long slotOffset, Consumer<InodeRecord> change) throws RepairException {
        LogRecord record = begin(pool);
        stageInode(pool, record, slotOffset, change);
        commit(pool, record);
    }

    /** Stages a changed inode; its version word comes right behind its body. */
    static void stageInode(PoolView pool, LogRecord record, long slotOffset, Consumer<InodeRecord> change) {
        MemorySegment image = MemorySegment.ofArray(new byte[InodeLayout.SIZE_BYTES]);
        MemorySegment.copy(pool.memory(), slotOffset, image, 0, InodeLayout.SIZE_BYTES);
        long version = nextVersion(
                image.get(LONG, InodeLayout.VERSION_OFFSET), image.get(LONG, InodeLayout.BODY_VERSION_OFFSET));
        change.accept(new InodeRecord().wrap(image, 0, slotOffset));
        seal(record, slotOffset, image, version);
    }

    private static long nextVersion(long word, long ofBody) {
        boolean bodyIsLater = !InodeLayout.isPlausible(word) || ofBody > word;
        return InodeLayout.nextVersion(bodyIsLater && InodeLayout.isPlausible(ofBody) ? ofBody : word);
    }

    private static void seal(LogRecord record, long slotOffset, MemorySegment image, long version) {
        image.set(LONG, InodeLayout.BODY_VERSION_OFFSET, version);
        image.set(INT, InodeLayout.CHECKSUM_OFFSET, InodeLayout.checksum(image, 0));
        record.update(slotOffset + Long.BYTES, image, Long.BYTES, InodeLayout.SIZE_BYTES - Long.BYTES);
        record.updateLong(slotOffset, version);
    }

    /** Stages a new inode in a free slot. */
    static void stageNewInode(
            PoolView pool, LogRecord record, long slotOffset, long ino, Consumer<InodeRecord> content) {
        MemorySegment image = MemorySegment.ofArray(new byte[InodeLayout.SIZE_BYTES]);
        image.set(INT, InodeLayout.MAGIC_OFFSET, InodeLayout.MAGIC);
        image.set(LONG, InodeLayout.INO_OFFSET, ino);
        content.accept(new InodeRecord().wrap(image, 0, slotOffset));
        seal(record, slotOffset, image, InodeLayout.nextVersion(pool.readLong(slotOffset)));
    }

    /** Frees an inode's slot. What it refers to is free then. */
    static void clearInode(PoolView pool, long slotOffset) throws RepairException {
        LogRecord record = begin(pool);
        record.update(slotOffset + Long.BYTES, MemorySegment.ofArray(new byte[InodeLayout.SIZE_BYTES]), 0, 248);
        record.updateLong(slotOffset, InodeLayout.nextVersion(pool.readLong(slotOffset)));
        commit(pool, record);
    }

    /** Frees a dentry's slot. */
    static void clearDentry(PoolView pool, long slotOffset) throws RepairException {
        word(pool, slotOffset, 0);
    }

    /** Changes the fields of a dentry in front of its name, and seals it. */
    static void dentry(PoolView pool, long slotOffset, Consumer<MemorySegment> change) throws RepairException {
        int length = DentryLayout.NAME_OFFSET + pool.readShort(slotOffset + DentryLayout.NAME_LENGTH_OFFSET);
        MemorySegment image = MemorySegment.ofArray(new byte[length]);
        MemorySegment.copy(pool.memory(), slotOffset, image, 0, length);
        change.accept(image);
        sealDentry(image);
        commit(pool, begin(pool).update(slotOffset, image, 0, length));
    }

    private static void sealDentry(MemorySegment image) {
        image.set(INT, DentryLayout.CHECKSUM_OFFSET, Checksums.of(image, DentryLayout.MAGIC_OFFSET, image.byteSize()));
    }

    /** Stages a new dentry in a free small slot. */
    static void stageNewDentry(
            LogRecord record, long slotOffset, long parent, long cookie, byte[] name, long child, int type) {
        MemorySegment image = MemorySegment.ofArray(new byte[DentryLayout.NAME_OFFSET + name.length]);
        image.set(INT, DentryLayout.MAGIC_OFFSET, DentryLayout.MAGIC);
        image.set(LONG, DentryLayout.PARENT_OFFSET, parent);
        image.set(LONG, DentryLayout.COOKIE_OFFSET, cookie);
        image.set(LONG, DentryLayout.CHILD_OFFSET, child);
        image.set(INT, DentryLayout.TYPE_OFFSET, type);
        image.set(SHORT, DentryLayout.NAME_LENGTH_OFFSET, (short) name.length);
        MemorySegment.copy(name, 0, image, ValueLayout.JAVA_BYTE, DentryLayout.NAME_OFFSET, name.length);
        sealDentry(image);
        record.update(slotOffset, image, 0, image.byteSize() > Integer.MAX_VALUE ? 0 : (int) image.byteSize());
    }

    /** A free slot; makes a page of them if there is none. */
    static long freeSlot(PoolView pool, int kind) throws RepairException {
        int magicOffset = kind == PageKind.INODE ? InodeLayout.MAGIC_OFFSET : DentryLayout.MAGIC_OFFSET;
        int freePage = -1;
        for (int page = 0; page < pool.pageCount(); page++) {
            if (pool.kind(page) == kind) {
                for (int slot = 0; slot < PageKind.slotCount(kind); slot++) {
                    long offset = pool.slotOffset(page, slot);
                    if (pool.readInt(offset + magicOffset) == 0 && !pool.isLocked(offset)) {
                        return offset;
                    }
                }
            } else if (freePage < 0 && pool.kind(page) == PageKind.FREE) {
                freePage = page;
            }
        }
        if (freePage < 0) {
            throw new RepairException("the metadata zone of node " + pool.node() + " is full");
        }
        zero(pool, pool.pageOffset(freePage), PageKind.PAGE_BYTES);
        word(pool, pool.pageWordOffset(freePage), kind);
        pool.kind(freePage, kind);
        return pool.pageOffset(freePage);
    }
}
