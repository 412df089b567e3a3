package org.octofs.server.txn;

import org.octofs.rpc.rpc.RpcCall;
import org.octofs.rpc.rpc.RpcException;

/**
 * The other servers, as transactions need them: calls, and one-sided writes into their pools.
 * Threading: confined to the worker. Completions come from the worker's polling, never from inside the call that began.
 */
public interface ServerPeers {
    /** Whether there is a connection to a node, and it is known where its pool can be written. */
    boolean isReady(int node);

    /** The incarnation of the server at the other end of the present connection; only while {@link #isReady}. */
    int incarnation(int node);

    /**
     * Begins a call; to be sent with {@link RpcCall#sendAsync}.
     *
     * @throws RpcException if that is not possible now; nothing was sent
     */
    RpcCall begin(int node, int opCode, int maxRequestBytes, long deadlineNanos) throws RpcException;

    /**
     * Posts writes into a node's pool. They take effect in their order; once a call over a later connection has been answered
     * none of them takes effect any more. Without a connection they fail.
     *
     * @param writes not changed until the completion
     */
    void write(int node, DispatchWrites writes, WriteCompletion completion);

    /** Learns how writes ended. */
    @FunctionalInterface
    interface WriteCompletion {
        /**
         * The writes have ended.
         *
         * @param success true if every write is visible at the participant; false if that is unknown
         */
        void completed(boolean success);
    }
}
