package org.octofs.pmem.log;

import static org.octofs.pmem.log.Bits.INT;
import static org.octofs.pmem.log.Bits.LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.octofs.pmem.PoolCorruptException;
import org.octofs.pmem.layout.LogHeadLayout;
import org.octofs.pmem.layout.LogRecordLayout;
import org.octofs.pmem.layout.Zone;
import org.octofs.pmem.medium.PmemMedium;

/**
 * Where the log begins, kept in two slots written in turn.
 * Threading:  the log's worker.
 * Durability: {@link #move} returns with the new head durable; a crash inside leaves the old or the new head.
 */
final class LogHead {
    private final PmemMedium medium;
    private final Zone zone;
    private final CRC32C checksum = new CRC32C();
    private final MemorySegment slot = Arena.ofAuto().allocate(LogHeadLayout.SIZE_BYTES, LogHeadLayout.SIZE_BYTES);
    private final ByteBuffer slotBytes = slot.asByteBuffer();
    private long writeCount;
    private long sequence;
    private long ringOffset;
    private int incarnation;
    private boolean otherSlotIsBad;

    LogHead(PmemMedium medium, Zone zone) {
        this.medium = medium;
        this.zone = zone;
    }

    /** Writes both slots for an empty log. Durable when it returns. */
    void format() {
        incarnation = 0;
        sequence = 1;
        ringOffset = 0;
        for (long count = 1; count <= LogHeadLayout.SLOT_COUNT; count++) {
            writeCount = count;
            store();
        }
    }

    /**
     * Reads the newer good slot.
     *
     * @throws PoolCorruptException when neither is good, or a good checksum covers nonsense
     */
    void load() {
        long best = -1;
        int good = 0;
        for (int index = 0; index < LogHeadLayout.SLOT_COUNT; index++) {
            read(index);
            boolean sound = slot.get(INT, LogHeadLayout.CHECKSUM_OFFSET)
                            == Bits.recordChecksum(checksum, slotBytes, 0, LogHeadLayout.SIZE_BYTES)
                    && slot.get(LONG, LogHeadLayout.WRITE_COUNT_OFFSET) % LogHeadLayout.SLOT_COUNT == index;
            if (sound) {
                good++;
                best = Math.max(best, slot.get(LONG, LogHeadLayout.WRITE_COUNT_OFFSET));
            }
        }
        if (good == 0) {
            throw new PoolCorruptException(
                    "both head slots of the redo log are bad, first checksum",
                    zone.offset(),
                    Integer.toUnsignedLong(Bits.recordChecksum(checksum, slotBytes, 0, LogHeadLayout.SIZE_BYTES)),
                    Integer.toUnsignedLong(slot.get(INT, LogHeadLayout.CHECKSUM_OFFSET)));
        }
        otherSlotIsBad = good < LogHeadLayout.SLOT_COUNT;
        read((int) (best % LogHeadLayout.SLOT_COUNT));
        writeCount = best;
        sequence = slot.get(LONG, LogHeadLayout.SEQUENCE_OFFSET);
        ringOffset = slot.get(LONG, LogHeadLayout.RING_OFFSET_OFFSET);
        incarnation = slot.get(INT, LogHeadLayout.INCARNATION_OFFSET);
        long capacity = zone.lengthBytes() - LogHeadLayout.RING_START;
        if (ringOffset < 0 || ringOffset >= capacity || ringOffset % LogRecordLayout.ALIGNMENT_BYTES != 0) {
            throw new PoolCorruptException(
                    "ring offset in the head of the redo log", slotOffset(best), capacity, ringOffset);
        }
    }

    private void read(int index) {
        MemorySegment.copy(
                medium.memory(),
                zone.offset() + (long) index * LogHeadLayout.SIZE_BYTES,
                slot,
                0,
                LogHeadLayout.SIZE_BYTES);
    }

    /** Moves the head; must not be called when it would stay where it is (see {@link LogScanner}). */
    void move(long newSequence, long newRingOffset, int newIncarnation) {
        sequence = newSequence;
        ringOffset = newRingOffset;
        incarnation = newIncarnation;
        writeCount++;
        store();
        otherSlotIsBad = false;
    }

    private void store() {
        slot.fill((byte) 0);
        slot.set(INT, LogHeadLayout.INCARNATION_OFFSET, incarnation);
        slot.set(LONG, LogHeadLayout.WRITE_COUNT_OFFSET, writeCount);
        slot.set(LONG, LogHeadLayout.SEQUENCE_OFFSET, sequence);
        slot.set(LONG, LogHeadLayout.RING_OFFSET_OFFSET, ringOffset);
        slot.set(
                INT,
                LogHeadLayout.CHECKSUM_OFFSET,
                Bits.recordChecksum(checksum, slotBytes, 0, LogHeadLayout.SIZE_BYTES));
        long offset = slotOffset(writeCount);
        medium.copy(offset, slot, 0, LogHeadLayout.SIZE_BYTES);
        medium.flush(offset, LogHeadLayout.SIZE_BYTES);
        // Fence: the space before the new head may be overwritten from now on.
        medium.fence();
    }

    private long slotOffset(long count) {
        return zone.offset() + count % LogHeadLayout.SLOT_COUNT * LogHeadLayout.SIZE_BYTES;
    }

    long sequence() {
        return sequence;
    }

    long ringOffset() {
        return ringOffset;
    }

    int incarnation() {
        return incarnation;
    }

    boolean otherSlotIsBad() {
        return otherSlotIsBad;
    }
}
