package org.octofs.rpc.fabric.handshake;

import org.octofs.rpc.fabric.PeerProcess;
import org.octofs.rpc.fabric.host.ProcessIdentity;

/**
 * The process at the other end, as it introduced itself.
 *
 * @param name what it calls itself
 * @param identity its identity on its host
 * @param isSameHost whether its process id counts here
 */
record RemoteProcess(String name, ProcessIdentity identity, boolean isSameHost) implements PeerProcess {
    @Override
    public long pid() {
        return identity.pid();
    }

    @Override
    public boolean isKnownDead() {
        return isSameHost && identity.isGone();
    }
}
