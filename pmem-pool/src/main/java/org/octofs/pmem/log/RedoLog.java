package org.octofs.pmem.log;

import static org.octofs.pmem.log.Bits.INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.octofs.pmem.PoolFullException;
import org.octofs.pmem.layout.LogHeadLayout;
import org.octofs.pmem.layout.LogRecordLayout;
import org.octofs.pmem.layout.SuperblockLayout;
import org.octofs.pmem.layout.Zone;
import org.octofs.pmem.medium.PmemMedium;

/**
 * The pool's redo log: a ring of records, each with updates to be stored in this pool, and payloads for its user.
 * Use: {@code r = begin(type)}, fill it, {@code seq = commit(r)}, optionally {@code retain(seq)}, {@code apply(r)}.
 *
 * Threading:  confined to the pool's worker.
 * Ownership:  owns the log zone. Targets of updates belong to whoever owns their zone; nobody else may store there between
 *             commit and the next checkpoint what replay must not overwrite.
 * Durability: {@link #commit} returns with the record <i>durable</i>: after a crash its updates are either in place or
 *             replayed. {@link #apply} makes them <i>visible</i>; they become durable in place before the record's space is
 *             reclaimed. Replay is idempotent and may itself crash at any point.
 * Limits:     {@link #maxRecordBytes} = capacity / 4; {@link #maxPayloadBytes} = capacity / 16;
 *             {@link #retainedBytesMax} = capacity / 8. Nothing waits: a full log is made room in by a checkpoint inside commit.
 *
 * <p>Invariants, with {@code P} = size of carried copies of all records in the ring that have payloads, retained or not
 * (after a crash nobody knows which were, so the visitor may retain them all), and {@code C} = capacity:
 * <ul>
 *   <li>P &le; 3/16 C, and while P &gt; 0 at least P + C/16 of the ring is free: enough to carry everything forward, with one
 *       carried record moved over the end of the ring;
 *   <li>so a record of C/4, moved over the end, always fits after a checkpoint: (3 + 1 + 4 + 4 + 3 + 1)/16 C &le; C;
 *   <li>a record is never overwritten before a head behind it is durable;
 *   <li>no checkpoint happens between commit and apply of a record with updates.
 * </ul>
 */
public final class RedoLog {
    private static final int PAYLOAD_SHARE = 16;
    private static final int RETAINED_SHARE = 8;
    private static final int RECORD_SHARE = 4;
    /** A ring smaller than this has no room for payloads worth the name. */
    public static final int CAPACITY_BYTES_MIN = 2048;

    private final PmemMedium medium;
    private final Zone zone;
    private final long ringStart;
    private final int capacity;
    private final int incarnation;
    private final LogHead head;
    private final LineSet dirty;
    private final RetainedRecords retained = new RetainedRecords();
    private final LogRecord record;
    private final LogRecord carrier;
    private final LogRecordView view;
    private final CRC32C checksum = new CRC32C();
    private final MemorySegment wrap =
            Arena.ofAuto().allocate(LogRecordLayout.HEADER_BYTES, LogRecordLayout.ALIGNMENT_BYTES);
    private final ByteBuffer wrapBytes = wrap.asByteBuffer();

    private boolean replayed;
    private long nextSequence;
    private int tail;
    private long usedBytes;
    private long committedOffset;
    private long committedSequence;
    private int committedCarriedBytes;
    /** P of the class comment. */
    private long payloadRecordBytes;

    private boolean applyPending;
    private boolean replaying;
    private long checkpoints;

    /**
     * Reads the head; {@link #replay} must follow before anything else.
     *
     * @param incarnation number of this open of the pool (u32), larger than at any earlier open; it keeps remnants of an
     *     abandoned tail from ever continuing a later chain
     * @throws org.octofs.pmem.PoolCorruptException when neither head is good
     */
    public RedoLog(PmemMedium medium, Zone zone, long incarnation) {
        this.medium = medium;
        this.zone = zone;
        this.ringStart = zone.offset() + LogHeadLayout.RING_START;
        this.capacity = capacityBytes(zone);
        this.incarnation = (int) incarnation;
        this.head = new LogHead(medium, zone);
        this.dirty = new LineSet(medium);
        this.view = new LogRecordView(medium.memory());
        this.record = new LogRecord(this);
        this.carrier = new LogRecord(this);
        head.load();
    }

