package org.octofs.server.session;

import org.agrona.collections.Long2LongHashMap;
import org.octofs.rpc.rpc.RpcSession;

/**
 * One client, or another server, as this server knows it. Confined to the worker.
 */
public final class ClientSession {
    /** Index in the session table of those whose outcomes are not recorded: other servers. */
    public static final int NOT_RECORDED = -1;

    private final long clientId;
    private final int tableIndex;
    private final int nodeId;
    private final Long2LongHashMap opens = new Long2LongHashMap(0);
    private RpcSession rpcSession;
    private boolean reclaimed;
    private long lastHeardNanos;

    ClientSession(long clientId, int tableIndex, int nodeId, long nowNanos, boolean reclaimed) {
        this.clientId = clientId;
        this.tableIndex = tableIndex;
        this.nodeId = nodeId;
        this.lastHeardNanos = nowNanos;
        this.reclaimed = reclaimed;
    }

    public long clientId() {
        return clientId;
    }

    /** Place in the session table, or {@link #NOT_RECORDED}. */
    public int tableIndex() {
        return tableIndex;
    }

    public boolean isServer() {
        return nodeId >= 0;
    }

    /** The node of another server, -1 for a client. */
    public int nodeId() {
        return nodeId;
    }

    /** False for a session of an earlier life of this server until its client has told what it has open. */
    public boolean isReclaimed() {
        return reclaimed;
    }

    void reclaimed(boolean value) {
        reclaimed = value;
    }

    /** The session of the RPC layer, null until the client has connected in this life of the server. */
    public RpcSession rpcSession() {
        return rpcSession;
    }

    void connected(RpcSession session) {
        rpcSession = session;
    }

    boolean isConnected() {
        return rpcSession != null && rpcSession.isConnected();
    }

    long lastHeardNanos() {
        return rpcSession == null ? lastHeardNanos : Math.max(lastHeardNanos, rpcSession.lastHeardNanos());
    }

    /** How often the session has each inode open. */
    Long2LongHashMap opens() {
        return opens;
    }
}
