package org.octofs.rpc.fabric.handshake;

/**
 * Every message of the handshake, and of the control channel of a shm connection afterwards, is one frame. Little-endian.
 *
 * <pre>
 *  0  magic u32       the bytes "OFAB"
 *  4  version u16     of the handshake
 *  6  type u16        {@link FrameType}
 *  8  body bytes u32  at most BODY_BYTES_MAX
 * 12  checksum u32    CRC32C of [0, 12) and the body
 * 16  body
 * </pre>
 *
 * Magic, version and type keep their places in all versions, so that processes of different versions can tell each other
 * so. Bodies are fixed fields followed by blobs, each {length u16, bytes}:
 *
 * <pre>
 * HELLO   compatible u32, incompatible u32, boot id u64 u64, process id namespace u64, pid u64, start ticks u64,
 *         name blob, private data blob, offer count u16, per offer: transport code u16, parameters blob
 * ACCEPT  compatible u32, incompatible u32, boot id u64 u64, process id namespace u64, pid u64, start ticks u64,
 *         name blob, private data blob, transport code u16, parameters blob
 * REJECT  reason code u16, text blob
 * GRANT   rkey u64, access bits u32, reserved u32 (0), length u64, file offset u64, instance u64, path blob
 * REVOKE  region index u32, reserved u32 (0), instance u64
 * BYE     empty: the sender closes the connection on purpose
 * </pre>
 */
public final class FrameLayout {
    /** The bytes "OFAB". */
    public static final int MAGIC = 0x4241_464F;

    /** Version of the handshake. */
    public static final int VERSION = 1;

    /** Features that a peer without them may ignore. */
    public static final int COMPATIBLE_FEATURES = 0;

    /** Features that a peer without them must refuse. */
    public static final int INCOMPATIBLE_FEATURES = 0;

    /** u32. */
    public static final int MAGIC_OFFSET = 0;

    /** u16. */
    public static final int VERSION_OFFSET = MAGIC_OFFSET + Integer.BYTES;

    /** u16. */
    public static final int TYPE_OFFSET = VERSION_OFFSET + Short.BYTES;

    /** u32. */
    public static final int BODY_BYTES_OFFSET = TYPE_OFFSET + Short.BYTES;

    /** u32. */
    public static final int CHECKSUM_OFFSET = BODY_BYTES_OFFSET + Integer.BYTES;

    /** Size of what precedes the body. */
    public static final int HEADER_BYTES = CHECKSUM_OFFSET + Integer.BYTES;

    /** Longest body. */
    public static final int BODY_BYTES_MAX = 8192;

    private FrameLayout() {}
}
