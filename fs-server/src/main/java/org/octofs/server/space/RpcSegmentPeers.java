package org.octofs.server.space;

import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.octofs.rpc.rpc.RpcCall;
import org.octofs.rpc.rpc.RpcClient;
import org.octofs.rpc.rpc.RpcException;

/**
 * Calls about segments over the connections to the other servers.
 *
 * <p>Threading: confined to the server's worker; completions come from its poll. Limits: one call per node at a time (by its
 * user), so claiming a slot never waits as long as the connection has more slots than that.
 */
public final class RpcSegmentPeers implements SegmentPeers {
    /** Giving a segment is a log record or two: who has not answered by then is down or busy recovering. */
    private static final long CALL_NANOS = 2_000_000_000L;

    private final IntFunction<RpcClient> clients;
    private final LongSupplier clock;

    /**
     * @param clients client by node, null for none
     * @param clock the fabric's clock, nanoseconds
     */
    public RpcSegmentPeers(IntFunction<RpcClient> clients, LongSupplier clock) {
        this.clients = clients;
        this.clock = clock;
    }

    @Override
    public boolean call(int node, int opCode, int bodyBytesMax, Filler filler, Completion completion) {
        RpcClient client = clients.apply(node);
        if (client == null || !client.isConnected()) {
            return false;
        }
        RpcCall call;
        try {
            call = client.begin(opCode, bodyBytesMax, clock.getAsLong() + CALL_NANOS);
        } catch (RpcException e) {
            return false;
        }
        call.sendAsync(filler.fill(call.request()), (finished, failure) -> complete(finished, failure, completion));
        return true;
    }

    private static void complete(RpcCall call, RpcException failure, Completion completion) {
        try {
            if (failure != null) {
                completion.completed(UNKNOWN, null);
            } else {
                completion.completed(call.errno(), call.errno() == 0 ? call.reply() : null);
            }
        } finally {
            call.close();
        }
    }
}
