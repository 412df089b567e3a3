package org.octofs.rpc.fabric.handshake;

/** Kinds of frames; the codes are on the wire. */
public enum FrameType {
    /** First frame of the connecting side. */
    HELLO(1),
    /** The accepting side lets it in. */
    ACCEPT(2),
    /** The accepting side does not, or the connecting side gives up. */
    REJECT(3),
    /** The sender grants a region to the receiver. */
    GRANT(4),
    /** The sender takes a region back. */
    REVOKE(5),
    /** The sender closes on purpose. */
    BYE(6),
    /** The receiver of REVOKE has nothing running on the region any more. */
    REVOKED(7);

    /** Wire code. */
    public final int code;

    FrameType(int code) {
        this.code = code;
    }

    static FrameType ofCode(int code) throws HandshakeException {
        for (FrameType type : values()) {
            if (type.code == code) {
                return type;
            }
        }
        throw new HandshakeException("frame of unknown type " + code);
    }
}
