package org.octofs.rpc.fabric;

import org.octofs.rpc.fabric.host.ProcessIdentity;

/**
 * Which process the other end is.
 *
 * <p>Threading: any.
 */
public interface PeerProcess {
    /** Name that the peer gave itself in its {@link FabricConfig}, for messages. */
    String name();

    /** True when the peer runs on this host, in this process-id namespace. */
    boolean isSameHost();

    /** Process id on the peer's host. */
    long pid();

    /** Its identity for somebody who remembers it longer than the connection; null if it has none. */
    default ProcessIdentity identity() {
        return null;
    }

    /**
     * True when the process is certainly gone: it was on this host and no process with its id and start time exists any
     * more. False means nothing (the peer may be on another host).
     */
    boolean isKnownDead();
}
