package org.octofs.rpc.fabric.shm;

import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.fabric.TwoProcessContract;

/** shm between two JVMs. */
final class ShmTwoProcessTest extends TwoProcessContract {
    @Override
    protected TransportChoice choice() {
        return TransportChoice.SHM;
    }
}
