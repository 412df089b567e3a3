package org.octofs.pmem.log;

import static org.octofs.pmem.log.Bits.INT;
import static org.octofs.pmem.log.Bits.LONG;
import static org.octofs.pmem.log.Bits.SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.octofs.pmem.layout.LogEntryLayout;
import org.octofs.pmem.layout.LogRecordLayout;

/**
 * A record under construction. {@link RedoLog#begin} gives it out, empty; the next begin takes it back.
 * Threading:  the log's worker.
 * Ownership:  belongs to its log, which has one for all time; sources passed in are copied at once.
 * Durability: none before {@link RedoLog#commit}.
 * Limits:     at most {@link RedoLog#maxRecordBytes} with headers and padding, of which payloads (with their headers) at most
 *             {@link RedoLog#maxPayloadBytes}, and 65535 entries; beyond that methods throw
 *             {@link LogRecordTooLargeException}.
 */
public final class LogRecord {
    private static final int INITIAL_BYTES = 16 << 10;
    private static final int ENTRY_COUNT_MAX = 0xFFFF;

    private final RedoLog log;
    private final CRC32C checksum = new CRC32C();
    private MemorySegment buffer;
    private ByteBuffer bytes;
    private int type;
    private int shard;
    private long txnId;
    private int position;
    private int entryCount;
    private int updateCount;
    private int payloadBytes;
    private long sequence;

    LogRecord(RedoLog log) {
        this.log = log;
        grow(Math.min(INITIAL_BYTES, log.maxRecordBytes()));
    }

    private void grow(int lengthBytes) {
        MemorySegment larger = Arena.ofAuto().allocate(lengthBytes, LogRecordLayout.ALIGNMENT_BYTES);
        if (buffer != null) {
            MemorySegment.copy(buffer, 0, larger, 0, position);
        }
        buffer = larger;
        bytes = larger.asByteBuffer();
    }

    void reset(int newType) {
        if (newType < 1 || newType > 0xFFFF) {
            throw new IllegalArgumentException("record type " + newType + " is not in 1..65535");
        }
        type = newType;
        shard = 0;
        txnId = 0;
        position = LogRecordLayout.HEADER_BYTES;
        entryCount = 0;
        updateCount = 0;
        payloadBytes = 0;
        sequence = 0;
    }

    /** Sets the shard (u32) that the record is about; 0 unless set. */
    public LogRecord shard(int value) {
        shard = value;
        return this;
    }

    /** Sets the transaction id (u64); 0 unless set. */
    public LogRecord txnId(long value) {
        txnId = value;
        return this;
    }

    /**
     * Adds bytes to be stored at {@code poolOffset} by {@link RedoLog#apply}, and again by replay.
     *
     * @throws IndexOutOfBoundsException when the range is not inside the pool, or touches the superblock or the log itself
     */
    public LogRecord update(long poolOffset, MemorySegment source, long sourceOffset, int lengthBytes) {
        log.checkTarget(poolOffset, lengthBytes);
        int at = entry(LogEntryLayout.KIND_UPDATE, 0, poolOffset, lengthBytes);
        MemorySegment.copy(source, sourceOffset, buffer, at, lengthBytes);
        updateCount++;
        return this;
    }

    /** Adds an 8-byte update; when {@code poolOffset} is a multiple of 8, it is stored atomically. */
    public LogRecord updateLong(long poolOffset, long value) {
        log.checkTarget(poolOffset, Long.BYTES);
        int at = entry(LogEntryLayout.KIND_UPDATE, 0, poolOffset, Long.BYTES);
        buffer.set(LONG, at, value);
        updateCount++;
        return this;
    }

    /** Adds bytes that only the user understands; they come back in replay, and survive reclaim while retained. */
    public LogRecord payload(int tag, MemorySegment source, long sourceOffset, int lengthBytes) {
        if (tag < 0 || tag > 0xFFFF) {
            throw new IllegalArgumentException("payload tag " + tag + " is not in 0..65535");
        }
        int wanted = payloadBytes + entryBytes(lengthBytes);
        if (wanted > log.maxPayloadBytes()) {
            throw new LogRecordTooLargeException("payload bytes", wanted, log.maxPayloadBytes());
        }
        int at = entry(LogEntryLayout.KIND_PAYLOAD, tag, 0, lengthBytes);
        MemorySegment.copy(source, sourceOffset, buffer, at, lengthBytes);
        payloadBytes = wanted;
        return this;
    }

    private static int entryBytes(int lengthBytes) {
        return LogEntryLayout.HEADER_BYTES + Bits.roundUp(lengthBytes, LogEntryLayout.ALIGNMENT_BYTES);
    }

