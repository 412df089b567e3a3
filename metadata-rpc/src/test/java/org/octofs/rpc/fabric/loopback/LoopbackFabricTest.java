package org.octofs.rpc.fabric.loopback;

import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricConfig;
import org.octofs.rpc.fabric.FabricContract;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.fabric.TransportKind;

/** The contract on a threaded loopback network. */
final class LoopbackFabricTest extends FabricContract {
    private final LoopbackNetwork network = LoopbackNetwork.threaded();

    @Override
    protected Fabric createFabric(FabricConfig config) {
        return network.createFabric(config);
    }

    @Override
    protected TransportChoice choice() {
        return TransportChoice.AUTO;
    }

    @Override
    protected TransportKind kind() {
        return TransportKind.LOOPBACK;
    }
}
