package org.octofs.rpc.fabric.verbs;

import org.junit.jupiter.api.Tag;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricConfig;
import org.octofs.rpc.fabric.FabricContract;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.FabricFactory;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.fabric.TransportKind;

/** The contract on verbs, both fabrics in this process. */
@Tag("verbs")
final class VerbsFabricTest extends FabricContract {
    @Override
    protected Fabric createFabric(FabricConfig config) throws FabricException {
        return FabricFactory.create(config);
    }

    @Override
    protected TransportChoice choice() {
        return TransportChoice.VERBS;
    }

    @Override
    protected TransportKind kind() {
        return TransportKind.VERBS;
    }
}
