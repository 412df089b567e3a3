package org.octofs.rpc.fabric.tcp;

import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricConfig;
import org.octofs.rpc.fabric.FabricContract;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.FabricFactory;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.fabric.TransportKind;

/** The contract on tcp, both fabrics in this process. */
final class TcpFabricTest extends FabricContract {
    @Override
    protected Fabric createFabric(FabricConfig config) throws FabricException {
        return FabricFactory.create(config);
    }

    @Override
    protected TransportChoice choice() {
        return TransportChoice.TCP;
    }

    @Override
    protected TransportKind kind() {
        return TransportKind.TCP;
    }
}
