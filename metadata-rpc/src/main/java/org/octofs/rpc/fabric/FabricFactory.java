package org.octofs.rpc.fabric;

import org.octofs.rpc.fabric.network.NetworkFabric;

/** Makes the fabric of a real process. Simulation makes its fabrics on a loopback network. */
public final class FabricFactory {
    private FabricFactory() {}

    /**
     * A fabric with the configured transports that this machine has.
     *
     * @throws FabricException RESOURCES when the machine lacks what every transport needs
     */
    public static Fabric create(FabricConfig config) throws FabricException {
        return new NetworkFabric(config);
    }
}
