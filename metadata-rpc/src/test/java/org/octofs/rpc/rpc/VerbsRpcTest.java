package org.octofs.rpc.rpc;

import org.junit.jupiter.api.Tag;
import org.octofs.rpc.fabric.TransportChoice;

/** The RPC over verbs. */
@Tag("verbs")
final class VerbsRpcTest extends RpcContract {
    @Override
    RpcWorld.Wires wires() {
        return new NetworkWires(TransportChoice.VERBS);
    }
}
