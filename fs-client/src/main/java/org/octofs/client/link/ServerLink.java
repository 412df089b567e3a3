package org.octofs.client.link;

import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.octofs.client.client.ClientCounter;
import org.octofs.client.client.ClientCounters;
import org.octofs.client.client.FsException;
import org.octofs.rpc.cluster.ClusterHello;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.cluster.ClusterNode;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.ReclaimRequest;
import org.octofs.rpc.rpc.RpcCall;
import org.octofs.rpc.rpc.RpcClient;
import org.octofs.rpc.rpc.RpcClientConfig;
import org.octofs.rpc.rpc.RpcConnectionListener;
import org.octofs.rpc.rpc.RpcException;
import org.octofs.rpc.rpc.RpcTimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One node: its RPC client, its exported memory, and the state that a restarted server must be told.
 *
 * <p>The RPC client connects and reconnects by itself. After each connect, the first who needs the node asks for its
 * regions and, if the server is another incarnation than before (or was before it could tell which one), tells it this client's
 * opens and locks; everybody else
 * waits for that.
 *
 * <p>Threading: thread-safe; {@link #establishing} guards the exchange after a connect and is a leaf lock but for the
 * {@link ReclaimSource}.
 */
public final class ServerLink implements RpcConnectionListener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ServerLink.class);
    private static final int OPENS_PER_MESSAGE = 4096;
    private static final int LOCKS_PER_MESSAGE = 1024;
    /** First byte of a server's answer to a hello. */
    private static final byte SESSION_IS_NEW = 0;

    private static final long NOT_READY_PAUSE_NANOS = 5_000_000;

    private final int nodeId;
    private final ClusterNode node;
    private final Links links;
    private final ClientCounters counters;
    private final ReclaimSource reclaims;
    private final RpcClient rpc;
    private final Fabric fabric;
    private final ReentrantLock establishing = new ReentrantLock();
    private volatile Connection connection;
    private volatile RemotePool pool;
    private volatile boolean wasConnected;
    private volatile boolean leaving;
    private volatile boolean closed;
    private volatile long knownIncarnation;

    /** A push was given up whose bytes may still be on their way, or with a node that rests. */
    private volatile boolean storesLate;

    /** The server knew this client's session when it connected last: from a life before, it may be. */
    private volatile boolean sessionIsOld;

    ServerLink(Links links, Fabric fabric, ClusterMap map, ClusterNode node, long clientId, ReclaimSource reclaims)
            throws RpcException {
        this.nodeId = node.id();
        this.node = node;
        this.fabric = fabric;
        this.links = links;
        this.counters = links.counters();
        this.reclaims = reclaims;
        RpcClientConfig rpcConfig = RpcClientConfig.of(new InetSocketAddress(node.host(), node.port()), clientId)
                .withTransport(links.config().transport())
                .withHello(ClusterHello.client(map.id()).encode());
        this.rpc = new RpcClient(fabric, rpcConfig, this);
        rpc.setMapEpoch(map.epoch());
    }

    /** The node. */
    public int nodeId() {
        return nodeId;
    }

    /** Whether the node can be talked to at this moment. */
    public boolean isConnected() {
        RemotePool current = pool;
        return current != null && current.isUsable();
    }

    /** A push to the node was given up. */
    void givenUp() {
        storesLate = true;
    }

    /** Whether the node may still store what this client has given up: until it has taken another connection of this client. */
    public boolean mayStoreLate() {
        return storesLate;
    }

    /** The node's memory, if the node can be talked to at this moment, else null. */
    public RemotePool poolIfUsable() {
        RemotePool current = pool;
        return current != null && current.isUsable() ? current : null;
    }

    /** Called by the one thread that connects, one connection after the other. */
    @Override
    public void onConnected(Connection newConnection, byte[] helloReply) {
        pool = null;
        storesLate = false; // the server has ended the connection before
        // Before anything can be sent over it: blocks that were lent to us may belong to somebody else's file.
        boolean isNew = helloReply.length > 0 && helloReply[0] == SESSION_IS_NEW;
        sessionIsOld = !isNew;
        if (wasConnected && !leaving && isNew) {
            LOG.error("node {} at {} has ended the session of this client; mount again", nodeId, node.address());
            links.sessionEnded();
        }
        wasConnected = true;
        connection = newConnection;
        counters.increment(ClientCounter.CONNECTS);
        LOG.info("connected to node {} at {} by {}", nodeId, node.address(), newConnection.transport());
        if (knownIncarnation != 0 || sessionIsOld) {
            reclaims.reconnected(nodeId);
        }
    }

    @Override
    public void onLost(Connection lost) {
        if (!leaving) {
            LOG.warn("lost node {} at {}: {}", nodeId, node.address(), lost.failureReason());
        }
        pool = null;
    }

    /** Whether the node can be talked to at this moment and completed pushes to it are durable. */
    public boolean pushesAreDurable() {
        RemotePool current = pool;
        return current != null && current.isUsable() && current.pushesAreDurable();
    }

    /**
     * Waits for a connection.
     *
     * @return false if there is none in time
     * @throws FsException EIO with words as soon as the node has refused this client
     */
    public boolean awaitConnected(long deadlineNanos) throws FsException {
        try {
            rpc.awaitConnected(deadlineNanos);
            return true;
        } catch (RpcTimeoutException e) {
            LOG.debug("node {}", nodeId, e);
            return false;
        } catch (RpcException e) {
            throw new FsException(Errno.EIO, "node " + nodeId + " at " + node.address() + ": " + e.getMessage(), e);
        }
    }

    /** Where it is. */
    public String address() {
        return node.address();
    }

    /**
     * The node's memory, waiting for the node if it is away.
     *
     * @throws FsException EIO with words when the deadline passes
     */
    public RemotePool pool(long deadlineNanos) throws FsException {
        links.checkNotEnded();
        RemotePool current = pool;
        return current != null && current.isUsable() ? current : establish(deadlineNanos);
    }

    /** As {@link #pool(long)}. */
    RemotePool pool(Deadline deadline) throws FsException {
        links.checkNotEnded();
        RemotePool current = pool;
        return current != null && current.isUsable() ? current : establish(deadline.nanos());
    }

    /** Begins a call; the node knows all about this client by then. */
    public RpcCall begin(int opCode, int maxRequestBytes, long deadlineNanos) throws FsException {
        pool(deadlineNanos);
        return beginRaw(opCode, maxRequestBytes, deadlineNanos);
    }

    private RpcCall beginRaw(int opCode, int maxRequestBytes, long deadlineNanos) throws FsException {
        counters.rpc(opCode);
        try {
            return rpc.begin(opCode, maxRequestBytes, deadlineNanos);
        } catch (RpcException e) {
            throw unreachable(e);
        }
    }

    /**
     * Sends and waits.
     *
     * @return errno of the outcome
     * @throws FsException EIO with words when the deadline passes; the outcome is unknown then
     */
    public int exchange(RpcCall call, int bodyBytes) throws FsException {
        call.send(bodyBytes);
        return await(call);
    }

    /** Waits for the answer to a call that was sent, like {@link #exchange}. */
    public int await(RpcCall call) throws FsException {
        try {
            return call.await();
        } catch (RpcException e) {
            throw unreachable(e);
        }
    }

    /** As {@link #exchange}, for an answer that the node holds back until something happens, see {@link RpcCall#awaitPatiently}. */
    public int exchangePatiently(RpcCall call, int bodyBytes) throws FsException {
        call.send(bodyBytes);
        try {
            return call.awaitPatiently();
        } catch (RpcException e) {
            throw unreachable(e);
        }
    }

    private RemotePool establish(long deadlineNanos) throws FsException {
        lock(deadlineNanos);
        try {
            while (true) {
                RemotePool current = pool;
                if (current != null && current.isUsable()) {
                    return current;
                }
                links.checkNotEnded();
                current = askRegions(deadlineNanos);
                if (current != null) {
                    links.checkNotEnded();
                    pool = current;
                    if (current.connection().equals(connection)) {
                        return current;
                    }
                }
                if (fabric.nanoTime() - deadlineNanos >= 0) {
                    throw unreachable(null);
                }
            }
        } finally {
            establishing.unlock();
        }
    }

    private RemotePool askRegions(long deadlineNanos) throws FsException {
        try (RpcCall call = beginRaw(OpCode.REGIONS, 0, deadlineNanos)) {
            int status = exchange(call, 0);
            if (Statuses.isTransient(status)) {
                LockSupport.parkNanos(NOT_READY_PAUSE_NANOS);
                return null;
            }
            if (status != 0) {
                throw Statuses.exception(status, "REGIONS of node " + nodeId);
            }
            RemotePool answer = new RemotePool(nodeId, connection, fabric, call.reply());
            if (answer.incarnation() != knownIncarnation) {
                if (knownIncarnation != 0) {
                    links.countRestart();
                }
                if (knownIncarnation != 0 || sessionIsOld) {
                    // Also when the server was restarted before it had told us which life it is in.
                    reclaim(deadlineNanos);
                }
                knownIncarnation = answer.incarnation();
            }
            return answer;
        }
    }

    private void reclaim(long deadlineNanos) throws FsException {
        long[] opens = reclaims.opens(nodeId);
        ReclaimSource.HeldLock[] locks = reclaims.locks(nodeId);
        LOG.info("node {} was restarted; telling it {} opens and {} locks", nodeId, opens.length, locks.length);
        int openAt = 0;
        int lockAt = 0;
        boolean last;
        do {
            int openCount = Math.min(OPENS_PER_MESSAGE, opens.length - openAt);
            int lockCount = Math.min(LOCKS_PER_MESSAGE, locks.length - lockAt);
            last = openAt + openCount == opens.length && lockAt + lockCount == locks.length;
            int bytes = ReclaimRequest.FIXED_BYTES
                    + openCount * ReclaimSource.OPEN_BYTES
                    + lockCount * ReclaimSource.LOCK_BYTES;
            try (RpcCall call = beginRaw(OpCode.RECLAIM, bytes, deadlineNanos)) {
                MessageBuffer body = call.request();
                ReclaimRequest request =
                        new ReclaimRequest().wrap(body).last(last ? 1 : 0).reserved(0);
                request.opensCount(openCount);
                request.locksCount(lockCount);
                for (int i = 0; i < openCount; i++) {
                    int at = request.opens(i);
                    body.putU64(at, opens[openAt + i]);
                    body.putU64(at + Long.BYTES, 1);
                }
                for (int i = 0; i < lockCount; i++) {
                    locks[lockAt + i].write(body, request.locks(i));
                }
                int status = exchange(call, bytes);
                if (status != 0) {
                    LOG.warn("node {} refused what this client held: {}", nodeId, Errno.of(status));
                }
            }
            openAt += openCount;
            lockAt += lockCount;
        } while (!last);
    }

    private void lock(long deadlineNanos) throws FsException {
        try {
            if (!establishing.tryLock(deadlineNanos - fabric.nanoTime(), TimeUnit.NANOSECONDS)) {
                throw unreachable(null);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FsException(Errno.EINTR, "interrupted while waiting for node " + nodeId, e);
        }
    }

    private FsException unreachable(RpcException cause) {
        if (closed) {
            return new FsException(Errno.ESHUTDOWN, "the client is closed", cause);
        }
        String why = cause == null ? "" : " (" + cause.getMessage() + ")";
        return new FsException(
                Errno.EIO, "node " + nodeId + " at " + node.address() + " did not answer in time" + why, cause);
    }

    /** Says goodbye, unless that would not be true: the server ends the session, and losing it is no news from now on. */
    public void leave(long deadlineNanos) throws FsException {
        leaving = true;
        if (isConnected() && links.mayLeave()) {
            try (RpcCall call = beginRaw(OpCode.GOODBYE, 0, deadlineNanos)) {
                int status = exchange(call, 0);
                LOG.debug("node {} answered {} to goodbye", nodeId, Errno.of(status));
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        rpc.close();
    }
}
