package org.octofs.client.client;

/**
 * An advisory lock.
 *
 * @param kind flock(2) or POSIX (fcntl(2))
 * @param type one of the TYPE constants
 * @param owner who holds it within this client; locks of one owner do not conflict
 * @param start first byte; 0 for flock
 * @param end last byte, inclusive; {@link #TO_END} for the end of the file
 * @param pid process to name in F_GETLK answers
 */
public record LockSpec(Kind kind, int type, long owner, long start, long end, int pid) {
    /** Shared. */
    public static final int TYPE_READ = 0;

    /** Exclusive. */
    public static final int TYPE_WRITE = 1;

    /** None: unlocks. */
    public static final int TYPE_UNLOCK = 2;

    /** As {@code end}: to the end of the file however long it becomes. */
    public static final long TO_END = Long.MAX_VALUE;

    /** Kind of lock. */
    public enum Kind {
        /** flock(2): whole file, owned by the open file description. */
        FLOCK,
        /** fcntl(2): byte ranges, owned by the process. */
        POSIX
    }

    /** A whole-file lock. */
    public static LockSpec flock(int type, long owner) {
        return new LockSpec(Kind.FLOCK, type, owner, 0, TO_END, 0);
    }

    /** A byte-range lock. */
    public static LockSpec posix(int type, long owner, long start, long end, int pid) {
        return new LockSpec(Kind.POSIX, type, owner, start, end, pid);
    }

    /** The same range of the same owner, unlocked. */
    LockSpec unlocked() {
        return new LockSpec(kind, TYPE_UNLOCK, owner, start, end, pid);
    }
}
