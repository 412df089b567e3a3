package org.octofs.fuse.jnr;

import org.octofs.fuse.fuse.FuseOperations;

/** The first request: the kernel and the library agree on what they can do. */
final class ConnectionSetup {
    /** Requests that the kernel has under way for read-ahead and asynchronous I/O; libfuse's 12 starves a parallel reader. */
    private static final int BACKGROUND_REQUESTS = 64;

    private static final int WANTED = NativeStructs.CAPABILITY_ASYNC_READ
            | NativeStructs.CAPABILITY_POSIX_LOCKS
            | NativeStructs.CAPABILITY_ATOMIC_TRUNCATE
            | NativeStructs.CAPABILITY_EXPORT
            | NativeStructs.CAPABILITY_BIG_WRITES
            | NativeStructs.CAPABILITY_FLOCK;

    private final FuseOperations operations;

    ConnectionSetup(FuseOperations operations) {
        this.operations = operations;
    }

    void init(long userData, long connection) {
        try {
            int capable = NativeMemory.getInt(connection + NativeStructs.CONNECTION_CAPABLE);
            int want = NativeMemory.getInt(connection + NativeStructs.CONNECTION_WANT);
            NativeMemory.putInt(connection + NativeStructs.CONNECTION_WANT, want | (capable & WANTED));
            NativeMemory.putInt(connection + NativeStructs.CONNECTION_ASYNC_READ, 1);
            NativeMemory.putInt(connection + NativeStructs.CONNECTION_MAX_BACKGROUND, BACKGROUND_REQUESTS);
            NativeMemory.putInt(connection + NativeStructs.CONNECTION_CONGESTION, BACKGROUND_REQUESTS * 3 / 4);
            operations.init();
        } catch (Throwable e) {
            Requests.failed("init", userData, e);
        }
    }
}
