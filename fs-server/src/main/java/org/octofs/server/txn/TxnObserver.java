package org.octofs.server.txn;

/** Sees every step of every transaction; a test may end a server from here by throwing. */
@FunctionalInterface
public interface TxnObserver {
    /** Looks at nothing. */
    TxnObserver NONE = (step, txnId) -> {};

    /** Called on the worker thread when a step has been reached. */
    void reached(TxnStep step, long txnId);
}
