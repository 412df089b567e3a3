package org.octofs.rpc.rpc;

import org.octofs.rpc.fabric.Connection;

/**
 * What a server knows of one client, longer than any one connection: identity, slots, reply cache.
 *
 * <p>Threading: confined to the server's worker thread. Lives until {@link RpcServer#endSession}.
 */
public interface RpcSession {
    /** Identity of the client, u64. */
    long clientId();

    /** True while a connection is attached. */
    boolean isConnected();

    /** The attached connection, for grants and revocations; null while there is none, and in {@code sessionOpened}. */
    Connection connection();

    /**
     * Server clock when the client was there for the last time, nanoseconds: the arrival of its last message, or the moment at which
     * its connection was found broken.
     */
    long lastHeardNanos();

    /**
     * True only if the client's process ran on this host and is certainly gone (its pid is free or was taken by another
     * process), so that nothing of it can still write. False says nothing.
     */
    boolean peerProcessKnownDead();

    /**
     * Whether anything that this client has begun may still store into memory that was granted to it, over a connection of now or of
     * before. Over tcp nothing can when its connections are gone and what they had begun has ended; over shm, where its process
     * itself stores, only the end of the process tells.
     */
    boolean mayStillWrite();

    /** What the server's user wants to find again at this session; null at first. */
    Object attachment();

    /** See {@link #attachment()}. */
    void attach(Object attachment);
}
