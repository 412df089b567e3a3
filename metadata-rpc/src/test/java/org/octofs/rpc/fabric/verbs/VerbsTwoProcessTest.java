package org.octofs.rpc.fabric.verbs;

import org.junit.jupiter.api.Tag;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.fabric.TwoProcessContract;

/** verbs between two JVMs. */
@Tag("verbs")
final class VerbsTwoProcessTest extends TwoProcessContract {
    @Override
    protected TransportChoice choice() {
        return TransportChoice.VERBS;
    }
}
