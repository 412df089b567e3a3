package org.octofs.server.server;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.fabric.WorkRequest;
import org.octofs.rpc.fabric.WorkStatus;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.RegionsReply;
import org.octofs.rpc.rpc.RpcCall;
import org.octofs.rpc.rpc.RpcClient;
import org.octofs.rpc.rpc.RpcException;
import org.octofs.server.ServerClock;
import org.octofs.server.txn.DispatchWrites;
import org.octofs.server.txn.ServerPeers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The other servers over the fabric: calls through {@link Peers}, writes over the same connections into the regions that each
 * server grants to servers. After every connect it is asked for them (REGIONS) before the node counts as ready.
 * Threading:  confined to the worker.
 * Ownership:  borrows the clients; owns the buffers that are being written from.
 */
final class FabricPeers implements ServerPeers {
    private static final Logger LOG = LoggerFactory.getLogger(FabricPeers.class);
    private static final long REGIONS_DEADLINE_NANOS = 2_000_000_000L;
    private static final int BUFFER_BYTES = 8192;

    private final Peers peers;
    private final ServerClock clock;
    private final Peer[] states;
    private final List<Posting> posted = new ArrayList<>();
    private final List<Posting> idle = new ArrayList<>();

    /** What is known of one node's present connection. */
    private static final class Peer {
        Connection connection;
        boolean ready;
        boolean asking;
        int incarnation;
        final List<Region> regions = new ArrayList<>();
    }

    private record Region(long poolOffset, long lengthBytes, long rkey) {}

    /** Writes under way, and the memory that they come from. */
    private static final class Posting {
        final MemorySegment buffer = Arena.ofAuto().allocate(BUFFER_BYTES, Long.BYTES);
        WorkRequest[] requests = new WorkRequest[0];
        int count;
        boolean failed;
        WriteCompletion completion;
    }

    FabricPeers(Peers peers, ServerClock clock) {
        this.peers = peers;
        this.clock = clock;
        this.states = new Peer[peers.nodeCount()];
        for (int i = 0; i < states.length; i++) {
            states[i] = new Peer();
        }
    }

    @Override
    public boolean isReady(int node) {
        RpcClient client = peers.client(node);
        if (client == null) {
            return false;
        }
        Peer peer = states[node];
        return peer.ready && isSame(peer.connection, client.connection());
    }

    @Override
    public int incarnation(int node) {
        return states[node].incarnation;
    }

    @Override
    public RpcCall begin(int node, int opCode, int maxRequestBytes, long deadlineNanos) throws RpcException {
        return peers.client(node).begin(opCode, maxRequestBytes, deadlineNanos);
    }

    @Override
    public void write(int node, DispatchWrites writes, WriteCompletion completion) {
        Posting posting = idle.isEmpty() ? new Posting() : idle.remove(idle.size() - 1);
        posting.completion = completion;
        posting.failed = !isReady(node) || !fill(posting, states[node], writes);
        if (!posting.failed) {
            states[node].connection.post(posting.requests, 0, posting.count);
        }
        posted.add(posting);
    }

    private static boolean fill(Posting posting, Peer peer, DispatchWrites writes) {
        posting.count = writes.count();
        if (posting.requests.length < posting.count) {
            WorkRequest[] old = posting.requests;
            posting.requests = new WorkRequest[posting.count];
            for (int i = 0; i < posting.count; i++) {
                posting.requests[i] = i < old.length ? old[i] : new WorkRequest();
            }
        }
        int at = 0;
        for (int i = 0; i < posting.count; i++) {
            int length = writes.length(i);
            Region region = find(peer, writes.poolOffset(i), length);
            if (region == null || at + length > BUFFER_BYTES) {
                LOG.error(
                        "cannot dispatch {} bytes to pool offset {}: {}",
                        length,
                        writes.poolOffset(i),
                        region == null ? "no region is granted there" : "the buffer is full");
                return false;
            }
            MemorySegment.copy(writes.segment(), writes.position(i), posting.buffer, at, length);
            posting.requests[i].writeFrom(
                    posting.buffer, at, length, region.rkey, writes.poolOffset(i) - region.poolOffset);
            at += (length + 7) & ~7;
        }
        return true;
    }

    private static Region find(Peer peer, long poolOffset, int length) {
        for (Region region : peer.regions) {
            if (poolOffset >= region.poolOffset && poolOffset + length <= region.poolOffset + region.lengthBytes) {
                return region;
            }
        }
        return null;
    }

    /**
     * Looks at new connections, and reports writes that are done.
     *
     * @return how much was done
     */
    int doWork() {
        int done = 0;
        for (int node = 0; node < states.length; node++) {
            RpcClient client = peers.client(node);
            if (client != null) {
                Connection connection = client.connection();
                Peer peer = states[node];
                if (!isSame(connection, peer.connection)) {
                    peer.connection = connection;
                    peer.ready = false;
                    done++;
                }
                if (connection != null && !peer.ready && !peer.asking) {
                    ask(node, client, peer, connection);
                }
            }
        }
        for (int i = posted.size() - 1; i >= 0; i--) {
            Posting posting = posted.get(i);
            if (posting.failed || isDone(posting)) {
                posted.remove(i);
                boolean success = !posting.failed && isSuccess(posting);
                WriteCompletion completion = posting.completion;
                posting.completion = null;
                idle.add(posting);
                completion.completed(success);
                done++;
            }
        }
        return done;
    }

    private static boolean isDone(Posting posting) {
        for (int i = 0; i < posting.count; i++) {
            if (!posting.requests[i].isDone()) {
                return false;
            }
        }
        return true;
    }

    private static boolean isSuccess(Posting posting) {
        for (int i = 0; i < posting.count; i++) {
            if (posting.requests[i].status() != WorkStatus.SUCCESS) {
                return false;
            }
        }
        return true;
    }

    /** Not equal but the very same: what is known belongs to one connection. */
    @SuppressWarnings("ReferenceEquality")
    private static boolean isSame(Connection one, Connection other) {
        return one == other;
    }

    private void ask(int node, RpcClient client, Peer peer, Connection connection) {
        RpcCall call;
        try {
            call = client.begin(OpCode.REGIONS, 0, clock.monotonicNanos() + REGIONS_DEADLINE_NANOS);
        } catch (RpcException e) {
            LOG.debug("node {} cannot be asked for its regions yet: {}", node, e.getMessage());
            return;
        }
        peer.asking = true;
        call.sendAsync(0, (finished, failure) -> {
            peer.asking = false;
            try (finished) {
                // Over another connection by now: the rkeys may be those of an earlier life.
                if (failure == null && finished.errno() == 0 && isSame(client.connection(), connection)) {
                    take(peer, finished.reply());
                    peer.ready = isSame(peer.connection, connection);
                }
            }
        });
    }

    private static void take(Peer peer, MessageBuffer body) {
        RegionsReply reply = new RegionsReply().wrap(body);
        peer.incarnation = (int) reply.incarnation();
        peer.regions.clear();
        for (int i = 0; i < reply.regionsCount(); i++) {
            int at = reply.regions(i);
            int kind = body.getI32(at + 24);
            if (kind == ExportedRegions.KIND_METADATA_WRITE || kind == ExportedRegions.KIND_LOCK_TABLE) {
                peer.regions.add(new Region(body.getU64(at), body.getU64(at + 8), body.getU64(at + 16)));
            }
        }
    }
}
