package org.octofs.server.session;

import org.agrona.collections.Long2LongHashMap;
import org.octofs.rpc.fabric.host.ProcessIdentity;
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
    private final ProcessIdentity recordedMapping;
    private ProcessIdentity mapping;
    private RpcSession rpcSession;
    private boolean loosened;
    private boolean left;
    private boolean reclaimed;
    private long lastHeardNanos;

    ClientSession(
            long clientId, int tableIndex, int nodeId, long nowNanos, boolean reclaimed, ProcessIdentity mapping) {
        this.clientId = clientId;
        this.tableIndex = tableIndex;
        this.nodeId = nodeId;
        this.lastHeardNanos = nowNanos;
        this.reclaimed = reclaimed;
        this.recordedMapping = mapping;
        this.mapping = mapping;
    }

    /** The process that has the pool mapped, as it is in the table; null if there is none. */
    ProcessIdentity mapping() {
        return mapping;
    }

    void mapping(ProcessIdentity process) {
        mapping = process;
    }

    /** Whether the client's process is certainly gone. */
    boolean isProcessKnownDead() {
        return rpcSession == null
                ? recordedMapping != null && recordedMapping.isGoneFromHere()
                : rpcSession.peerProcessKnownDead();
    }

    /** Whether something of the client may still store into this pool, in this life of the server or from an earlier one. */
    boolean mayStillWrite() {
        return (rpcSession != null && rpcSession.mayStillWrite())
                || (recordedMapping != null && !recordedMapping.isGoneFromHere());
    }

    /** Whether a process that has mapped the pool, in this life of the server or an earlier one, may be alive. */
    boolean hasLivingMapping() {
        return mapping != null && !mapping.isGoneFromHere();
    }

    /** The client says goodbye. */
    void leave() {
        left = true;
    }

    /** Whether the client has said goodbye, after its last store. */
    public boolean hasLeft() {
        return left;
    }

    boolean isLoosened() {
        return loosened;
    }

    void loosened() {
        loosened = true;
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
