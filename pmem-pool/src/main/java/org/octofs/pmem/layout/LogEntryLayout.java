package org.octofs.pmem.layout;

/**
 * Header of an entry of a log record; the entry's bytes follow, padded with zeros to a multiple of 8. Little-endian, 16
 * bytes, 8-byte aligned, covered by the record's checksum.
 *
 * <pre>
 *  0    2   4      8            16
 *  |kind|tag|length| pool offset| bytes ...
 * </pre>
 */
public final class LogEntryLayout {
    /** u16, {@link #KIND_UPDATE} or {@link #KIND_PAYLOAD}. */
    public static final int KIND_OFFSET = 0;
    /** u16, the user's tag of a payload; 0 in an update. */
    public static final int TAG_OFFSET = KIND_OFFSET + Short.BYTES;
    /** u32, bytes without header and padding. */
    public static final int LENGTH_BYTES_OFFSET = TAG_OFFSET + Short.BYTES;
    /** u64, where an update goes; 0 in a payload. */
    public static final int POOL_OFFSET_OFFSET = LENGTH_BYTES_OFFSET + Integer.BYTES;

    public static final int HEADER_BYTES = POOL_OFFSET_OFFSET + Long.BYTES;
    public static final int ALIGNMENT_BYTES = 8;

    /** Bytes to be stored in this pool. */
    public static final int KIND_UPDATE = 1;
    /** Bytes that mean something to the user only. */
    public static final int KIND_PAYLOAD = 2;

    private LogEntryLayout() {}
}
