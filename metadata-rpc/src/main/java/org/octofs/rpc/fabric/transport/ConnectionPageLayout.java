package org.octofs.rpc.fabric.transport;

/**
 * What one side of a connection tells the other by memory. Each side has its own; for shm the peer maps it read-only.
 * Native byte order; all words naturally aligned.
 *
 * <pre>
 *    0  magic u64
 *    8  version u32
 *   12  region count u32    length of the table of grants
 *   16  token u64, u64      random; proves to the peer that it opened the right memory
 *   32  state u32           0 connecting, 1 open, 2 failed or closed: nothing is granted any more
 * 1024  activity u64 x 16   one per cache line: operations of this side that are running on the peer's memory
 * 4096  grants u64 each     {generation:32 | access bits:32} by region index; 0: not granted to this peer
 * </pre>
 *
 * <p>An operation raises an activity word, then looks at the peer's state and grant; a revoking owner clears the grant,
 * then looks at the peer's activity words. Whichever comes first, either the operation sees that it may not, or the owner
 * sees that it is running.
 */
public final class ConnectionPageLayout {
    /** "OCTOPAGE". */
    public static final long MAGIC = 0x4547_4150_4F54_434FL;

    /** Version of this layout. */
    public static final int VERSION = 1;

    /** u64. */
    public static final int MAGIC_OFFSET = 0;

    /** u32. */
    public static final int VERSION_OFFSET = MAGIC_OFFSET + Long.BYTES;

    /** u32. */
    public static final int REGION_COUNT_OFFSET = VERSION_OFFSET + Integer.BYTES;

    /** u64, u64. */
    public static final int TOKEN_OFFSET = REGION_COUNT_OFFSET + Integer.BYTES;

    /** u32. */
    public static final int STATE_OFFSET = TOKEN_OFFSET + 2 * Long.BYTES;

    /** u64, one per cache line. */
    public static final int ACTIVITY_OFFSET = 1024;

    /** Distance of the activity words. */
    public static final int ACTIVITY_STRIDE_BYTES = 64;

    /** Number of activity words; threads are spread over them. */
    public static final int ACTIVITY_COUNT = 16;

    /** u64 each. */
    public static final int GRANTS_OFFSET = 4096;

    /** Most regions of a process at a time. */
    public static final int REGION_COUNT = 4096;

    /** Size of the page. */
    public static final int SIZE_BYTES = GRANTS_OFFSET + REGION_COUNT * Long.BYTES;

    static final int STATE_CONNECTING = 0;
    static final int STATE_OPEN = 1;
    static final int STATE_CLOSED = 2;

    private ConnectionPageLayout() {}
}
