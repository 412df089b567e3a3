package org.octofs.server.namespace;

import org.octofs.pmem.PoolCorruptException;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.server.store.DeferredAction;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.MetaStore;
import org.octofs.server.store.MetaTransaction;

/**
 * Finds the inodes that live in this pool by their numbers, and makes new ones.
 * Threading:  confined to the worker.
 * Durability: creation and removal are durable with the transaction; the index in DRAM follows its commit.
 * Cost:       about 11 bytes of DRAM per inode.
 */
public final class InodeTable {
    private final MetaStore store;
    private final IndexMarks marks;
    private final ReferenceTable table = new ReferenceTable();

    private final DeferredAction add = this::add;
    private final DeferredAction remove = this::remove;

    /** An empty table; recovery fills it. */
    public InodeTable(MetaStore store, IndexMarks marks) {
        this.store = store;
        this.marks = marks;
    }

    /** Inodes in this pool, unlinked ones that are still open included. */
    public int size() {
        return table.size();
    }

    /** DRAM that the index takes. */
    public long memoryBytes() {
        return table.memoryBytes();
    }

    /** Pool offset of an inode's slot, 0 if there is no such inode here. */
    public long slotOffset(long ino) {
        int hash = hash(ino);
        for (int place = table.first(hash); place >= 0; place = table.next(hash, place)) {
            long offset = store.slotOffset(table.referenceAt(place));
            if (store.readLong(offset + InodeLayout.INO_OFFSET) == ino) {
                return offset;
            }
        }
        return 0;
    }

    /**
     * Points a flyweight at an inode in the pool, to be read.
     *
     * @return false if there is no such inode here
     */
    public boolean find(long ino, InodeRecord record) {
        long offset = slotOffset(ino);
        if (offset == 0) {
            return false;
        }
        record.wrap(store.memory(), offset, offset);
        return true;
    }

    /**
     * The staged image of an existing inode.
     *
     * @throws IllegalStateException if there is no such inode here: ask {@link #slotOffset} first
     */
    public InodeRecord edit(MetaTransaction tx, long ino) {
        long offset = slotOffset(ino);
        if (offset == 0) {
            throw new IllegalStateException("inode " + ino + " is not here");
        }
        return tx.inode(offset);
    }

    /** Makes an inode with a fresh number in {@code shard}; it is found after the commit. */
    public InodeRecord create(MetaTransaction tx, int shard) {
        return create(tx, InodeNumber.of(shard, marks.next(shard)), true);
    }

    /** Makes an inode with a number that somebody else has chosen; it is found after the commit. */
    public InodeRecord createWithNumber(MetaTransaction tx, long ino) {
        return create(tx, ino, true);
    }

    private InodeRecord create(MetaTransaction tx, long ino, boolean index) {
        InodeRecord record = tx.createInode(ino);
        if (index) {
            tx.afterCommit(add, ino, record.slotOffset());
        }
        return record;
    }

    /** Frees an inode and its slot; it is gone after the commit. What it references must have been freed before. */
    public void free(MetaTransaction tx, long ino) {
        long offset = slotOffset(ino);
        // Out of the index before the slot can be taken again.
        tx.afterCommit(remove, ino, offset);
        tx.freeInode(offset);
    }

    /** Recovery is about to add this one, too; the answer means nothing. */
    public long touch(long ino) {
        return table.touch(hash(ino));
    }

    /** Recovery is about to add so many inodes. */
    public void expect(long count) {
        table.expect(count);
    }

    /** Takes an inode that recovery has found, or that another server has dispatched, into the index. */
    public void add(long ino, long slotOffset) {
        if (slotOffset(ino) != 0) {
            throw new PoolCorruptException("inode number twice", slotOffset, ino, slotOffset(ino));
        }
        table.add(hash(ino), store.slotReference(slotOffset));
    }

    /** Takes an inode out of the index. */
    public void remove(long ino, long slotOffset) {
        table.remove(hash(ino), store.slotReference(slotOffset));
    }

    private static int hash(long ino) {
        long h = ino * 0x9E3779B97F4A7C15L;
        return (int) (h >>> 32);
    }
}
