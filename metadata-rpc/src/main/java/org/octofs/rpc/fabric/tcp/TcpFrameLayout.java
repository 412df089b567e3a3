package org.octofs.rpc.fabric.tcp;

/**
 * After the handshake a socket carries frames in both directions, each a header and, for some types, a payload.
 * Little-endian.
 *
 * <pre>
 *  0  type u8
 *  1  flags u8
 *  2  reserved u16 (0)
 *  4  length u32       bytes of payload; for READ the bytes asked for
 *  8  done u32         requests of the receiver that are complete: the count since the start, modulo 2^32
 * 12  value u32        WRITE with FLAG_IMMEDIATE: the immediate. ERROR: one of the ERROR_ values
 * 16  rkey u64         WRITE, READ
 * 24  offset u64       WRITE, READ: where in the region
 * 32  payload          WRITE, DATA
 * </pre>
 *
 * WRITE and READ are requests. They are executed in the order sent; a request longer than {@link #CHUNK_BYTES} comes in
 * several WRITE frames, and is answered in several DATA frames, of which the last one has FLAG_LAST. {@code done} never
 * counts a READ before its last DATA frame. NOTHING carries only its {@code done}, or asks for one by FLAG_ACK_NOW. After
 * ERROR the sender sends and executes nothing any more; it is about the request after those that are done.
 *
 * <p>A WRITE is not sent before all but {@link #UNANSWERED_BYTES_MAX} of the bytes asked for by READs before it have come. The
 * peer can then set the rest aside and execute the WRITE whatever its own output does; so both ends always read on, and full
 * sockets in both directions are no deadlock.
 */
final class TcpFrameLayout {
    static final int TYPE_OFFSET = 0;
    static final int FLAGS_OFFSET = TYPE_OFFSET + Byte.BYTES;
    static final int RESERVED_OFFSET = FLAGS_OFFSET + Byte.BYTES;
    static final int LENGTH_OFFSET = RESERVED_OFFSET + Short.BYTES;
    static final int DONE_OFFSET = LENGTH_OFFSET + Integer.BYTES;
    static final int VALUE_OFFSET = DONE_OFFSET + Integer.BYTES;
    static final int RKEY_OFFSET = VALUE_OFFSET + Integer.BYTES;
    static final int OFFSET_OFFSET = RKEY_OFFSET + Long.BYTES;
    static final int HEADER_BYTES = OFFSET_OFFSET + Long.BYTES;

    static final int WRITE = 1;
    static final int READ = 2;
    static final int DATA = 3;
    static final int NOTHING = 4;
    static final int ERROR = 5;

    /** The request or its data end with this frame. */
    static final int FLAG_LAST = 1;

    /** The sender waits: answer with the count of requests done, even if nothing else is to be sent. */
    static final int FLAG_ACK_NOW = 1 << 1;

    /** Deliver the value as an immediate when the request is executed. */
    static final int FLAG_IMMEDIATE = 1 << 2;

    /** Value of an ERROR: the memory is not granted for this. */
    static final int ERROR_ACCESS = 1;

    /** Value of an ERROR: the range is not inside the region. */
    static final int ERROR_BOUNDS = 2;

    /** Longest payload of one frame. Between two frames the other side's answers get their turn. */
    static final int CHUNK_BYTES = 1 << 20;

    /** So many bytes of READs may be unanswered when a WRITE is sent after them. */
    static final int UNANSWERED_BYTES_MAX = CHUNK_BYTES;

    /** Payloads up to this length are copied through a buffer, so that many frames share a system call. */
    static final int SMALL_BYTES = 16 << 10;

    /** Length of those buffers. */
    static final int BUFFER_BYTES = 64 << 10;

    static {
        if (BUFFER_BYTES < 2 * (HEADER_BYTES + SMALL_BYTES)) {
            throw new IllegalStateException("the buffers are too small for a small frame");
        }
    }

    private TcpFrameLayout() {}
}
