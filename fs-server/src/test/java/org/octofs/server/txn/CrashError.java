package org.octofs.server.txn;

/** A server ends here. An Error, so that nothing on the way takes it for a failure that can be answered. */
final class CrashError extends Error {
    private static final long serialVersionUID = 1L;

    final int node;

    CrashError(int node) {
        super("crash of node " + node, null, false, false);
        this.node = node;
    }
}
