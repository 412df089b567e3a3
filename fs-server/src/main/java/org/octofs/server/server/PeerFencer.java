package org.octofs.server.server;

import java.util.Arrays;
import org.agrona.collections.Long2ObjectHashMap;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.rpc.RpcCall;
import org.octofs.rpc.rpc.RpcClient;
import org.octofs.rpc.rpc.RpcException;
import org.octofs.server.ServerClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has every other server refuse a client before what it holds there is given to others. A server that cannot be reached might
 * still let the client write.
 * Threading:  confined to the worker.
 * Limits:     one call per node and client at a time, with a deadline; asked again after it.
 */
final class PeerFencer {
    private static final Logger LOG = LoggerFactory.getLogger(PeerFencer.class);
    private static final long CALL_NANOS = 5_000_000_000L;

    private final Peers peers;
    private final ServerClock clock;
    private final Long2ObjectHashMap<State[]> fences = new Long2ObjectHashMap<>();

    private enum State {
        NOT_ASKED,
        ASKED,
        ACKNOWLEDGED
    }

    PeerFencer(Peers peers, ServerClock clock) {
        this.peers = peers;
        this.clock = clock;
    }

    /** Asks whom it has not asked yet; true once all have acknowledged. */
    boolean fence(long clientId) {
        boolean all = true;
        for (int node = 0; node < peers.nodeCount(); node++) {
            all &= peers.client(node) == null || isFenced(clientId, node);
        }
        return all;
    }

    /** Asks one other node if it has not; true once it has acknowledged. */
    boolean isFenced(long clientId, int node) {
        State[] states = fences.get(clientId);
        if (states == null) {
            states = new State[peers.nodeCount()];
            Arrays.fill(states, State.NOT_ASKED);
            fences.put(clientId, states);
        }
        RpcClient client = peers.client(node);
        if (states[node] == State.NOT_ASKED && client.isConnected()) {
            ask(client, clientId, states, node);
        }
        return states[node] == State.ACKNOWLEDGED;
    }

    /** Nothing of the client is left to be given to others. */
    void forget(long clientId) {
        fences.remove(clientId);
    }

    private void ask(RpcClient client, long clientId, State[] states, int node) {
        try {
            RpcCall call = client.begin(OpCode.FENCE, Long.BYTES, clock.monotonicNanos() + CALL_NANOS);
            call.request().putU64(0, clientId);
            states[node] = State.ASKED;
            call.sendAsync(Long.BYTES, (done, failure) -> {
                boolean acknowledged = failure == null && done.errno() == 0;
                states[node] = acknowledged ? State.ACKNOWLEDGED : State.NOT_ASKED;
                done.close();
            });
        } catch (RpcException e) {
            LOG.warn("cannot ask node {} to fence client {}: {}", node, Long.toHexString(clientId), e.getMessage());
        }
    }
}
