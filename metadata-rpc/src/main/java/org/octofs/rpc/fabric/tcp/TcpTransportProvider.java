package org.octofs.rpc.fabric.tcp;

import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.TransportKind;
import org.octofs.rpc.fabric.handshake.Transport;
import org.octofs.rpc.fabric.handshake.TransportContext;
import org.octofs.rpc.fabric.handshake.TransportProvider;

/** Makes the tcp transport known to {@link java.util.ServiceLoader}. */
public final class TcpTransportProvider implements TransportProvider {
    @Override
    public TransportKind kind() {
        return TransportKind.TCP;
    }

    @Override
    public Transport start(TransportContext context) throws FabricException {
        return new TcpTransport(context);
    }
}
