package org.octofs.rpc.fabric;

/** Decides about incoming connections. All methods are called inside {@link ReceiveQueue#poll} of the listener's queue. */
public interface ConnectionAcceptor {
    /** Somebody wants to connect. Must not block; a throw rejects. */
    AcceptDecision onConnect(IncomingConnection incoming);

    /**
     * The accepted connection, before the peer learns that it was accepted: the place to set its receiver and to grant
     * memory to it.
     */
    void onConnected(Connection connection);

    /** An accepted connection has failed; called once, after its last arrival. Close it here. */
    void onFailed(Connection connection);
}
