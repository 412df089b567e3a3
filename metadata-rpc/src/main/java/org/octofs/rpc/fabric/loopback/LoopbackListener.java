package org.octofs.rpc.fabric.loopback;

import java.io.IOException;
import java.net.InetSocketAddress;
import org.octofs.rpc.fabric.ConnectionAcceptor;
import org.octofs.rpc.fabric.Listener;
import org.octofs.rpc.fabric.transport.ArrivalQueue;

/** A listener of a loopback network. Threading: any. */
final class LoopbackListener implements Listener {
    private final LoopbackFabric fabric;
    private final ArrivalQueue queue;
    private final ConnectionAcceptor acceptor;
    private volatile InetSocketAddress address;

    LoopbackListener(LoopbackFabric fabric, ArrivalQueue queue, ConnectionAcceptor acceptor) {
        this.fabric = fabric;
        this.queue = queue;
        this.acceptor = acceptor;
    }

    void bind(InetSocketAddress wanted) throws IOException {
        address = fabric.network().bind(wanted, this);
    }

    LoopbackFabric fabric() {
        return fabric;
    }

    ArrivalQueue queue() {
        return queue;
    }

    ConnectionAcceptor acceptor() {
        return acceptor;
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public void close() {
        fabric.network().unbind(address, this);
        fabric.forget(this);
    }
}
