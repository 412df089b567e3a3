package org.octofs.server.session;

/**
 * Head of a session's part of the SESSION_TABLE zone. Little-endian, 64 bytes; followed by {@link #SLOT_COUNT} entries of
 * {@link ReplyEntryLayout}. Changed only inside a redo-log record; free when the magic word is 0.
 */
public final class SessionHeaderLayout {
    /** u64, identity of the client. */
    public static final int CLIENT_ID_OFFSET = 0;

    /** u32, {@link #MAGIC}; 0 = free. */
    public static final int MAGIC_OFFSET = CLIENT_ID_OFFSET + Long.BYTES;

    /** u32, process id of a client that has mapped the pool (shm); 0 = it has not, and the four fields behind CREATED are 0. */
    public static final int PROCESS_ID_OFFSET = MAGIC_OFFSET + Integer.BYTES;

    /** i64, when the session began, seconds since 1970. */
    public static final int CREATED_SEC_OFFSET = PROCESS_ID_OFFSET + Integer.BYTES;

    /** u64, upper half of the boot id of the client's host. */
    public static final int BOOT_ID_HIGH_OFFSET = CREATED_SEC_OFFSET + Long.BYTES;

    /** u64, lower half of it. */
    public static final int BOOT_ID_LOW_OFFSET = BOOT_ID_HIGH_OFFSET + Long.BYTES;

    /** u64, inode of the namespace that the process id counts in. */
    public static final int PROCESS_NAMESPACE_OFFSET = BOOT_ID_LOW_OFFSET + Long.BYTES;

    /** u64, when the process started, in clock ticks since the boot. */
    public static final int PROCESS_START_OFFSET = PROCESS_NAMESPACE_OFFSET + Long.BYTES;

    /** 4 bytes, zero. */
    public static final int RESERVED_OFFSET = PROCESS_START_OFFSET + Long.BYTES;

    /** u32, CRC32C of the bytes before it. */
    public static final int CHECKSUM_OFFSET = RESERVED_OFFSET + Integer.BYTES;

    /** Bytes of a header. */
    public static final int SIZE_BYTES = CHECKSUM_OFFSET + Integer.BYTES;

    /** "SESS" as stored. */
    public static final int MAGIC = 0x53534553;

    /** Slots of a session whose outcomes are kept; a client may use no more. */
    public static final int SLOT_COUNT = 64;

    /** Bytes of a session with its entries. */
    public static final int SESSION_BYTES = SIZE_BYTES + SLOT_COUNT * ReplyEntryLayout.SIZE_BYTES;

    private SessionHeaderLayout() {}
}
