package org.octofs.rpc.fabric.tcp;

import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.fabric.TwoProcessContract;

/** tcp between two JVMs. */
final class TcpTwoProcessTest extends TwoProcessContract {
    @Override
    protected TransportChoice choice() {
        return TransportChoice.TCP;
    }
}
