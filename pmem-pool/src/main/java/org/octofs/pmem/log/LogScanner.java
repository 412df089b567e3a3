package org.octofs.pmem.log;

import static org.octofs.pmem.log.Bits.INT;
import static org.octofs.pmem.log.Bits.LONG;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.octofs.pmem.PoolCorruptException;
import org.octofs.pmem.layout.LogHeadLayout;
import org.octofs.pmem.layout.LogRecordLayout;
import org.octofs.pmem.layout.Zone;
import org.octofs.pmem.medium.PmemMedium;

/**
 * Walks the chain of valid records from the head, changing nothing; replay and the offline check share it.
 *
 * <p>The end of the chain is normal (it is where the crash was) unless the medium proves otherwise:
 * <ul>
 *   <li>a valid record with a later number that was not written under the same fence as the missing one: its commit came
 *       after the missing one's fence, so a durable record has been spoiled;
 *   <li>a bad head slot and no record at the other head: that slot can only have been torn while all records from the other
 *       head on were still there.
 * </ul>
 */
public final class LogScanner {
    private final MemorySegment memory;
    private final LogHead head;
    private final LogRecordView view;
    private final CRC32C checksum = new CRC32C();
    private final ByteBuffer ring;
    private final long ringStart;
    private final int capacity;
    private final int maxRecordBytes;

    private long sequence;
    private long incarnation;
    private int position;
    private long usedBytes;
    private long recordCount;
    private long sequenceBefore;
    private int positionBefore;
    private long usedBytesBefore;

    /** @throws PoolCorruptException when there is no good head */
    public LogScanner(PmemMedium medium, Zone zone) {
        this(medium, zone, new LogHead(medium, zone));
    }

    LogScanner(PmemMedium medium, Zone zone, LogHead head) {
        this.memory = medium.memory();
        this.head = head;
        this.view = new LogRecordView(memory);
        this.ringStart = zone.offset() + LogHeadLayout.RING_START;
        this.capacity = RedoLog.capacityBytes(zone);
        this.maxRecordBytes = RedoLog.maxRecordBytes(capacity);
        this.ring = memory.asSlice(ringStart, capacity).asByteBuffer();
        head.load();
        sequence = head.sequence();
        incarnation = Integer.toUnsignedLong(head.incarnation());
        position = (int) head.ringOffset();
    }

    /**
     * The next record, or null behind the last one. The view is reused.
     *
     * @throws PoolCorruptException when the chain is broken rather than ended
     */
    public LogRecordView next() {
        sequenceBefore = sequence;
        positionBefore = position;
        usedBytesBefore = usedBytes;
        while (isValid(position, sequence)) {
            int at = position;
            int length = length(at);
            boolean wraps = (flags(at) & LogRecordLayout.FLAG_WRAP) != 0;
            int taken = wraps ? capacity - at : length;
            if (usedBytes + taken > capacity) {
                throw new PoolCorruptException(
                        "redo log longer than its ring", ringStart + at, capacity, usedBytes + taken);
            }
            usedBytes += taken;
            incarnation = incarnationOf(at);
            sequence++;
            position = at + taken == capacity ? 0 : at + taken;
            if (!wraps) {
                recordCount++;
                return view.wrap(ringStart + at);
            }
        }
        checkEnd();
        return null;
    }

    /** Ends the chain before the record seen last (and before the wrap in front of it). */
    void dropLast() {
        sequence = sequenceBefore;
        position = positionBefore;
        usedBytes = usedBytesBefore;
        recordCount--;
    }

    private boolean isValid(int at, long wantedSequence) {
        return memory.get(LONG, ringStart + at + LogRecordLayout.SEQUENCE_OFFSET) == wantedSequence
                && incarnationOf(at) >= incarnation
                && length(at) >= LogRecordLayout.HEADER_BYTES
                && length(at) <= Math.min(maxRecordBytes, capacity - at)
                && length(at) % LogRecordLayout.ALIGNMENT_BYTES == 0
                && memory.get(INT, ringStart + at + LogRecordLayout.CHECKSUM_OFFSET)
                        == Bits.recordChecksum(checksum, ring, at, length(at));
    }

    private void checkEnd() {
        if (head.otherSlotIsBad() && sequence == head.sequence()) {
            throw new PoolCorruptException(
                    "a head slot of the redo log is bad and the other one points at no record, number",
                    ringStart + position,
                    sequence,
                    memory.get(LONG, ringStart + position + LogRecordLayout.SEQUENCE_OFFSET));
        }
        long window = capacity / LogRecordLayout.ALIGNMENT_BYTES;
        // Only behind the chain: inside it lie the users' bytes, which may look like anything.
        int free = (int) (capacity - usedBytes);
        for (int gone = 0; gone < free; gone += LogRecordLayout.ALIGNMENT_BYTES) {
            int at = (position + gone) % capacity;
            long found = memory.get(LONG, ringStart + at + LogRecordLayout.SEQUENCE_OFFSET);
            if (found > sequence
                    && found - sequence <= window
                    && (flags(at) & LogRecordLayout.FLAG_GROUPED) == 0
                    && isValid(at, found)) {
                throw spoiled(found);
            }
        }
    }

    /** The next record is spoiled: by its number, else by what is in it. */
    private PoolCorruptException spoiled(long laterSequence) {
        String what = "record " + sequence + " of the redo log is spoiled, though the later one " + laterSequence
                + " is intact; ";
        long number = memory.get(LONG, ringStart + position + LogRecordLayout.SEQUENCE_OFFSET);
        if (number != sequence) {
            return new PoolCorruptException(what + "number", ringStart + position, sequence, number);
        }
        int length = Math.clamp(
                length(position), LogRecordLayout.HEADER_BYTES, Math.min(maxRecordBytes, capacity - position));
        return new PoolCorruptException(
                what + "checksum",
                ringStart + position,
                Integer.toUnsignedLong(Bits.recordChecksum(checksum, ring, position, length)),
                Integer.toUnsignedLong(memory.get(INT, ringStart + position + LogRecordLayout.CHECKSUM_OFFSET)));
    }

    private int length(int at) {
        return memory.get(INT, ringStart + at + LogRecordLayout.LENGTH_BYTES_OFFSET);
    }

    private int flags(int at) {
        return memory.get(INT, ringStart + at + LogRecordLayout.FLAGS_OFFSET);
    }

    private long incarnationOf(int at) {
        return Integer.toUnsignedLong(memory.get(INT, ringStart + at + LogRecordLayout.INCARNATION_OFFSET));
    }

    /** Number that the record after the last one seen has or would have. */
    public long nextSequence() {
        return sequence;
    }

    /** Where that record is or would be, in bytes from the start of the ring. */
    public int nextRingOffset() {
        return position;
    }

    /** Bytes of the ring taken by what has been seen, wraps included. */
    public long usedBytes() {
        return usedBytes;
    }

    /** Records seen, wraps not counted. */
    public long recordCount() {
        return recordCount;
    }

    /** Whether one of the two head slots is torn or spoiled; harmless, the next checkpoint rewrites it. */
    public boolean oneHeadSlotIsBad() {
        return head.otherSlotIsBad();
    }
}
