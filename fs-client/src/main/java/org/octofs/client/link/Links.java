package org.octofs.client.link;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import org.octofs.client.client.ClientConfig;
import org.octofs.client.client.ClientCounters;
import org.octofs.client.client.FsException;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.cluster.ClusterNode;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.rpc.RpcCall;
import org.octofs.rpc.rpc.RpcException;

/** All nodes of the cluster, the deadlines of calls, and calls with their retries. Thread-safe. */
public final class Links implements AutoCloseable {
    private static final long PAUSE_NANOS_MIN = 20_000;
    private static final long PAUSE_NANOS_MAX = 20_000_000;

    private final ClusterMap map;
    private final ClientConfig config;
    private final ClientCounters counters;
    private final Fabric fabric;
    private final ServerLink[] links;
    private final AtomicInteger restarts = new AtomicInteger();
    private final AtomicInteger storing = new AtomicInteger();
    private final long operationNanos;
    private volatile boolean ended;
    private volatile LongConsumer ownChanges = _ -> {};

    /** Begins to connect to every node. */
    public Links(
            Fabric fabric,
            ClusterMap map,
            ClientConfig config,
            ClientCounters counters,
            long clientId,
            ReclaimSource reclaims)
            throws RpcException {
        this.map = map;
        this.config = config;
        this.counters = counters;
        this.fabric = fabric;
        this.operationNanos = config.operationDeadline().toNanos();
        this.links = new ServerLink[map.nodeCount()];
        for (ClusterNode node : map.nodes()) {
            links[node.id()] = new ServerLink(this, fabric, map, node, clientId, reclaims);
        }
    }

    /** Fills a request. */
    @FunctionalInterface
    public interface Request {
        /**
         * Writes the body.
         *
         * @return its bytes
         */
        int fill(MessageBuffer body);
    }

    /** Takes a reply that is not transient. */
    @FunctionalInterface
    public interface Reply {
        /** Looks at the outcome and the body; runs before the slot is given back. */
        void take(int status, MessageBuffer body) throws FsException;
    }

    /** The configuration. */
    public ClientConfig config() {
        return config;
    }

    /** The counters. */
    public ClientCounters counters() {
        return counters;
    }

    /** Number of nodes. */
    public int nodeCount() {
        return links.length;
    }

    /** A node. */
    public ServerLink node(int nodeId) throws FsException {
        if (nodeId >= links.length) {
            throw new FsException(Errno.EIO, "a block map names node " + nodeId + " of " + links.length);
        }
        return links[nodeId];
    }

    /** The node that is home of an inode. */
    public int homeOf(long ino) {
        return map.homeOf(InodeNumber.shard(ino));
    }

    /** The link to an inode's home. */
    public ServerLink home(long ino) {
        return links[homeOf(ino)];
    }

    /** How often any node was found restarted. */
    public int restarts() {
        return restarts.get();
    }

    /**
     * A server has ended this client's session: what it held may be others' by now, so nothing of it is sent any more, to any node.
     */
    void sessionEnded() {
        ended = true;
    }

    /** Throws if this client's session has ended. */
    void checkNotEnded() throws FsException {
        if (ended) {
            throw new FsException(
                    Errno.EIO,
                    "this client was away for longer than its lease, and what it held was given to others; mount again");
        }
    }

    /**
     * A server is about to be asked to store something for this client. Until it has answered ({@link #stored}) it may do so, whatever becomes
     * of its connections, and a goodbye, which says that nothing is under way, is not said: what was lent to this client then comes
     * back when the servers have fenced it.
     */
    public void storing() {
        storing.incrementAndGet();
    }

    /** It has answered, or was not asked. */
    public void stored() {
        storing.decrementAndGet();
    }

    /** Whether no server stores anything for this client any more. */
    boolean mayLeave() {
        boolean may = storing.get() == 0;
        for (ServerLink link : links) {
            may &= !link.mayStoreLate();
        }
        return may;
    }

    void countRestart() {
        restarts.incrementAndGet();
    }

    /** Who is told of every inode that this client has changed at its home. */
    public void ownChanges(LongConsumer listener) {
        ownChanges = listener;
    }

    /** This client has changed an inode at its home; said before whoever asked for it is answered. */
    public void changed(long ino) {
        ownChanges.accept(ino);
    }

    /** When a call that begins now has to end, on the fabric's clock. */
    public long deadline() {
        return fabric.nanoTime() + operationNanos;
    }

    /** Now, on the clock of deadlines. */
    public long nanoTime() {
        return fabric.nanoTime();
    }

    /** Whether a deadline has passed. */
    public boolean isPast(long deadlineNanos) {
        return fabric.nanoTime() - deadlineNanos >= 0;
    }

    /**
     * Calls, again and again while the answer is transient.
     *
     * @throws FsException EIO when the deadline passes; what the reply's taker throws
     */
    public void call(ServerLink link, int opCode, int maxBytes, long deadlineNanos, Request request, Reply reply)
            throws FsException {
        for (int attempt = 0; ; attempt++) {
            try (RpcCall call = link.begin(opCode, maxBytes, deadlineNanos)) {
                int bytes = request.fill(call.request());
                int status = link.exchange(call, bytes);
                if (!Statuses.isTransient(status)) {
                    reply.take(status, call.reply());
                    return;
                }
                if (isPast(deadlineNanos)) {
                    throw Statuses.exception(status, "operation " + opCode + " at node " + link.nodeId());
                }
            }
            pause(attempt, deadlineNanos);
        }
    }

    /** Rests before attempt {@code attempt + 1}: longer each time, not past the deadline. */
    public void pause(int attempt, long deadlineNanos) throws FsException {
        long nanos = Math.min(PAUSE_NANOS_MAX, PAUSE_NANOS_MIN << Math.min(attempt, 10));
        LockSupport.parkNanos(Math.min(nanos, Math.max(1, deadlineNanos - nanoTime())));
        if (Thread.currentThread().isInterrupted()) {
            throw new FsException(Errno.EINTR);
        }
    }

    @Override
    public void close() {
        for (ServerLink link : links) {
            link.close();
        }
    }
}
