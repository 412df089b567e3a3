package org.octofs.server.session;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.collections.LongHashSet;
import org.octofs.rpc.cluster.ClusterHello;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.fabric.TransportKind;
import org.octofs.rpc.fabric.host.ProcessIdentity;
import org.octofs.rpc.protocol.UnixTime;
import org.octofs.rpc.rpc.RpcRejectedException;
import org.octofs.rpc.rpc.RpcSession;
import org.octofs.server.ServerClock;
import org.octofs.server.store.MetaTransaction;
import org.octofs.server.store.RecordType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who is there: begins, keeps and ends sessions. A session outlives connections. It ends when its client says so; or when its
 * connection is lost, its process is known to be dead or was not heard of for the lease, and nothing of it can still store into
 * this pool, see {@link RpcSession#mayStillWrite}. What a dead client has open and locked is given up before that. What any
 * other has locked, and the blocks of other nodes that it was lent, wait until those have fenced it, which is the owner's part.
 * Threading:  confined to the worker.
 * Durability: a session is in the table when {@link #opened} returns, and out of it before what it held is given to others.
 * Limits:     the table's; when it is full, a new client is refused with words.
 */
public final class Sessions {
    private static final Logger LOG = LoggerFactory.getLogger(Sessions.class);
    private static final long CHECK_NANOS = 100_000_000L;

    private final SessionTable table;
    private final MetaTransaction transaction;
    private final OpenTable opens;
    private final ServerClock clock;
    private final long leaseNanos;
    private final Owner owner;
    private final Long2ObjectHashMap<ClientSession> sessions = new Long2ObjectHashMap<>();
    private final LongHashSet fenced = new LongHashSet(0);
    private final List<ClientSession> ending = new ArrayList<>();
    private int unreclaimed;
    private long nextCheckNanos;

    /** What a session's end means to others, and what it takes. */
    public interface Owner {
        /** The client is dead: give up what does not depend on what it may still store. {@link #ended} follows. */
        default void loosened(ClientSession session) {}

        /** The client ends its session itself, after its last store: give away what it was lent. {@link #ended} follows. */
        default void leaving(ClientSession session) {}

        /**
         * The session is out of the table and cannot act here any more: forget its connection, and give away what it held, as
         * far as it cannot act elsewhere.
         */
        void ended(ClientSession session);

        /** Break the client's connection, if it has one. */
        default void disconnect(ClientSession session) {}

        /** Nobody has this inode open any more. */
        void closed(long ino);
    }

    /**
     * No sessions yet.
     *
     * @param leaseNanos how long a client may be unheard of before others get what it holds
     */
    public Sessions(
            SessionTable table,
            MetaTransaction transaction,
            OpenTable opens,
            ServerClock clock,
            long leaseNanos,
            Owner owner) {
        this.table = table;
        this.transaction = transaction;
        this.opens = opens;
        this.clock = clock;
        this.leaseNanos = leaseNanos;
        this.owner = owner;
    }

    /** Takes over the sessions of this server's earlier life; their clients have a lease's time to come back. */
    public void recover() {
        long now = clock.monotonicNanos();
        table.recover((index, clientId, mapping) -> {
            sessions.put(clientId, new ClientSession(clientId, index, -1, now, false, mapping));
            unreclaimed++;
        });
        nextCheckNanos = now;
    }

    /**
     * A client or another server connects.
     *
     * @throws RpcRejectedException if there is no room for another session, or the client was fenced
     */
    public ClientSession opened(RpcSession rpcSession, ClusterHello hello) throws RpcRejectedException {
        long clientId = rpcSession.clientId();
        if (fenced.contains(clientId)) {
            throw new RpcRejectedException(
                    "client " + Long.toHexString(clientId) + " was away for longer than its lease of "
                            + leaseNanos / 1_000_000_000L + " s, and what it held was given to others; mount again");
        }
        ClientSession session = sessions.get(clientId);
        if (session == null) {
            session = create(clientId, hello);
            sessions.put(clientId, session);
        }
        session.connected(rpcSession);
        rpcSession.attach(session);
        return session;
    }

    private ClientSession create(long clientId, ClusterHello hello) throws RpcRejectedException {
        long now = clock.monotonicNanos();
        if (hello.role() == ClusterHello.SERVER) {
            forgetEarlierLife(hello.nodeId());
            return new ClientSession(clientId, ClientSession.NOT_RECORDED, hello.nodeId(), now, true, null);
        }
        transaction.begin(RecordType.SESSION);
        int index = table.add(transaction, clientId, UnixTime.seconds(clock.wallNanos()));
        if (index < 0) {
            transaction.abort();
            nextCheckNanos = now;
            throw new RpcRejectedException("the server has " + table.size()
                    + " clients, as many as its session table holds; " + "unmount one, or wait "
                    + leaseNanos / 1_000_000_000L + " s for the session of a dead one to end");
        }
        transaction.commit();
        return new ClientSession(clientId, index, -1, now, true, null);
    }

    /** The client's connection is usable from now on. Over shm its process maps the pool, which is put on record first. */
    public void connected(ClientSession session, Connection connection) {
        ProcessIdentity process = connection.peerProcess().identity();
        if (connection.transport() != TransportKind.SHM
                || session.tableIndex() == ClientSession.NOT_RECORDED
                || process == null
                || process.equals(session.mapping())) {
            return;
        }
        transaction.begin(RecordType.SESSION);
        table.mapping(transaction, session.tableIndex(), process);
        transaction.commit();
        session.mapping(process);
    }

    /** A server that comes back has a new identity; its old one will not be heard of again. */
    private void forgetEarlierLife(int nodeId) {
        ending.clear();
        for (ClientSession session : sessions.values()) {
            if (session.nodeId() == nodeId) {
                ending.add(session);
            }
        }
        for (int i = 0; i < ending.size(); i++) {
            end(ending.get(i), "was an earlier life of node " + nodeId);
        }
    }

    /** The client has told everything that it has open and locked. */
    public void reclaimed(ClientSession session) {
        if (!session.isReclaimed()) {
            session.reclaimed(true);
            unreclaimed--;
        }
    }

    /** True when no session of the server's earlier life is still to tell what it has open. */
    public boolean isRecoveryOver() {
        return unreclaimed == 0;
    }

    /** The client says goodbye: ends its session at once. */
    public void goodbye(ClientSession session) {
        session.leave();
        owner.leaving(session);
        end(session, "said goodbye");
    }

    /**
     * Another server says that a client is gone: its session ends, and it does not come back under this identity.
     *
     * @return false if something of it may still store into this pool: ask again
     */
    public boolean fence(long clientId) {
        ClientSession session = sessions.get(clientId);
        if (session == null) {
            fenced.add(clientId);
            return true;
        }
        if (session.hasLivingMapping()) {
            // It could come back to all servers, and is refused by none until it is dead.
            return false;
        }
        fenced.add(clientId);
        owner.disconnect(session);
        if (session.mayStillWrite()) {
            return false;
        }
        end(session, "was fenced by another server");
        return true;
    }

    public ClientSession find(long clientId) {
        return sessions.get(clientId);
    }

    public Collection<ClientSession> all() {
        return sessions.values();
    }

    /**
     * Ends what is to be ended; looks at most ten times a second.
     *
     * @return how many sessions were ended
     */
    public int doWork(long nowNanos) {
        if (nowNanos - nextCheckNanos < 0) {
            return 0;
        }
        nextCheckNanos = nowNanos + CHECK_NANOS;
        ending.clear();
        for (ClientSession session : sessions.values()) {
            if (!session.isConnected() && !session.isServer() && isOver(session, nowNanos)) {
                ending.add(session);
            }
        }
        for (int i = 0; i < ending.size(); i++) {
            end(ending.get(i), "is gone");
        }
        return ending.size();
    }

    private boolean isOver(ClientSession session, long now) {
        boolean isDead = session.isProcessKnownDead();
        if (!isDead && now - session.lastHeardNanos() < leaseNanos) {
            return false;
        }
        if (isDead) {
            loosen(session);
        }
        if (session.mayStillWrite()) {
            return false;
        }
        if (!isDead) {
            // Were it let in again, it could write to blocks that others have by then.
            fenced.add(session.clientId());
        }
        return true;
    }

    /** Opens and locks need not wait until nothing of a dead client can store any more. */
    private void loosen(ClientSession session) {
        if (!session.isLoosened()) {
            session.loosened();
            opens.closeAll(session, owner::closed);
            reclaimed(session);
            owner.loosened(session);
        }
    }

    private void end(ClientSession session, String why) {
        LOG.info("session of client {} ends: it {}", Long.toHexString(session.clientId()), why);
        sessions.remove(session.clientId());
        if (session.tableIndex() != ClientSession.NOT_RECORDED) {
            transaction.begin(RecordType.SESSION);
            table.remove(transaction, session.tableIndex());
            transaction.commit();
        }
        opens.closeAll(session, owner::closed);
        reclaimed(session);
        owner.ended(session);
    }
}
