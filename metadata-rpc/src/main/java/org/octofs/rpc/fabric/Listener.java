package org.octofs.rpc.fabric;

import java.net.InetSocketAddress;

/** A bound address. Threading: any. */
public interface Listener extends AutoCloseable {
    /** The address, with the real port when 0 was asked for. */
    InetSocketAddress address();

    /** Stops accepting; connections that exist stay. Idempotent. */
    @Override
    void close();
}
