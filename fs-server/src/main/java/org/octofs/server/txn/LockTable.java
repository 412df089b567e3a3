package org.octofs.server.txn;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.BitSet;
import java.util.zip.CRC32C;
import org.octofs.pmem.PoolCorruptException;
import org.octofs.server.store.MetaStore;
import org.octofs.server.store.MetaTransaction;

/**
 * The LOCK_TABLE zone: one {@link LockRecordLayout} per transaction of another server that holds objects here.
 * Threading:  confined to the worker.
 * Durability: set and cleared with the transaction that is passed in. Everything goes through the redo log, since a record
 *             stored past it could be overwritten by the replay of an older one.
 * Limits:     {@link #capacity()} transactions at a time.
 */
final class LockTable {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    // The release word is stored by another processor; what was stored before it must be seen once it is.
    private static final java.lang.invoke.VarHandle RELEASE =
            ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();

    private final MemorySegment memory;
    private final long offset;
    private final int capacity;
    private final BitSet used = new BitSet();
    private final byte[] image = new byte[LockRecordLayout.SIZE_BYTES];
    private final MemorySegment imageSegment = MemorySegment.ofArray(image);
    private final CRC32C crc = new CRC32C();

    /** Told about each record that recovery finds. */
    @FunctionalInterface
    interface Visitor {
        void record(HeldLock held);
    }

    LockTable(MetaStore store, long zoneOffset, long zoneBytes) {
        this.memory = store.memory();
        this.offset = zoneOffset;
        this.capacity = (int) (zoneBytes / LockRecordLayout.SIZE_BYTES);
    }

    int capacity() {
        return capacity;
    }

    int size() {
        return used.cardinality();
    }

    /** Takes a free record, -1 if there is none. */
    int take() {
        int index = used.nextClearBit(0);
        if (index >= capacity) {
            return -1;
        }
        used.set(index);
        return index;
    }

    /** A record that was taken is free again. */
    void giveBack(int index) {
        used.clear(index);
    }

    /** Pool offset of a record. */
    long recordOffset(int index) {
        return offset + (long) index * LockRecordLayout.SIZE_BYTES;
    }

    long releaseOffset(int index) {
        return recordOffset(index) + LockRecordLayout.RELEASE_WORD_OFFSET;
    }

    /** The release word now; what its writer has stored before it is visible afterwards. */
    long releaseWord(int index) {
        return (long) RELEASE.getAcquire(memory, releaseOffset(index));
    }

    /**
     * Stages a record. If it is there already (a second collect), its release word is not touched: a transaction that still
     * collects has released nothing.
     */
    void stage(MetaTransaction tx, HeldLock held) {
        imageSegment.fill((byte) 0);
        imageSegment.set(LONG, LockRecordLayout.LOCK_WORD_OFFSET, held.txnId);
        imageSegment.set(INT, LockRecordLayout.COUNT_OFFSET, held.count());
        for (int i = 0; i < held.count(); i++) {
            int at = LockRecordLayout.OBJECTS_OFFSET + i * LockRecordLayout.OBJECT_BYTES;
            imageSegment.set(LONG, at + LockRecordLayout.OBJECT_SLOT_OFFSET, held.slot(i) | held.kind(i));
            imageSegment.set(LONG, at + LockRecordLayout.OBJECT_INO_OFFSET, held.ino(i));
        }
        imageSegment.set(INT, LockRecordLayout.CHECKSUM_OFFSET, checksum());
        tx.update(recordOffset(held.index), imageSegment, 0, LockRecordLayout.SIZE_BYTES);
    }

    /** Stages the end of a record. Give it back when that is committed. */
    void stageClear(MetaTransaction tx, int index) {
        imageSegment.fill((byte) 0);
        tx.update(recordOffset(index), imageSegment, 0, LockRecordLayout.SIZE_BYTES);
    }

    /** Reads the table after the log was replayed. */
    void recover(int incarnation, long nowNanos, Visitor visitor) {
        used.clear();
        for (int index = 0; index < capacity; index++) {
            long at = recordOffset(index);
            long txnId = memory.get(LONG, at + LockRecordLayout.LOCK_WORD_OFFSET);
            if (txnId != 0) {
                used.set(index);
                visitor.record(read(at, txnId, index, incarnation, nowNanos));
            }
        }
    }

    private HeldLock read(long at, long txnId, int index, int incarnation, long nowNanos) {
        MemorySegment.copy(memory, at, imageSegment, 0, LockRecordLayout.SIZE_BYTES);
        int found = imageSegment.get(INT, LockRecordLayout.CHECKSUM_OFFSET);
        imageSegment.set(LONG, LockRecordLayout.RELEASE_WORD_OFFSET, 0);
        imageSegment.set(INT, LockRecordLayout.CHECKSUM_OFFSET, 0);
        int expected = checksum();
        if (found != expected) {
            throw new PoolCorruptException(
                    "lock record checksum",
                    at + LockRecordLayout.CHECKSUM_OFFSET,
                    expected & 0xFFFF_FFFFL,
                    found & 0xFFFF_FFFFL);
        }
        int count = imageSegment.get(INT, LockRecordLayout.COUNT_OFFSET);
        if (count < 0 || count > LockRecordLayout.OBJECTS_MAX) {
            throw new PoolCorruptException(
                    "objects of a lock record",
                    at + LockRecordLayout.COUNT_OFFSET,
                    LockRecordLayout.OBJECTS_MAX,
                    count);
        }
        HeldLock held = new HeldLock(txnId, index, incarnation, nowNanos, true);
        for (int i = 0; i < count; i++) {
            int object = LockRecordLayout.OBJECTS_OFFSET + i * LockRecordLayout.OBJECT_BYTES;
            long slot = imageSegment.get(LONG, object + LockRecordLayout.OBJECT_SLOT_OFFSET);
            held.add(
                    (int) (slot & LockRecordLayout.KIND_MASK),
                    slot & ~LockRecordLayout.KIND_MASK,
                    imageSegment.get(LONG, object + LockRecordLayout.OBJECT_INO_OFFSET));
        }
        return held;
    }

    private int checksum() {
        crc.reset();
        crc.update(image, 0, image.length);
        return (int) crc.getValue();
    }
}
