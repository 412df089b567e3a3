package org.octofs.server.data;

/**
 * Knows of which node's pool a client that is gone can certainly store nothing any more. Threading: confined to the worker.
 */
public interface LoanFence {
    /** Everything is known to be over: a server without others, and tests. */
    LoanFence OPEN = new LoanFence() {
        @Override
        public boolean isFenced(long clientId, int node) {
            return true;
        }
    };

    /**
     * Whether nothing of the client can arrive at the node any more. Has the node asked if it is not known; does not block, ask
     * again.
     */
    boolean isFenced(long clientId, int node);

    /** All loans of a client have ended that was asked about, or might have been. */
    default void loansEnded(long clientId) {}
}
