package org.octofs.rpc.rpc;

/** Calls in one process. */
class LoopbackRpcTest extends RpcContract {
    @Override
    RpcWorld.Wires wires() {
        return new LoopbackWires();
    }
}
