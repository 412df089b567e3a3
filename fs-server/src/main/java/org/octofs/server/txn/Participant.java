package org.octofs.server.txn;

import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.Long2ObjectHashMap;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.namespace.DentryLayout;
import org.octofs.server.ops.ServerState;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.MetaTransaction;
import org.octofs.server.store.PageKind;
import org.octofs.server.store.RecordType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Objects of this server that transactions of other servers hold: taken by {@link CollectHandler}, given back here.
 * Threading:  confined to the worker.
 * Durability: a lock is durable before anybody hears of it. {@link #pollReleases} makes what was dispatched durable, by logging
 *             the slots as they are, in the same record that clears the lock; the log and not a flush, since replay would else
 *             put an older image back.
 */
final class Participant {
    private static final Logger LOG = LoggerFactory.getLogger(Participant.class);
    private static final int RELEASES_PER_RECORD = 16;

    private final ServerState state;
    private final LockTable table;
    private final int incarnation;
    private final TxnObserver observer;
    private final Long2ObjectHashMap<HeldLock> byTxn = new Long2ObjectHashMap<>();
    private final List<HeldLock> held = new ArrayList<>();
    private final List<HeldLock> batch = new ArrayList<>();
    private final InodeRecord record = new InodeRecord();

    Participant(ServerState state, LockTable table, int incarnation, TxnObserver observer) {
        this.state = state;
        this.table = table;
        this.incarnation = incarnation;
        this.observer = observer;
    }

    ServerState state() {
        return state;
    }

    LockTable table() {
        return table;
    }

    int incarnation() {
        return incarnation;
    }

    TxnObserver observer() {
        return observer;
    }

    /** Locks held now. */
    List<HeldLock> held() {
        return held;
    }

    HeldLock find(long txnId) {
        return byTxn.get(txnId);
    }

    /** A lock record is durable: everybody else has to wait from now on, readers over the fabric included. */
    void lock(HeldLock lock) {
        if (byTxn.put(lock.txnId, lock) == null) {
            held.add(lock);
        }
        for (int i = 0; i < lock.count(); i++) {
            if (lock.kind(i) != LockRecordLayout.DENTRY && lock.kind(i) != LockRecordLayout.NEW_DENTRY) {
                state.locks().tryLock(lock.ino(i), lock.txnId);
            }
            if (lock.kind(i) == LockRecordLayout.INODE) {
                long word = lock.slot(i) + InodeLayout.VERSION_OFFSET;
                state.store().medium().putLong(word, state.store().readLong(word) | InodeLayout.VERSION_LOCKED);
            }
        }
    }

    // ------------------------------------------------------------------------------------------------ release

    /**
     * Looks at the release words of all locks and finishes those that are written.
     *
     * @return how many
     */
    int pollReleases() {
        int done = 0;
        for (int i = held.size() - 1; i >= 0; i--) {
            // Releasing removes from the list by swapping the last one in, which has been looked at already.
            HeldLock lock = held.get(i);
            long word = table.releaseWord(lock.index);
            if (word == 0) {
                continue;
            }
            if (word == lock.aborted) {
                observer.reached(TxnStep.RELEASE_SEEN, lock.txnId);
                abort(lock);
                done++;
            } else if (word == lock.committed && isComplete(lock)) {
                observer.reached(TxnStep.RELEASE_SEEN, lock.txnId);
                batch.add(lock);
                done++;
                if (batch.size() == RELEASES_PER_RECORD) {
                    commitBatch();
                }
            }
        }
        commitBatch();
        return done;
    }

    /** Nothing happened: objects are as they were, slots that were taken are free. */
    void abort(HeldLock lock) {
        MetaTransaction tx = state.begin(RecordType.LOCK);
        for (int i = 0; i < lock.count(); i++) {
            if (lock.kind(i) == LockRecordLayout.INODE) {
                // Logged too: the odd word may have become durable by itself.
                long word = lock.slot(i) + InodeLayout.VERSION_OFFSET;
                tx.updateLong(word, state.store().readLong(word) & ~InodeLayout.VERSION_LOCKED);
            }
        }
        table.stageClear(tx, lock.index);
        tx.commit();
        observer.reached(TxnStep.IMAGES_DURABLE, lock.txnId);
        for (int i = 0; i < lock.count(); i++) {
            if (lock.kind(i) == LockRecordLayout.NEW_INODE || lock.kind(i) == LockRecordLayout.NEW_DENTRY) {
                state.store().freeSlot(lock.slot(i));
            } else if (lock.kind(i) == LockRecordLayout.INODE) {
                // One that had no name, and was to get one: recovery has left it to its transaction.
                noteNames(lock.ino(i), lock.slot(i));
            }
        }
        unlock(lock);
    }

    private void commitBatch() {
        if (batch.isEmpty()) {
            return;
        }
        MetaTransaction tx = state.begin(RecordType.LOCK);
        for (HeldLock lock : batch) {
            for (int i = 0; i < lock.count(); i++) {
                if (lock.kind(i) != LockRecordLayout.TOKEN) {
                    long slot = lock.slot(i);
                    tx.update(slot, state.store().memory(), slot, slotBytes(slot));
                }
            }
            table.stageClear(tx, lock.index);
        }
        tx.commit();
        for (HeldLock lock : batch) {
            observer.reached(TxnStep.IMAGES_DURABLE, lock.txnId);
            for (int i = 0; i < lock.count(); i++) {
                index(lock, i);
            }
            unlock(lock);
        }
        batch.clear();
    }

    /** DRAM follows what the pool holds now. */
    private void index(HeldLock lock, int i) {
        long slot = lock.slot(i);
        switch (lock.kind(i)) {
            case LockRecordLayout.NEW_INODE -> state.inodes().add(lock.ino(i), slot);
            case LockRecordLayout.NEW_DENTRY -> state.dentries().addSlot(slot);
            case LockRecordLayout.INODE -> noteNames(lock.ino(i), slot);
            case LockRecordLayout.DENTRY, LockRecordLayout.TOKEN -> {
                // Name and place of an entry stay when its child is replaced; a token is nothing but its lock.
            }
            default -> throw new IllegalStateException("object of kind " + lock.kind(i) + " in a lock record");
        }
    }

    /** Whether an inode has a name may have changed, or be known only now. */
    private void noteNames(long ino, long slot) {
        record.wrap(state.store().memory(), slot, slot);
        if (record.nlink() == 0 && !state.orphans().contains(ino)) {
            state.orphans().add(ino, !state.opens().isOpen(ino));
        } else if (record.nlink() != 0) {
            state.orphans().remove(ino);
        }
    }

    private void unlock(HeldLock lock) {
        table.giveBack(lock.index);
        byTxn.remove(lock.txnId);
        int at = held.indexOf(lock);
        HeldLock last = held.remove(held.size() - 1);
        if (at < held.size()) {
            held.set(at, last);
        }
        for (int i = 0; i < lock.count(); i++) {
            state.locks().unlock(lock.ino(i), lock.txnId);
        }
        observer.reached(TxnStep.RELEASED, lock.txnId);
    }

    /** Believes a release word only if every image is whole; else the coordinator is asked, and dispatches again. */
    private boolean isComplete(HeldLock lock) {
        for (int i = 0; i < lock.count(); i++) {
            long slot = lock.slot(i);
            boolean whole = switch (lock.kind(i)) {
                case LockRecordLayout.INODE, LockRecordLayout.NEW_INODE ->
                    InodeLayout.isConsistent(state.store().memory(), slot)
                            && state.store().readLong(slot + InodeLayout.INO_OFFSET) == lock.ino(i);
                case LockRecordLayout.DENTRY, LockRecordLayout.NEW_DENTRY -> isWholeDentry(slot);
                default -> true;
            };
            if (!whole) {
                if (!lock.broken) {
                    lock.broken = true;
                    lock.askAtNanos = state.clock().monotonicNanos();
                    LOG.warn(
                            "transaction {} was released, but the image at {} is not whole; asking for it again",
                            TransactionId.toString(lock.txnId),
                            slot);
                }
                return false;
            }
        }
        return true;
    }

    private boolean isWholeDentry(long slot) {
        int nameLength = state.store().readInt(slot + DentryLayout.NAME_LENGTH_OFFSET) & 0xFFFF;
        return state.dentries().isAllocated(slot)
                && DentryLayout.NAME_OFFSET + nameLength <= slotBytes(slot)
                && state.store().readInt(slot) == state.dentries().checksum(slot);
    }

    private int slotBytes(long slot) {
        return PageKind.slotBytes(state.store().pageKind(state.store().pageOf(slot)));
    }

    // ------------------------------------------------------------------------------------------------ recovery

    /** Reads the lock records after the log was replayed and before slots are looked at. */
    void recover() {
        held.clear();
        byTxn.clear();
        table.recover(incarnation, state.clock().monotonicNanos(), lock -> {
            held.add(lock);
            byTxn.put(lock.txnId, lock);
        });
    }

    /** The lock object that a slot belongs to: its kind, 0 if nobody holds it. */
    int kindOf(long slotOffset) {
        for (HeldLock lock : held) {
            for (int i = 0; i < lock.count(); i++) {
                if (lock.slot(i) == slotOffset && lock.kind(i) != LockRecordLayout.TOKEN) {
                    return lock.kind(i);
                }
            }
        }
        return 0;
    }

    /** Slots are known: the objects in doubt are locked again. */
    void recovered() {
        for (HeldLock lock : held) {
            lock(lock);
        }
    }

    /** Whether a request may take locks for other servers. */
    boolean isServer(RpcRequest request) {
        return state.session(request) == null || state.session(request).isServer();
    }
}