    /** Makes the zone an empty log. The ring must be zeros, or hold no record of any earlier life. Durable when it returns. */
    public static void format(PmemMedium medium, Zone zone) {
        if (capacityBytes(zone) < CAPACITY_BYTES_MIN) {
            throw new IllegalArgumentException("a redo log needs " + (LogHeadLayout.RING_START + CAPACITY_BYTES_MIN)
                    + " bytes at least, not " + zone.lengthBytes());
        }
        new LogHead(medium, zone).format();
    }

    static int capacityBytes(Zone zone) {
        long bytes = zone.lengthBytes() - LogHeadLayout.RING_START;
        return Math.toIntExact(bytes - bytes % LogRecordLayout.ALIGNMENT_BYTES);
    }

    static int maxRecordBytes(int capacityBytes) {
        return capacityBytes / RECORD_SHARE & -LogRecordLayout.ALIGNMENT_BYTES;
    }

    /** Bytes of the ring. */
    public long capacityBytes() {
        return capacity;
    }

    /** Longest record, with headers and padding. */
    public int maxRecordBytes() {
        return maxRecordBytes(capacity);
    }

    /** Longest sum of payloads of one record, with their headers and padding; also bounds a carried copy. */
    public int maxPayloadBytes() {
        return Math.max(LogRecordLayout.HEADER_BYTES, capacity / PAYLOAD_SHARE & -LogRecordLayout.ALIGNMENT_BYTES)
                - LogRecordLayout.HEADER_BYTES;
    }

    private int maxCarriedBytes() {
        return maxPayloadBytes() + LogRecordLayout.HEADER_BYTES;
    }

    /** Most that all retained records together may take. */
    public long retainedBytesMax() {
        return capacity / RETAINED_SHARE;
    }

    /** What the retained records take now. */
    public long retainedBytes() {
        return retained.totalBytes();
    }

    public int retainedCount() {
        return retained.count();
    }

    /** Bytes of the ring between head and tail. */
    public long usedBytes() {
        return usedBytes;
    }

    /** Lines stored by apply and not yet flushed. */
    public int dirtyLineCount() {
        return dirty.count();
    }

    /** How many checkpoints have moved the head since open. */
    public long checkpointCount() {
        return checkpoints;
    }

    /**
     * Re-applies every record from the head on, makes that durable, shows each to the visitor, and ends with a checkpoint that
     * keeps what the visitor has retained. Afterwards the log takes new records.
     *
     * @return how many records were replayed
     * @throws org.octofs.pmem.PoolCorruptException when the log is broken rather than ended; the pool must not be served
     */
    public long replay(ReplayVisitor visitor) {
        if (replayed || replaying) {
            throw new IllegalStateException("the log has been replayed");
        }
        replaying = true;
        long count = 0;
        long lastSeen = 0;
        try {
            LogScanner scanner = new LogScanner(medium, zone, head);
            for (LogRecordView found = scanner.next(); found != null; found = scanner.next()) {
                if (found.sequence() <= lastSeen) {
                    // The crash came between carrying forward and moving the head. Everything from here on is a copy of
                    // what
                    // has been seen already; written over, it cannot fill the ring however often recovery crashes.
                    scanner.dropLast();
                    break;
                }
                // Ascending, since records are carried in this order, and to in front of all newer ones.
                lastSeen = found.sequence();
                replayOne(found, visitor);
                count++;
            }
            nextSequence = scanner.nextSequence();
            tail = scanner.nextRingOffset();
            usedBytes = scanner.usedBytes();
        } finally {
            replaying = false;
            committedSequence = 0;
        }
        replayed = true;
        checkpoint();
        return count;
    }

    private void replayOne(LogRecordView found, ReplayVisitor visitor) {
        int carried = 0;
        while (found.next()) {
            if (found.isPayload()) {
                carried += LogRecordView.entryHeaderBytes() + Bits.roundUp(found.lengthBytes(), Long.BYTES);
            } else {
                checkTarget(found.poolOffset(), found.lengthBytes());
                store(found.poolOffset(), medium.memory(), found.dataOffset(), found.lengthBytes());
            }
        }
        found.rewind();
        committedSequence = found.sequence();
        committedOffset = found.recordOffset();
        committedCarriedBytes = carried == 0
                ? 0
                : Bits.roundUp(LogRecordLayout.HEADER_BYTES + carried, LogRecordLayout.ALIGNMENT_BYTES);
        payloadRecordBytes += committedCarriedBytes;
        visitor.record(found);
    }

