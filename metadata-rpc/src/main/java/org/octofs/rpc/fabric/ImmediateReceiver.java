package org.octofs.rpc.fabric;

/** Gets what arrives on a connection. */
@FunctionalInterface
public interface ImmediateReceiver {
    /**
     * An immediate has arrived; the data written with it, and everything posted before it on the connection, is visible.
     * Called inside {@link ReceiveQueue#poll}. May post and grant; must not block and must not throw (a throw fails the
     * connection).
     */
    void onImmediate(Connection connection, int immediate);
}
