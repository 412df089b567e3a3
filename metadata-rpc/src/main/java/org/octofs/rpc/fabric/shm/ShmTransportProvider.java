package org.octofs.rpc.fabric.shm;

import org.octofs.rpc.fabric.TransportKind;
import org.octofs.rpc.fabric.handshake.Transport;
import org.octofs.rpc.fabric.handshake.TransportContext;
import org.octofs.rpc.fabric.handshake.TransportProvider;

/** Makes the shm transport known to {@link java.util.ServiceLoader}. */
public final class ShmTransportProvider implements TransportProvider {
    @Override
    public TransportKind kind() {
        return TransportKind.SHM;
    }

    @Override
    public Transport start(TransportContext context) {
        return new ShmTransport(context);
    }
}
