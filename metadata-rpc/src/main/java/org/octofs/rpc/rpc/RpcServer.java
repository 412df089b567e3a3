package org.octofs.rpc.rpc;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.EnumSet;
import org.agrona.collections.Long2ObjectHashMap;
import org.octofs.rpc.fabric.AcceptDecision;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.fabric.ConnectionAcceptor;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.IncomingConnection;
import org.octofs.rpc.fabric.Listener;
import org.octofs.rpc.fabric.MemoryRegion;
import org.octofs.rpc.fabric.ReceiveQueue;
import org.octofs.rpc.protocol.ProtocolException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers calls: accepts connections, keeps the sessions and their reply caches, and hands requests to a handler.
 *
 * <p>Threading: confined to one worker thread, which calls {@link #poll} and {@link #await}; only {@link #wakeup},
 * {@link #counters} and {@link #address} are for others. Nothing here blocks but {@code await}. Ownership: owns its
 * receive queue, its sessions and their memory; connections are closed with it. A request costs no allocation.
 */
public final class RpcServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RpcServer.class);

    private final Fabric fabric;
    private final RpcServerConfig config;
    private final RpcHandler handler;
    private final ReceiveQueue queue;
    private final Listener listener;
    private final RpcCounters counters = new RpcCounters();
    private final MessageHeader incoming = new MessageHeader();
    private final Long2ObjectHashMap<ServerSession> byClient = new Long2ObjectHashMap<>();
    private ServerSession[] byIndex = new ServerSession[16];
    private int mapEpoch;
    private long pollNanos;
    private boolean closed;

    /**
     * Listens at once; clients wait until the first poll.
     *
     * @throws IOException if the address cannot be bound, or no queue can be had; the message says which
     */
    public RpcServer(Fabric fabric, RpcServerConfig config, RpcHandler handler) throws IOException {
        this.fabric = fabric;
        this.config = config;
        this.handler = handler;
        this.mapEpoch = config.mapEpoch();
        this.pollNanos = fabric.nanoTime();
        try {
            queue = fabric.createReceiveQueue();
        } catch (FabricException e) {
            throw new RpcException("no receive queue for the server: " + e.getMessage(), e);
        }
        try {
            listener = fabric.listen(config.address(), queue, new Acceptor());
        } catch (IOException | RuntimeException e) {
            queue.close();
            throw e;
        }
    }

    /**
     * Accepts connections, serves requests, notices lost sessions.
     *
     * @param limit arrivals taken at most
     * @return how much was done; 0 = nothing to do
     */
    public int poll(int limit) {
        return poll(limit, fabric.nanoTime());
    }

    /** As {@link #poll(int)}, for a caller that has just asked the fabric's clock. */
    public int poll(int limit, long nowNanos) {
        pollNanos = nowNanos;
        return queue.poll(limit);
    }

    /**
     * Waits until there may be something to poll: spins briefly, then parks.
     *
     * @return false if {@code deadlineNanos} passed with nothing to do
     */
    public boolean await(long deadlineNanos) {
        return queue.await(deadlineNanos);
    }

    /** Ends a wait, now or the next one. From any thread. */
    public void wakeup() {
        queue.wakeup();
    }

    /** The worker's queue; clients of this process that share it have their replies delivered by {@link #poll}. */
    public ReceiveQueue receiveQueue() {
        return queue;
    }

    /** Where this server listens, with the real port. From any thread. */
    public InetSocketAddress address() {
        return listener.address();
    }

    /** From now on, requests that name an older epoch (but 0) are answered {@code ESTALE_EPOCH}. */
    public void setMapEpoch(int epoch) {
        mapEpoch = epoch;
    }

    /** See {@link #setMapEpoch}. */
    public int mapEpoch() {
        return mapEpoch;
    }

    /** The session of a client, or null if there is none. */
    public RpcSession session(long clientId) {
        return byClient.get(clientId);
    }

    /** How many sessions there are. */
    public int sessionCount() {
        return byClient.size();
    }

    /**
     * Forgets a client: its connection is closed, its slots, reply cache and session index are free. Requests of it that are
     * in work may still be answered, for nobody. {@code sessionLost} is not called. Unknown clients are ignored.
     */
    public void endSession(long clientId) {
        ServerSession session = byClient.remove(clientId);
        if (session != null) {
            byIndex[session.index()] = null;
            session.end();
        }
    }

    /** Breaks the connection of a client, if there is one; its session stays. {@code sessionLost} is called. */
    public void disconnect(long clientId) {
        ServerSession session = byClient.get(clientId);
        if (session != null && session.detach()) {
            handler.sessionLost(session);
        }
    }

    /** What happened so far. From any thread. */
    public RpcCounters counters() {
        return counters;
    }

    /** Stops listening and closes all connections. Idempotent. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        listener.close();
        for (ServerSession session : byIndex) {
            if (session != null) {
                session.end();
            }
        }
        byClient.clear();
        Arrays.fill(byIndex, null);
        queue.close();
    }

    // For the sessions.

    RpcHandler handler() {
        return handler;
    }

    MessageHeader incoming() {
        return incoming;
    }

    /** When the current poll began: near enough, and cheaper than a look at the clock per message. */
    long pollNanos() {
        return pollNanos;
    }

    /** What happens to incoming connections. Called inside poll. */
    private final class Acceptor implements ConnectionAcceptor {
        @Override
        public AcceptDecision onConnect(IncomingConnection incomingConnection) {
            try {
                HelloLayout.Hello hello = HelloLayout.Hello.decode(incomingConnection.privateData());
                ServerSession session = sessionFor(hello);
                byte[] answer = handler.sessionOpened(session, hello.user());
                if (answer.length > RpcLimits.HELLO_BYTES_MAX) {
                    throw new IllegalStateException("the handler's answer to a hello has " + answer.length + " bytes");
                }
                return AcceptDecision.accept(new HelloLayout.HelloReply(
                                session.index(), RpcLimits.SLOT_BYTES_MIN, mapEpoch, session.expect(hello), answer)
                        .encode());
            } catch (ProtocolException | RpcRejectedException e) {
                return AcceptDecision.reject(e.getMessage());
            } catch (FabricException e) {
                LOG.warn("no memory for another session", e);
                return AcceptDecision.reject("the server has no memory for another client: " + e.getMessage());
            }
        }

        @Override
        public void onConnected(Connection connection) {
            HelloLayout.Hello hello = HelloLayout.Hello.decode(connection.peerPrivateData());
            ServerSession session = byClient.get(hello.clientId());
            if (session == null) {
                // It was ended between the two callbacks.
                connection.close();
                return;
            }
            counters.connected();
            if (session.detach()) {
                handler.sessionLost(session);
            }
            session.attach(connection, hello);
            handler.sessionConnected(session);
        }

        @Override
        public void onFailed(Connection connection) {
            HelloLayout.Hello hello = HelloLayout.Hello.decode(connection.peerPrivateData());
            ServerSession session = byClient.get(hello.clientId());
            if (session != null && session.isAttachedTo(connection)) {
                session.detach();
                handler.sessionLost(session);
            }
            connection.close();
        }
    }

    private ServerSession sessionFor(HelloLayout.Hello hello) throws RpcRejectedException, FabricException {
        ServerSession session = byClient.get(hello.clientId());
        if (session != null) {
            if (session.slotCount() != hello.slotCount()) {
                throw new RpcRejectedException("client " + Long.toHexString(hello.clientId()) + " has a session with "
                        + session.slotCount() + " slots and comes back with " + hello.slotCount()
                        + "; use another client id, or the old number of slots");
            }
            return session;
        }
        if (byClient.size() >= config.sessionsMax()) {
            throw new RpcRejectedException("the server has " + byClient.size()
                    + " clients, as many as it is configured for; unmount one, or raise the server's limit");
        }
        MemoryRegion region =
                fabric.allocate((long) hello.slotCount() * RpcLimits.SLOT_BYTES_MIN, EnumSet.of(Access.REMOTE_WRITE));
        session = new ServerSession(this, fabric, freeIndex(), hello.clientId(), hello.slotCount(), region);
        byClient.put(hello.clientId(), session);
        byIndex[session.index()] = session;
        return session;
    }

    private int freeIndex() {
        for (int i = 0; i < byIndex.length; i++) {
            if (byIndex[i] == null) {
                return i;
            }
        }
        int first = byIndex.length;
        byIndex = Arrays.copyOf(byIndex, 2 * first);
        return first;
    }
}
