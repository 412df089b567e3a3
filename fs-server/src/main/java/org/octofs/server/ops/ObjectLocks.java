package org.octofs.server.ops;

import org.agrona.collections.Long2LongHashMap;

/**
 * Which objects (inode numbers; a directory stands for its entries) are held by transactions over several servers, in DRAM.
 * Operations of one server need none: each runs to its end before the next begins.
 * Threading: confined to the worker.
 */
public final class ObjectLocks {
    private final Long2LongHashMap owners = new Long2LongHashMap(0);
    private long releases;

    /** Takes an object for a transaction; false if another one holds it. Taking it twice is no error. */
    public boolean tryLock(long ino, long txnId) {
        long owner = owners.get(ino);
        if (owner != 0 && owner != txnId) {
            return false;
        }
        owners.put(ino, txnId);
        return true;
    }

    /** Gives an object back, if this transaction holds it. */
    public void unlock(long ino, long txnId) {
        if (owners.get(ino) == txnId) {
            owners.remove(ino);
            releases++;
        }
    }

    /** Something else that requests were put aside for may be free. */
    public void released() {
        releases++;
    }

    public boolean isLocked(long ino) {
        return !owners.isEmpty() && owners.containsKey(ino);
    }

    /** The transaction that holds an object, 0 if none does. */
    public long owner(long ino) {
        return owners.get(ino);
    }

    /** Number of releases so far: when it has grown, requests that were put aside may run. */
    public long releases() {
        return releases;
    }

    /** Objects held. */
    public int size() {
        return owners.size();
    }
}
