package org.octofs.server.txn;

/**
 * A lock that a participant holds for a transaction, in DRAM: its record, and what belongs to it. Confined to the worker.
 */
final class HeldLock {
    final long txnId;
    final int index;
    final long sinceNanos;
    /** Of an earlier life of this server: images may have come and gone again, only the coordinator knows. */
    final boolean inDoubt;
    /** What the release word has to be, in this life of the server. */
    final long committed;

    final long aborted;
    /** When to ask the coordinator what became of it. */
    long askAtNanos;

    /** Released, but with images that are not whole. */
    boolean broken;

    private final long[] slots = new long[LockRecordLayout.OBJECTS_MAX];
    private final long[] inos = new long[LockRecordLayout.OBJECTS_MAX];
    private final int[] kinds = new int[LockRecordLayout.OBJECTS_MAX];
    private int count;

    HeldLock(long txnId, int index, int incarnation, long nowNanos, boolean inDoubt) {
        this.txnId = txnId;
        this.index = index;
        this.sinceNanos = nowNanos;
        this.inDoubt = inDoubt;
        this.committed = ReleaseWord.committed(txnId, incarnation);
        this.aborted = ReleaseWord.aborted(txnId, incarnation);
        this.askAtNanos = inDoubt ? nowNanos : nowNanos + InDoubtResolver.PATIENCE_NANOS;
    }

    void add(int kind, long slotOffset, long ino) {
        kinds[count] = kind;
        slots[count] = slotOffset;
        inos[count] = ino;
        count++;
    }

    /** Forgets the objects behind the first {@code newCount}. */
    void truncate(int newCount) {
        count = newCount;
    }

    boolean isFull() {
        return count == LockRecordLayout.OBJECTS_MAX;
    }

    boolean has(int kind, long ino) {
        for (int i = 0; i < count; i++) {
            if (kinds[i] == kind && inos[i] == ino) {
                return true;
            }
        }
        return false;
    }

    int count() {
        return count;
    }

    int kind(int i) {
        return kinds[i];
    }

    long slot(int i) {
        return slots[i];
    }

    long ino(int i) {
        return inos[i];
    }
}
