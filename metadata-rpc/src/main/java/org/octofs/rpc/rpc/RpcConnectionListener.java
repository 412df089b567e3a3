package org.octofs.rpc.rpc;

import org.octofs.rpc.fabric.Connection;

/** Learns of the connections that an {@link RpcClient} makes and loses, for one-sided work on the same connection. */
public interface RpcConnectionListener {
    /** Does nothing. */
    RpcConnectionListener NONE = new RpcConnectionListener() {
        @Override
        public void onConnected(Connection connection, byte[] helloReply) {}

        @Override
        public void onLost(Connection connection) {}
    };

    /**
     * A connection stands; no call has been sent over it yet. Called by the client's connecting thread.
     *
     * @param helloReply what the server's handler answered to the hello (its exported regions, say)
     */
    void onConnected(Connection connection, byte[] helloReply);

    /** The connection is gone, and another one will be tried. Called by the thread that polls. Must not block. */
    void onLost(Connection connection);
}