    /** Makes room, writes the entry's header and the zeros of its last word; answers where its bytes go. */
    private int entry(int kind, int tag, long poolOffset, int lengthBytes) {
        if (sequence != 0) {
            throw new IllegalStateException("the record has been committed as " + sequence + "; begin another");
        }
        int limit = log.maxRecordBytes();
        if (lengthBytes < 0 || lengthBytes > limit) {
            throw new LogRecordTooLargeException("entry bytes", lengthBytes, limit);
        }
        int end = position + entryBytes(lengthBytes);
        if (end > limit) {
            throw new LogRecordTooLargeException("bytes", end, limit);
        }
        if (entryCount == ENTRY_COUNT_MAX) {
            throw new LogRecordTooLargeException("entries", entryCount + 1L, ENTRY_COUNT_MAX);
        }
        if (end > buffer.byteSize()) {
            grow(Math.min(limit, Math.max(end, 2 * (int) buffer.byteSize())));
        }
        buffer.set(SHORT, position + LogEntryLayout.KIND_OFFSET, (short) kind);
        buffer.set(SHORT, position + LogEntryLayout.TAG_OFFSET, (short) tag);
        buffer.set(INT, position + LogEntryLayout.LENGTH_BYTES_OFFSET, lengthBytes);
        buffer.set(LONG, position + LogEntryLayout.POOL_OFFSET_OFFSET, poolOffset);
        int at = position + LogEntryLayout.HEADER_BYTES;
        if (end > at) {
            buffer.set(LONG, end - Long.BYTES, 0);
        }
        position = end;
        entryCount++;
        return at;
    }

    /** Writes header and checksum; from now on the record is closed. Answers its length. */
    int seal(long newSequence, int incarnation, int flags, long originalSequence) {
        int length = lengthBytes();
        if (length > buffer.byteSize()) {
            grow(length);
        }
        clear(buffer, position, length);
        sequence = newSequence;
        writeHeader(buffer, length, newSequence, incarnation, type, entryCount, flags);
        buffer.set(LONG, LogRecordLayout.TXN_ID_OFFSET, txnId);
        buffer.set(INT, LogRecordLayout.SHARD_OFFSET, shard);
        buffer.set(LONG, LogRecordLayout.ORIGINAL_SEQUENCE_OFFSET, originalSequence);
        buffer.set(INT, LogRecordLayout.CHECKSUM_OFFSET, Bits.recordChecksum(checksum, bytes, 0, length));
        return length;
    }

    /** Zeros whole words; a fill of a slice would allocate the slice. */
    private static void clear(MemorySegment target, int from, int to) {
        for (int at = from; at < to; at += Long.BYTES) {
            target.set(LONG, at, 0);
        }
    }

    /** Writes all of a header but the checksum and the user's fields, which become 0. */
    static void writeHeader(
            MemorySegment header,
            int lengthBytes,
            long sequence,
            int incarnation,
            int type,
            int entryCount,
            int flags) {
        clear(header, 0, LogRecordLayout.HEADER_BYTES);
        header.set(INT, LogRecordLayout.LENGTH_BYTES_OFFSET, lengthBytes);
        header.set(LONG, LogRecordLayout.SEQUENCE_OFFSET, sequence);
        header.set(INT, LogRecordLayout.INCARNATION_OFFSET, incarnation);
        header.set(SHORT, LogRecordLayout.TYPE_OFFSET, (short) type);
        header.set(SHORT, LogRecordLayout.ENTRY_COUNT_OFFSET, (short) entryCount);
        header.set(INT, LogRecordLayout.FLAGS_OFFSET, flags);
    }

    MemorySegment buffer() {
        return buffer;
    }

    /** Bytes the record takes in the log. */
    public int lengthBytes() {
        return Bits.roundUp(position, LogRecordLayout.ALIGNMENT_BYTES);
    }

    /** Bytes that a carried copy of it takes in the log; 0 without payloads, since it then cannot be retained. */
    int carriedBytes() {
        return !hasPayload()
                ? 0
                : Bits.roundUp(LogRecordLayout.HEADER_BYTES + payloadBytes, LogRecordLayout.ALIGNMENT_BYTES);
    }

    boolean hasPayload() {
        return payloadBytes > 0;
    }

    boolean hasUpdates() {
        return updateCount > 0;
    }

    int entryCount() {
        return entryCount;
    }

    /** The sequence number that {@link RedoLog#commit} gave it; 0 before. */
    public long sequence() {
        return sequence;
    }
}
