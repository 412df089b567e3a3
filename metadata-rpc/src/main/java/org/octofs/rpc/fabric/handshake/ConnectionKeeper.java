package org.octofs.rpc.fabric.handshake;

import org.octofs.rpc.fabric.Listener;
import org.octofs.rpc.fabric.transport.AbstractConnection;

/** Whoever closes at the end what is still open: the fabric. Threading: any. */
public interface ConnectionKeeper {
    /** A connection exists now. */
    void opened(AbstractConnection connection);

    /** A listener is closed. */
    void closed(Listener listener);
}
