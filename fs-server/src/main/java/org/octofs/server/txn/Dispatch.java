package org.octofs.server.txn;

/** What one participant still has to get, or to confirm, of a committed transaction. Confined to the worker. */
final class Dispatch {
    final long txnId;
    final int node;
    final DispatchWrites writes;
    /** Posted in this life of the coordinator, outcome not known yet. */
    boolean posting;
    /** Has to be asked about now: never posted, or the post has failed. */
    boolean urgent = true;
    /** The participant holds no lock any more. */
    boolean confirmed;

    long sinceNanos;

    Dispatch(long txnId, int node, DispatchWrites writes) {
        this.txnId = txnId;
        this.node = node;
        this.writes = writes;
    }
}
