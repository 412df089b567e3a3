package org.octofs.rpc.fabric;

import java.io.Serial;

/** Something between this process and a peer failed. The message is written for the user of the command line. */
public final class FabricException extends Exception {
    @Serial
    private static final long serialVersionUID = 1L;

    /** Kind of failure, for those who decide whether to try again. */
    public enum Reason {
        /** Nobody listens at the address, or the network does not reach it. Try again later. */
        UNREACHABLE,
        /** The peer answered and refused; the message holds its words. */
        REFUSED,
        /** The peer is no OctoFS process, or one of another protocol version. */
        INCOMPATIBLE,
        /** No transport works between both ends. */
        NO_TRANSPORT,
        /** The deadline passed. For a posted request the outcome is unknown. */
        TIMEOUT,
        /** The connection failed; requests that were outstanding have an unknown outcome. */
        CONNECTION_FAILED,
        /** The peer does not grant the memory, or the range is outside of it. The connection has failed. */
        REMOTE_ERROR,
        /** Local memory or descriptors ran out. */
        RESOURCES,
        /** The fabric or the connection has been closed on this side. */
        CLOSED
    }

    private final Reason reason;

    /** A failure in words for the user. */
    public FabricException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    /** A failure in words for the user, and what the system said. */
    public FabricException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /** Kind of failure. */
    public Reason reason() {
        return reason;
    }
}
