package org.octofs.server.txn;

import org.octofs.rpc.protocol.InodeNumber;

/**
 * At most one directory of the cluster changes its parent at a time, so that two moves which are fine one by one cannot make a
 * loop together (the kernel's s_vfs_rename_mutex). It is an object like any other, without a slot: a number that shard 0's
 * home locks for a transaction, durably, and that is released with the transaction, however that ends.
 */
final class RenameMutex {
    /** Number of the object; no inode ever gets it. */
    static final long TOKEN = InodeNumber.of(0, InodeNumber.INDEX_MAX);

    /** Whose home keeps it. */
    static final int SHARD = 0;

    private RenameMutex() {}
}
