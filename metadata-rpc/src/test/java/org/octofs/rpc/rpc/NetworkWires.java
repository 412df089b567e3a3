package org.octofs.rpc.rpc;

import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.FabricFactory;
import org.octofs.rpc.fabric.TestFabricConfig;
import org.octofs.rpc.fabric.TransportChoice;

/** Real fabrics in this process, talking by one transport. */
final class NetworkWires implements RpcWorld.Wires {
    private final TransportChoice choice;

    NetworkWires(TransportChoice choice) {
        this.choice = choice;
    }

    @Override
    public Fabric createFabric(String name) {
        try {
            return FabricFactory.create(TestFabricConfig.named(name));
        } catch (FabricException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public TransportChoice choice() {
        return choice;
    }

    @Override
    public void close() {
        // The fabrics are closed by the world.
    }
}
