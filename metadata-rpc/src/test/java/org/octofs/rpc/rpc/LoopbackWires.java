package org.octofs.rpc.rpc;

import java.util.EnumSet;
import java.util.concurrent.ThreadLocalRandom;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricConfig;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.fabric.TransportKind;
import org.octofs.rpc.fabric.loopback.LoopbackNetwork;

/** Fabrics on a network inside this process whose connections a test can break. */
final class LoopbackWires implements RpcWorld.Wires {
    private final LoopbackNetwork network = LoopbackNetwork.threaded();

    @Override
    public Fabric createFabric(String name) {
        return network.createFabric(FabricConfig.defaults(
                        name,
                        System::nanoTime,
                        () -> ThreadLocalRandom.current().nextLong(),
                        Thread.ofPlatform().daemon().factory())
                .withTransports(EnumSet.of(TransportKind.LOOPBACK)));
    }

    void fail(Connection connection) {
        network.fail(connection, "broken by the test");
    }

    @Override
    public TransportChoice choice() {
        return TransportChoice.LOOPBACK;
    }

    @Override
    public void close() {
        // The fabrics are closed by the world.
    }
}
