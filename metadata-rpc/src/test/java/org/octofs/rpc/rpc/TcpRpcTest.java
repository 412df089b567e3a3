package org.octofs.rpc.rpc;

import org.octofs.rpc.fabric.TransportChoice;

/** Calls by tcp. */
class TcpRpcTest extends RpcContract {
    @Override
    RpcWorld.Wires wires() {
        return new NetworkWires(TransportChoice.TCP);
    }
}