    /** Stores an update; one aligned 8-byte word is stored atomically, because others may read it at any time. */
    private void store(long poolOffset, MemorySegment source, long sourceOffset, int lengthBytes) {
        if (lengthBytes == Long.BYTES && (poolOffset & 7) == 0) {
            medium.putLong(poolOffset, source.get(Bits.LONG, sourceOffset));
        } else {
            medium.copy(poolOffset, source, sourceOffset, lengthBytes);
        }
        dirty.add(poolOffset, lengthBytes);
    }

    void checkTarget(long poolOffset, int lengthBytes) {
        boolean inside = lengthBytes >= 0
                && poolOffset >= SuperblockLayout.ZONE_BYTES
                && poolOffset <= medium.sizeBytes() - lengthBytes;
        if (!inside || (poolOffset < zone.endOffset() && poolOffset + lengthBytes > zone.offset())) {
            throw new IndexOutOfBoundsException("a log update of " + lengthBytes + " bytes may not go to pool offset "
                    + poolOffset + ": outside the pool, or in the superblock or the log");
        }
    }

    /**
     * The builder for the next record, empty. A record that was begun and not committed is forgotten.
     *
     * @param type the caller's kind of record, 1..65535
     */
    public LogRecord begin(int type) {
        checkReady();
        record.reset(type);
        return record;
    }

    /** Whether the log has been replayed and nothing is between commit and apply. */
    public boolean isReady() {
        return replayed && !applyPending;
    }

    private void checkReady() {
        if (!replayed) {
            throw new IllegalStateException("replay the log before writing to it");
        }
        if (applyPending) {
            throw new IllegalStateException("record " + committedSequence + " has been committed but not applied");
        }
    }

    /**
     * Appends the record and makes it durable with one fence (two more when a checkpoint has to make room first).
     *
     * @return its sequence number, from 1
     * @throws PoolFullException when retained records leave no room for another one with payloads; nothing was written
     */
    public long commit(LogRecord r) {
        checkReady();
        if (r != record || r.sequence() != 0) {
            throw new IllegalStateException("commit takes the record of the last begin, once");
        }
        if (r.hasPayload() && retained.totalBytes() + r.carriedBytes() > retainedBytesMax()) {
            throw new PoolFullException("the redo log retains " + retained.totalBytes() + " bytes of at most "
                    + retainedBytesMax() + "; " + r.carriedBytes() + " more wanted");
        }
        if (!fits(r)) {
            checkpoint();
            if (!fits(r)) {
                throw new IllegalStateException(
                        "the shares of the redo log do not add up: " + usedBytes + " of " + capacity + " bytes used, "
                                + payloadRecordBytes + " with payloads, " + r.lengthBytes() + " wanted");
            }
        }
        committedOffset = append(r, 0, false);
        committedSequence = r.sequence();
        committedCarriedBytes = r.carriedBytes();
        payloadRecordBytes += committedCarriedBytes;
        // Fence: with it the record counts; its checksum tells a torn one.
        medium.fence();
        dirty.fenced();
        applyPending = r.hasUpdates();
        return committedSequence;
    }

    private boolean fits(LogRecord r) {
        long payloads = payloadRecordBytes + r.carriedBytes();
        long reserve = payloads == 0 ? 0 : payloads + maxCarriedBytes();
        int length = r.lengthBytes();
        int room = capacity - tail;
        return usedBytes + length + (length > room ? room : 0) + reserve <= capacity
                && (!r.hasPayload() || payloads <= retainedBytesMax() + maxCarriedBytes());
    }

    /** Writes the record at the tail, behind a wrap record if it has to move to the start. Answers its pool offset. */
    private long append(LogRecord r, long originalSequence, boolean grouped) {
        int flags = originalSequence == 0 ? 0 : LogRecordLayout.FLAG_CARRIED;
        boolean inGroup = grouped;
        int room = capacity - tail;
        if (r.lengthBytes() > room) {
            int wrapFlags = LogRecordLayout.FLAG_WRAP | (inGroup ? LogRecordLayout.FLAG_GROUPED : 0);
            LogRecord.writeHeader(wrap, LogRecordLayout.HEADER_BYTES, nextSequence, incarnation, 0, 0, wrapFlags);
            wrap.set(
                    INT,
                    LogRecordLayout.CHECKSUM_OFFSET,
                    Bits.recordChecksum(checksum, wrapBytes, 0, LogRecordLayout.HEADER_BYTES));
            medium.copyNonTemporal(ringStart + tail, wrap, 0, LogRecordLayout.HEADER_BYTES);
            nextSequence++;
            usedBytes += room;
            tail = 0;
            inGroup = true;
        }
        int length = r.seal(
                nextSequence,
                incarnation,
                flags | (inGroup ? LogRecordLayout.FLAG_GROUPED : 0),
                originalSequence == 0 ? nextSequence : originalSequence);
        long offset = ringStart + tail;
        medium.copyNonTemporal(offset, r.buffer(), 0, length);
        nextSequence++;
        usedBytes += length;
        tail = tail + length == capacity ? 0 : tail + length;
        return offset;
    }

