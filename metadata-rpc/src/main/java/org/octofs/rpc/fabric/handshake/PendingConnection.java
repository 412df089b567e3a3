package org.octofs.rpc.fabric.handshake;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.transport.AbstractConnection;

/** A connection whose handshake is under way. Giving it up is closing {@link #connection}. Threading: one at a time. */
public interface PendingConnection {
    /** The connection, not open yet. */
    AbstractConnection connection();

    /** What to tell the other half, at most {@link Transport#PARAMETERS_BYTES_MAX}. */
    byte[] parameters();

    /**
     * Connecting side: the other half's parameters.
     *
     * @throws FabricException when it cannot work after all; AUTO then tries the next transport
     */
    void complete(byte[] peerParameters) throws FabricException;

    /**
     * Both sides, after the connection was opened and the handshake's last frame was read or written: the socket is the
     * connection's from now on, with nothing unread before the peer's first own byte. TCP_NODELAY is set; the blocking
     * mode is unspecified; it is registered with no selector. When the connection has failed or been closed meanwhile,
     * the socket is to be closed.
     */
    void adopt(SocketChannel socket) throws IOException;
}
