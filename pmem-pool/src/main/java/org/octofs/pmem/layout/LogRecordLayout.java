package org.octofs.pmem.layout;

/**
 * Header of a record in the ring of the redo log. Little-endian; a record is a multiple of 64 bytes, 64-byte aligned in the
 * ring, never split over its end. Written once with all its entries behind it; the checksum over the whole is the commit
 * word, so that one fence commits.
 *
 * <pre>
 *  0        4      8          16          20     22     24       32      36      40                 48       64
 *  |checksum|length| sequence |incarnation| type | count| txn id | shard | flags | original sequence | zero   |
 * </pre>
 *
 * A chain of records is valid as far as each has the next sequence number, an incarnation not lower than the one before, a
 * sane length and the right checksum.
 */
public final class LogRecordLayout {
    /** u32, CRC32C of bytes [4, length). */
    public static final int CHECKSUM_OFFSET = 0;
    /** u32, bytes of header and entries together, a multiple of {@link #ALIGNMENT_BYTES}. */
    public static final int LENGTH_BYTES_OFFSET = CHECKSUM_OFFSET + Integer.BYTES;
    /** u64, place in the order of all records of this log, from 1. */
    public static final int SEQUENCE_OFFSET = LENGTH_BYTES_OFFSET + Integer.BYTES;
    /** u32, incarnation of the pool that wrote the record. */
    public static final int INCARNATION_OFFSET = SEQUENCE_OFFSET + Long.BYTES;
    /** u16, the user's kind of record; 0 in a wrap record. */
    public static final int TYPE_OFFSET = INCARNATION_OFFSET + Integer.BYTES;
    /** u16, number of entries. */
    public static final int ENTRY_COUNT_OFFSET = TYPE_OFFSET + Short.BYTES;
    /** u64, the user's transaction id. */
    public static final int TXN_ID_OFFSET = ENTRY_COUNT_OFFSET + Short.BYTES;
    /** u32, the user's shard. */
    public static final int SHARD_OFFSET = TXN_ID_OFFSET + Long.BYTES;
    /** u32, bits below. */
    public static final int FLAGS_OFFSET = SHARD_OFFSET + Integer.BYTES;
    /** u64, sequence number under which the record was first committed; differs from sequence in carried copies. */
    public static final int ORIGINAL_SEQUENCE_OFFSET = FLAGS_OFFSET + Integer.BYTES;
    /** Zero. */
    public static final int RESERVED_OFFSET = ORIGINAL_SEQUENCE_OFFSET + Long.BYTES;

    public static final int HEADER_BYTES = 64;
    public static final int ALIGNMENT_BYTES = 64;

    /** Nothing up to the end of the ring: the next record is at its start. */
    public static final int FLAG_WRAP = 1;
    /** A copy of a retained record, of its payloads only. */
    public static final int FLAG_CARRIED = 2;
    /** Made durable by the same fence as the record before it, so it may be there when that one is not. */
    public static final int FLAG_GROUPED = 4;

    private LogRecordLayout() {}
}
