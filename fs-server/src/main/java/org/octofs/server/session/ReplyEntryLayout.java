package org.octofs.server.session;

/**
 * Outcome of the last changing request of one slot of a session. Little-endian, 64 bytes. Written inside the redo-log record
 * of the change itself, so that change and outcome are one.
 */
public final class ReplyEntryLayout {
    /** u64, identity of the client; an entry of another client is an old one and counts as empty. */
    public static final int CLIENT_ID_OFFSET = 0;

    /** u64, the request. */
    public static final int REQUEST_ID_OFFSET = CLIENT_ID_OFFSET + Long.BYTES;

    /** u32, what was asked for. */
    public static final int OP_CODE_OFFSET = REQUEST_ID_OFFSET + Long.BYTES;

    /** u32, errno that was answered. */
    public static final int STATUS_OFFSET = OP_CODE_OFFSET + Integer.BYTES;

    /** u64, inode number in the answer; its meaning is the operation's. */
    public static final int INO_OFFSET = STATUS_OFFSET + Integer.BYTES;

    /** u64, a second number of the operation. */
    public static final int EXTRA_OFFSET = INO_OFFSET + Long.BYTES;

    /** u64, zero. */
    public static final int RESERVED_OFFSET = EXTRA_OFFSET + Long.BYTES;

    /** u32, the slot. */
    public static final int SLOT_OFFSET = RESERVED_OFFSET + Long.BYTES;

    /** u64, zero. */
    public static final int RESERVED_2_OFFSET = SLOT_OFFSET + Integer.BYTES;

    /** u32, CRC32C of the bytes before it. */
    public static final int CHECKSUM_OFFSET = RESERVED_2_OFFSET + Long.BYTES;

    /** Bytes of an entry. */
    public static final int SIZE_BYTES = CHECKSUM_OFFSET + Integer.BYTES;

    private ReplyEntryLayout() {}
}
