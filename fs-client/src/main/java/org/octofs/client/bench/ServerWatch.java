package org.octofs.client.bench;

import java.util.ArrayList;
import java.util.List;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.rpc.RpcException;

/** Asks all servers of a cluster what they have done. One thread. */
final class ServerWatch implements AutoCloseable {
    private final List<NullCaller> callers = new ArrayList<>();

    ServerWatch(ClusterMap map, TransportChoice transport) throws FabricException, RpcException {
        boolean complete = false;
        try {
            for (int node = 0; node < map.nodeCount(); node++) {
                callers.add(new NullCaller(map, node, transport));
            }
            complete = true;
        } finally {
            if (!complete) {
                close();
            }
        }
    }

    /** Of all nodes together. */
    ServerCounts counts() throws RpcException {
        ServerCounts sum = ServerCounts.ZERO;
        for (NullCaller caller : callers) {
            sum = sum.plus(caller.counts());
        }
        return sum;
    }

    @Override
    public void close() throws RpcException {
        RpcException first = null;
        for (NullCaller caller : callers) {
            try {
                caller.close();
            } catch (RpcException e) {
                first = first == null ? e : first;
            }
        }
        callers.clear();
        if (first != null) {
            throw first;
        }
    }
}
