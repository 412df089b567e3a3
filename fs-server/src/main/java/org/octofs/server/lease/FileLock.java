package org.octofs.server.lease;

/**
 * A lock on bytes {@code start} to {@code end} (both included) of a file.
 *
 * @param clientId client that holds it
 * @param owner owner within the client (an open file, or a process)
 * @param start first byte
 * @param end last byte; {@link Long#MAX_VALUE} reaches to the end of the file, however it grows
 * @param exclusive write lock, else read lock
 * @param pid process, for F_GETLK
 */
public record FileLock(long clientId, long owner, long start, long end, boolean exclusive, int pid) {
    /** Checks the range. */
    public FileLock {
        if (start < 0 || end < start) {
            throw new IllegalArgumentException("lock range " + start + " to " + end);
        }
    }

    boolean sameOwner(FileLock other) {
        return clientId == other.clientId && owner == other.owner;
    }

    boolean overlaps(FileLock other) {
        return start <= other.end && other.start <= end;
    }

    boolean conflictsWith(FileLock other) {
        return overlaps(other) && (exclusive || other.exclusive) && !sameOwner(other);
    }

    FileLock withRange(long newStart, long newEnd) {
        return new FileLock(clientId, owner, newStart, newEnd, exclusive, pid);
    }
}
