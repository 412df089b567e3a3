package org.octofs.pmem.log;

import static org.octofs.pmem.log.Bits.INT;
import static org.octofs.pmem.log.Bits.LONG;
import static org.octofs.pmem.log.Bits.SHORT;

import java.lang.foreign.MemorySegment;
import org.octofs.pmem.PoolCorruptException;
import org.octofs.pmem.layout.LogEntryLayout;
import org.octofs.pmem.layout.LogRecordLayout;

/**
 * A record of the log as it lies on the medium. A flyweight: valid only during the call that it is passed to.
 * Entries are walked once, forwards: {@code while (view.next()) { if (view.isPayload()) ... }}.
 */
public final class LogRecordView {
    private final MemorySegment memory;
    private long start;
    private long end;
    private long next;
    private long entry;
    private int left;

    LogRecordView(MemorySegment memory) {
        this.memory = memory;
    }

    /** Puts the view on a record whose header and checksum have been found good. */
    LogRecordView wrap(long recordOffset) {
        start = recordOffset;
        end = start + memory.get(INT, start + LogRecordLayout.LENGTH_BYTES_OFFSET);
        rewind();
        return this;
    }

    /** Back to before the first entry. */
    public void rewind() {
        next = start + LogRecordLayout.HEADER_BYTES;
        entry = 0;
        left = entryCount();
    }

    /** The user's kind of record, 1..65535. */
    public int type() {
        return Short.toUnsignedInt(memory.get(SHORT, start + LogRecordLayout.TYPE_OFFSET));
    }

    public int shard() {
        return memory.get(INT, start + LogRecordLayout.SHARD_OFFSET);
    }

    public long txnId() {
        return memory.get(LONG, start + LogRecordLayout.TXN_ID_OFFSET);
    }

    /** The number that commit answered for it, also when this is a carried copy: the key for retain and release. */
    public long sequence() {
        return memory.get(LONG, start + LogRecordLayout.ORIGINAL_SEQUENCE_OFFSET);
    }

    /** Which open of the pool wrote it. */
    public long incarnation() {
        return Integer.toUnsignedLong(memory.get(INT, start + LogRecordLayout.INCARNATION_OFFSET));
    }

    /** Whether it was retained over a checkpoint (then its updates are gone: they had been applied). */
    public boolean isCarried() {
        return (flags() & LogRecordLayout.FLAG_CARRIED) != 0;
    }

    int flags() {
        return memory.get(INT, start + LogRecordLayout.FLAGS_OFFSET);
    }

    public int entryCount() {
        return Short.toUnsignedInt(memory.get(SHORT, start + LogRecordLayout.ENTRY_COUNT_OFFSET));
    }

    /** Pool offset of the record's header. */
    public long recordOffset() {
        return start;
    }

    /** Moves to the next entry; false behind the last one. */
    public boolean next() {
        if (left == 0) {
            return false;
        }
        entry = next;
        if (entry + LogEntryLayout.HEADER_BYTES > end) {
            throw new PoolCorruptException("end of log record entry", entry, end, entry + LogEntryLayout.HEADER_BYTES);
        }
        int length = lengthBytes();
        long room = end - entry - LogEntryLayout.HEADER_BYTES;
        if (length < 0 || length > room) {
            throw new PoolCorruptException("length of log record entry", entry, room, length);
        }
        next = entry + LogEntryLayout.HEADER_BYTES + Bits.roundUp(length, LogEntryLayout.ALIGNMENT_BYTES);
        left--;
        int kind = kind();
        if (kind != LogEntryLayout.KIND_UPDATE && kind != LogEntryLayout.KIND_PAYLOAD) {
            throw new PoolCorruptException("kind of log record entry", entry, LogEntryLayout.KIND_UPDATE, kind);
        }
        return true;
    }

    private int kind() {
        return Short.toUnsignedInt(memory.get(SHORT, entry + LogEntryLayout.KIND_OFFSET));
    }

    /** Whether the current entry is the user's; else it is an update, already stored when a visitor sees it. */
    public boolean isPayload() {
        return kind() == LogEntryLayout.KIND_PAYLOAD;
    }

    /** Tag of the current payload. */
    public int tag() {
        return Short.toUnsignedInt(memory.get(SHORT, entry + LogEntryLayout.TAG_OFFSET));
    }

    /** Where the current update goes. */
    public long poolOffset() {
        return memory.get(LONG, entry + LogEntryLayout.POOL_OFFSET_OFFSET);
    }

    /** Length of the current entry's bytes. */
    public int lengthBytes() {
        return memory.get(INT, entry + LogEntryLayout.LENGTH_BYTES_OFFSET);
    }

    /** Pool offset of the current entry's bytes. */
    public long dataOffset() {
        return entry + LogEntryLayout.HEADER_BYTES;
    }

    /** The current entry's bytes, as a read-only slice of the log: copy what has to outlive the visit. */
    public MemorySegment data() {
        return memory.asSlice(dataOffset(), lengthBytes()).asReadOnly();
    }

    static int entryHeaderBytes() {
        return LogEntryLayout.HEADER_BYTES;
    }

    static int entryLength(MemorySegment source, long entryOffset) {
        return source.get(INT, entryOffset + LogEntryLayout.LENGTH_BYTES_OFFSET);
    }

    static boolean entryIsUpdate(MemorySegment source, long entryOffset) {
        return source.get(SHORT, entryOffset + LogEntryLayout.KIND_OFFSET) == LogEntryLayout.KIND_UPDATE;
    }

    static long entryTarget(MemorySegment source, long entryOffset) {
        return source.get(LONG, entryOffset + LogEntryLayout.POOL_OFFSET_OFFSET);
    }
}
