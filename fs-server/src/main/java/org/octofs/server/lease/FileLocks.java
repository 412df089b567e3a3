package org.octofs.server.lease;

import java.util.function.BooleanSupplier;

/**
 * Both kinds of advisory locks, and the rule after a restart.
 *
 * <p>Threading: confined to the server's worker. Durability: none; clients tell again what they held.
 */
public final class FileLocks {
    /** Lock type of fcntl(2). */
    public static final int READ_LOCK = 0;

    /** Lock type of fcntl(2). */
    public static final int WRITE_LOCK = 1;

    /** Lock type of fcntl(2). */
    public static final int UNLOCK = 2;

    /** Flag of LOCK: flock(2), which knows nothing of fcntl(2) locks. */
    public static final int FLAG_FLOCK = 1;

    /** Flag of LOCK: only test. */
    public static final int FLAG_TEST = 2;

    private final FileLockTable posix = new FileLockTable();
    private final FileLockTable flock = new FileLockTable();
    private final BooleanSupplier allReclaimed;

    /** @param allReclaimed whether every client that may have held locks before a restart has told them, or is gone */
    public FileLocks(BooleanSupplier allReclaimed) {
        this.allReclaimed = allReclaimed;
    }

    /** The table of one kind. */
    public FileLockTable table(int flags) {
        return (flags & FLAG_FLOCK) != 0 ? flock : posix;
    }

    /** Whether new locks may be granted. Until then one could conflict with a lock that is about to be told. */
    public boolean isOpen() {
        return allReclaimed.getAsBoolean();
    }

    /**
     * A client tells a lock that it held before the restart.
     *
     * @return false if it cannot be had: the client was late, and somebody else has it now
     */
    public boolean reclaim(long ino, FileLock lock, int flags) {
        return table(flags).lock(ino, lock) == FileLockTable.Outcome.GRANTED;
    }

    /** Drops all locks of a client whose session ended. */
    public void clientGone(long clientId) {
        posix.releaseClient(clientId);
        flock.releaseClient(clientId);
    }
}
