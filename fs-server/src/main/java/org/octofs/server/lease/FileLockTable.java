package org.octofs.server.lease;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * Advisory locks of one kind (POSIX ranges, or flock, which is a lock on the whole file) by inode number.
 *
 * <p>The rules are those of fcntl(2): locks of one owner never conflict with each other; a new lock of an owner replaces
 * what it held of the range, splitting locks and joining neighbours of the same type; unlocking a range that is not locked
 * is no error. A conversion that conflicts leaves the old lock in place; for flock, of which that is not true, the client
 * gives it up.
 *
 * <p>Threading: confined to the server's worker. Durability: none. Limits: {@link #LOCKS_PER_FILE_MAX} locks per file.
 */
public final class FileLockTable {
    /** Most locks on one file; one more is refused (ENOLCK), so that no owner makes every later call slow. */
    public static final int LOCKS_PER_FILE_MAX = 4096;

    /** What {@link #lock} answers. */
    public enum Outcome {
        /** The lock is held now. */
        GRANTED,
        /** Another owner holds a conflicting lock, see {@link #conflict}; nothing was changed. */
        CONFLICT,
        /** The file has too many locks; nothing was changed. */
        FULL
    }

    private final Long2ObjectHashMap<List<FileLock>> byInode = new Long2ObjectHashMap<>();
    private final List<FileLock> scratch = new ArrayList<>();
    private int lockCount;

    /** Takes a lock, if nothing is in the way. */
    public Outcome lock(long ino, FileLock wanted) {
        if (conflict(ino, wanted) != null) {
            return Outcome.CONFLICT;
        }
        List<FileLock> locks = byInode.computeIfAbsent(ino, _ -> new ArrayList<>(2));
        // Cutting a hole into an own lock adds two.
        if (locks.size() + 2 > LOCKS_PER_FILE_MAX) {
            return Outcome.FULL;
        }
        lockCount -= locks.size();
        cut(locks, wanted);
        insertJoined(locks, wanted);
        lockCount += locks.size();
        return Outcome.GRANTED;
    }

    /**
     * Gives up what the owner of {@code range} holds within it.
     *
     * @param range its type and pid do not matter
     * @return false, and nothing is changed, if the file has too many locks to split one
     */
    public boolean unlock(long ino, FileLock range) {
        List<FileLock> locks = byInode.get(ino);
        if (locks == null) {
            return true;
        }
        if (locks.size() + 1 > LOCKS_PER_FILE_MAX && splits(locks, range)) {
            return false;
        }
        lockCount -= locks.size();
        cut(locks, range);
        lockCount += locks.size();
        if (locks.isEmpty()) {
            byInode.remove(ino);
        }
        return true;
    }

    /** A lock of another owner that stands in the way of {@code wanted}, the one that starts first; null if there is none. */
    public FileLock conflict(long ino, FileLock wanted) {
        List<FileLock> locks = byInode.get(ino);
        FileLock first = null;
        if (locks != null) {
            for (int i = 0; i < locks.size(); i++) {
                FileLock held = locks.get(i);
                if (held.conflictsWith(wanted) && (first == null || held.start() < first.start())) {
                    first = held;
                }
            }
        }
        return first;
    }

    /** Drops all locks of a client whose session ended. Looks at every lock. */
    public void releaseClient(long clientId) {
        Iterator<List<FileLock>> files = byInode.values().iterator();
        while (files.hasNext()) {
            List<FileLock> locks = files.next();
            lockCount -= locks.size();
            locks.removeIf(held -> held.clientId() == clientId);
            lockCount += locks.size();
            if (locks.isEmpty()) {
                files.remove();
            }
        }
    }

    /** Locks held on all files. */
    public int lockCount() {
        return lockCount;
    }

    /** The locks on one file, in no particular order. */
    public List<FileLock> locks(long ino) {
        List<FileLock> locks = byInode.get(ino);
        return locks == null ? List.of() : List.copyOf(locks);
    }

    private static boolean splits(List<FileLock> locks, FileLock range) {
        for (FileLock held : locks) {
            if (held.sameOwner(range) && held.start() < range.start() && range.end() < held.end()) {
                return true;
            }
        }
        return false;
    }

    /** Takes the range out of what its owner holds. */
    private void cut(List<FileLock> locks, FileLock range) {
        scratch.clear();
        for (int i = locks.size() - 1; i >= 0; i--) {
            FileLock held = locks.get(i);
            if (!held.sameOwner(range) || !held.overlaps(range)) {
                continue;
            }
            locks.remove(i);
            if (held.start() < range.start()) {
                scratch.add(held.withRange(held.start(), range.start() - 1));
            }
            if (held.end() > range.end()) {
                scratch.add(held.withRange(range.end() + 1, held.end()));
            }
        }
        locks.addAll(scratch);
    }

    /** Adds a lock, joined with its owner's neighbours of the same type. */
    private static void insertJoined(List<FileLock> locks, FileLock wanted) {
        FileLock joined = wanted;
        for (int i = locks.size() - 1; i >= 0; i--) {
            FileLock held = locks.get(i);
            if (!held.sameOwner(joined) || held.exclusive() != joined.exclusive()) {
                continue;
            }
            // end + 1 of a lock that reaches to the end overflows to a value that starts nowhere.
            if (held.end() + 1 == joined.start()) {
                joined = joined.withRange(held.start(), joined.end());
                locks.remove(i);
            } else if (joined.end() + 1 == held.start()) {
                joined = joined.withRange(joined.start(), held.end());
                locks.remove(i);
            }
        }
        locks.add(joined);
    }
}
