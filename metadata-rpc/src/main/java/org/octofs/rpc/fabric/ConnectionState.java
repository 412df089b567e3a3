package org.octofs.rpc.fabric;

/** Life of a connection; it only moves down this list. */
public enum ConnectionState {
    /** The handshake is under way. */
    CONNECTING,
    /** Usable. */
    OPEN,
    /** Failed as a whole; nothing posted any more. Close it. */
    FAILED,
    /** Closed by this side. */
    CLOSED
}
