package org.octofs.tests.crash;

import org.octofs.rpc.fabric.loopback.LoopbackConnection;
import org.octofs.rpc.fabric.loopback.LoopbackScheduler;

/** Lets every verb take effect while it is posted: what is acknowledged is known at the moment it is sent. */
final class EagerScheduler implements LoopbackScheduler {
    @Override
    public void posted(LoopbackConnection connection) {
        connection.executeNext();
    }

    @Override
    public boolean step() {
        return false;
    }
}
