package org.octofs.rpc.rpc;

import org.junit.jupiter.api.Tag;
import org.octofs.rpc.fabric.TransportChoice;

/**
 * Calls by verbs. The guest's JVM has the simple compiler only, which leaves a small object behind at a native call; so what is
 * looked for there is a few objects per call, not one.
 */
@Tag("verbs")
final class VerbsRpcTest extends RpcContract {
    @Override
    RpcWorld.Wires wires() {
        return new NetworkWires(TransportChoice.VERBS);
    }

    @Override
    int allocationWarmUpCalls() {
        return 2_000;
    }

    @Override
    long allocationLimitBytes() {
        return 200;
    }
}
