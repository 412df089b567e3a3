package org.octofs.rpc.fabric.verbs;

import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.TransportKind;
import org.octofs.rpc.fabric.handshake.Transport;
import org.octofs.rpc.fabric.handshake.TransportContext;
import org.octofs.rpc.fabric.handshake.TransportProvider;

/** Makes the verbs transport known to {@link java.util.ServiceLoader}. */
public final class VerbsTransportProvider implements TransportProvider {
    @Override
    public TransportKind kind() {
        return TransportKind.VERBS;
    }

    @Override
    public Transport start(TransportContext context) throws FabricException {
        return VerbsTransport.start(context);
    }
}
