package org.octofs.tests.simulation.net;

import java.net.InetSocketAddress;
import org.octofs.rpc.fabric.ConnectionAcceptor;
import org.octofs.rpc.fabric.Listener;

/** A bound address of the simulation. */
record SimListener(SimFabric fabric, InetSocketAddress address, SimQueue queue, ConnectionAcceptor acceptor)
        implements Listener {
    @Override
    public void close() {
        fabric.network().unbind(address, this);
    }
}
