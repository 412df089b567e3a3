package org.octofs.rpc.rpc;

import org.octofs.rpc.fabric.TransportChoice;

/** Calls by shm. */
class ShmRpcTest extends RpcContract {
    @Override
    RpcWorld.Wires wires() {
        return new NetworkWires(TransportChoice.SHM);
    }
}