    /** Stores all updates of the record just committed. Visible when it returns, durable in place by the next checkpoint. */
    public void apply(LogRecord r) {
        if (r != record || r.sequence() == 0 || (r.hasUpdates() && r.sequence() != committedSequence)) {
            throw new IllegalStateException("apply takes the record of the last commit");
        }
        if (!r.hasUpdates()) {
            return;
        }
        MemorySegment buffer = r.buffer();
        long at = LogRecordLayout.HEADER_BYTES;
        for (int i = 0; i < r.entryCount(); i++) {
            int length = LogRecordView.entryLength(buffer, at);
            if (LogRecordView.entryIsUpdate(buffer, at)) {
                store(LogRecordView.entryTarget(buffer, at), buffer, at + LogRecordView.entryHeaderBytes(), length);
            }
            at += LogRecordView.entryHeaderBytes() + Bits.roundUp(length, Long.BYTES);
        }
        applyPending = false;
    }

    /** Has the next checkpoint make durable what the caller has stored itself, outside of any record. */
    public void flushLater(long poolOffset, long lengthBytes) {
        dirty.add(poolOffset, lengthBytes);
    }

    /**
     * Keeps a record's payloads over checkpoints and restarts until it is released. Only for a record with a payload (it may
     * be empty) that was just committed or is being shown by replay; repeating it does no harm. Durability: the record is durable already; that it is retained is not
     * recorded on the medium, so after a crash the visitor decides anew.
     */
    public void retain(long sequence) {
        if (retained.contains(sequence)) {
            return;
        }
        if (sequence == 0 || sequence != committedSequence || committedCarriedBytes == 0) {
            throw new IllegalStateException("record " + sequence
                    + " cannot be retained: it has no payload, or it is not the last one, " + committedSequence);
        }
        retained.add(sequence, committedOffset, committedCarriedBytes);
    }

    /** Lets a retained record go; one that is not retained is ignored. */
    public void release(long sequence) {
        retained.remove(sequence);
    }

    /**
     * Makes everything applied durable in place, carries the retained records forward, and frees the rest of the ring.
     * Two fences, none when there is nothing to do.
     */
    public void checkpoint() {
        checkReady();
        dirty.flush();
        boolean idle = nothingToFree();
        long newHeadSequence = nextSequence;
        int newHeadOffset = tail;
        long freed = usedBytes;
        if (!idle && retained.count() > 0) {
            carryForward();
            medium.fence();
            dirty.fenced();
        }
        // Fence (one of the two): updates must be durable in place, and the copies too, before the head leaves behind
        // the
        // records that they come from.
        dirty.fenceIfDue();
        if (idle) {
            return;
        }
        head.move(newHeadSequence, newHeadOffset, incarnation);
        usedBytes -= freed;
        payloadRecordBytes = retained.totalBytes();
        committedSequence = 0;
        checkpoints++;
    }

    /** The ring is empty, or everything in it is retained anyway, so that carrying it forward would gain nothing. */
    private boolean nothingToFree() {
        return retained.totalBytes() >= usedBytes;
    }

    private void carryForward() {
        for (int i = 0; i < retained.count(); i++) {
            view.wrap(retained.recordOffset(i));
            carrier.reset(view.type());
            carrier.shard(view.shard()).txnId(view.txnId());
            while (view.next()) {
                if (view.isPayload()) {
                    carrier.payload(view.tag(), medium.memory(), view.dataOffset(), view.lengthBytes());
                }
            }
            // Updates stay behind: they are durable in place, and replaying them after newer ones would undo those.
            retained.moved(i, append(carrier, view.sequence(), i > 0));
        }
    }
}
