package org.octofs.rpc.protocol;

/**
 * The first 64 bytes of every message, request and reply. Little-endian, 8-byte aligned in its slot.
 *
 * <pre>
 *  0        4      6      8         12       16        24         32          36             60
 *  +--------+------+------+---------+--------+---------+----------+-----------+--------------+----------+
 *  | length |opCode|flags |mapEpoch | status | client  | request  | time left | reserved (0) | checksum |
 *  +--------+------+------+---------+--------+---------+----------+-----------+--------------+----------+
 * </pre>
 *
 * Written by the sender before the message is posted, never changed afterwards; the body follows at once.
 */
public final class MessageHeaderLayout {
    /** u32, bytes of the whole message, header included; at least {@link #SIZE_BYTES}, at most the slot. */
    public static final int LENGTH_BYTES_OFFSET = 0;

    /** u16, what is asked for; a reply repeats it. 0 is taken by the RPC layer itself. */
    public static final int OP_CODE_OFFSET = LENGTH_BYTES_OFFSET + Integer.BYTES;

    /** u16, the {@code FLAG_} bits; unknown bits are refused. */
    public static final int FLAGS_OFFSET = OP_CODE_OFFSET + Short.BYTES;

    /** u32, epoch of the cluster map the sender acts on; 0 = sender knows no map. In a reply: the server's epoch. */
    public static final int MAP_EPOCH_OFFSET = FLAGS_OFFSET + Short.BYTES;

    /** u32, {@link Errno#value} of the outcome in a reply, 0 = success; 0 in a request. */
    public static final int STATUS_OFFSET = MAP_EPOCH_OFFSET + Integer.BYTES;

    /** u64, identity of the client for the life of its process; a reply repeats it. */
    public static final int CLIENT_ID_OFFSET = STATUS_OFFSET + Integer.BYTES;

    /** u64, unique to the client and strictly increasing in a slot; a resend and the reply repeat it. */
    public static final int REQUEST_ID_OFFSET = CLIENT_ID_OFFSET + Long.BYTES;

    /** u32, milliseconds until the caller gives up, counted from the moment of sending; 0 in a reply. */
    public static final int TIME_LEFT_MILLIS_OFFSET = REQUEST_ID_OFFSET + Long.BYTES;

    /** Zero; checked. */
    public static final int RESERVED_OFFSET = TIME_LEFT_MILLIS_OFFSET + Integer.BYTES;

    public static final int RESERVED_LENGTH_BYTES = 24;

    /** u32, CRC32C of the header's bytes before this field. */
    public static final int CHECKSUM_OFFSET = RESERVED_OFFSET + RESERVED_LENGTH_BYTES;

    public static final int SIZE_BYTES = CHECKSUM_OFFSET + Integer.BYTES;

    /** The body starts here. */
    public static final int BODY_OFFSET = SIZE_BYTES;

    /** Set in every reply. */
    public static final int FLAG_REPLY = 1;

    /** The request may have been received before, on an earlier connection. */
    public static final int FLAG_RESEND = 1 << 1;

    /** Request: the caller has given up; answer from the cache or say ECANCELED, but start nothing. */
    public static final int FLAG_ABANDONED = 1 << 2;

    /** Belongs to the RPC layer (size of slots), not to a handler. */
    public static final int FLAG_CONTROL = 1 << 3;

    /** All flags there are. */
    public static final int FLAGS_KNOWN = FLAG_REPLY | FLAG_RESEND | FLAG_ABANDONED | FLAG_CONTROL;

    private MessageHeaderLayout() {}
}
