package org.octofs.server.check;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.octofs.pmem.layout.Zone;
import org.octofs.pmem.layout.ZoneKind;
import org.octofs.pmem.log.LogRecord;
import org.octofs.pmem.log.LogRecordView;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.server.store.PageKind;
import org.octofs.server.store.RecordType;
import org.octofs.server.txn.DispatchWrites;
import org.octofs.server.txn.LockRecordLayout;
import org.octofs.server.txn.TransactionId;

/**
 * Ends the transactions over several homes that a stop has left in the middle, by the rule of the servers: the coordinator's
 * log decides. A lock whose transaction it has committed gets the images again; any other is taken away, and nothing has
 * happened. Where the coordinator's pool is not at hand, what is locked is left out of the check.
 * Threading: confined to the check. Durability: images and the end of the lock are one record of the participant's log; the
 * coordinator's record goes after that.
 */
final class DoubtfulTransactions {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final Findings findings;
    /** By transaction: what its coordinator wants written, by node. */
    private final Map<Long, Map<Integer, DispatchWrites>> committed = new HashMap<>();

    private final Map<Integer, List<Retained>> retained = new HashMap<>();
    private long ended;

    private record Retained(long sequence, List<Integer> nodes) {}

    DoubtfulTransactions(Findings findings) {
        this.findings = findings;
    }

    /** Transactions that were ended. */
    long ended() {
        return ended;
    }

    /** Replay has met a record. */
    void replayed(int node, PmemLog log, LogRecordView view) {
        if (view.type() != RecordType.DISTRIBUTED) {
            return;
        }
        List<Integer> nodes = new ArrayList<>();
        while (view.next()) {
            if (view.isPayload()) {
                nodes.add(view.tag());
                try {
                    committed
                            .computeIfAbsent(view.txnId(), _ -> new HashMap<>())
                            .put(view.tag(), DispatchWrites.decode(view.data()));
                } catch (IllegalStateException | IndexOutOfBoundsException e) {
                    findings.error(
                            node,
                            0,
                            view.recordOffset(),
                            "the record of transaction " + TransactionId.toString(view.txnId())
                                    + " in the redo log makes no sense: " + e.getMessage(),
                            "its participants cannot be brought up to date; report this as a fault of OctoFS");
                }
            }
        }
        if (!nodes.isEmpty()) {
            log.retain(view.sequence());
            retained.computeIfAbsent(node, _ -> new ArrayList<>()).add(new Retained(view.sequence(), nodes));
        }
    }

    /** What is needed of a redo log during replay. */
    @FunctionalInterface
    interface PmemLog {
        void retain(long sequence);
    }

    /** All logs are replayed. */
    void end(Cluster cluster) {
        for (int node = 0; node < cluster.nodeCount(); node++) {
            if (cluster.pool(node) != null) {
                endLocks(cluster, cluster.pool(node));
            }
        }
        for (Map.Entry<Integer, List<Retained>> entry : retained.entrySet()) {
            PoolView pool = cluster.pool(entry.getKey());
            for (Retained record : entry.getValue()) {
                boolean all = record.nodes.stream().allMatch(n -> cluster.pool(n) != null);
                if (pool != null && all) {
                    pool.log().release(record.sequence);
                }
            }
        }
    }

    private void endLocks(Cluster cluster, PoolView pool) {
        Zone zone = pool.zone(ZoneKind.LOCK_TABLE);
        long count = zone.lengthBytes() / LockRecordLayout.SIZE_BYTES;
        for (long i = 0; i < count; i++) {
            long at = zone.offset() + i * LockRecordLayout.SIZE_BYTES;
            long txnId = pool.readLong(at + LockRecordLayout.LOCK_WORD_OFFSET);
            if (txnId != 0 && isWhole(pool, at)) {
                endLock(cluster, pool, at, txnId);
            }
        }
    }

    /** Checksum and count of a lock record. */
    static boolean isWhole(PoolView pool, long at) {
        byte[] image = pool.memory().asSlice(at, LockRecordLayout.SIZE_BYTES).toArray(ValueLayout.JAVA_BYTE);
        MemorySegment segment = MemorySegment.ofArray(image);
        int found = segment.get(INT, LockRecordLayout.CHECKSUM_OFFSET);
        segment.set(LONG, LockRecordLayout.RELEASE_WORD_OFFSET, 0);
        segment.set(INT, LockRecordLayout.CHECKSUM_OFFSET, 0);
        int objects = segment.get(INT, LockRecordLayout.COUNT_OFFSET);
        return found == Checksums.of(segment, 0, image.length)
                && objects >= 0
                && objects <= LockRecordLayout.OBJECTS_MAX;
    }

    private void endLock(Cluster cluster, PoolView pool, long at, long txnId) {
        int coordinator = TransactionId.node(txnId);
        DispatchWrites writes = committed.getOrDefault(txnId, Map.of()).get(pool.node());
        String name = "transaction " + TransactionId.toString(txnId);
        if (writes == null && (coordinator >= cluster.nodeCount() || cluster.pool(coordinator) == null)) {
            lock(pool, at);
            findings.note(
                    pool.node(),
                    name + " is in doubt, and the pool of its coordinator, node " + coordinator
                            + ", is not part of this check; what it holds is not checked");
            return;
        }
        LogRecord record = pool.log().begin(RecordType.LOCK);
        if (writes != null) {
            for (int i = 0; i < writes.count(); i++) {
                record.update(writes.poolOffset(i), writes.segment(), writes.position(i), writes.length(i));
            }
        } else {
            abort(pool, at, record);
        }
        record.update(at, MemorySegment.ofArray(new byte[LockRecordLayout.SIZE_BYTES]), 0, LockRecordLayout.SIZE_BYTES);
        try {
            Mender.commit(pool, record);
            ended++;
            findings.note(
                    pool.node(),
                    name + " of node " + coordinator + " was in doubt; " + (writes != null ? "committed" : "aborted"));
        } catch (RepairException | IndexOutOfBoundsException e) {
            lock(pool, at);
            findings.error(
                    pool.node(),
                    0,
                    at,
                    name + " cannot be ended: " + e.getMessage(),
                    "report this as a fault of OctoFS");
        }
    }

    private static void abort(PoolView pool, long at, LogRecord record) {
        forEachObject(pool, at, (kind, slot) -> {
            if (kind == LockRecordLayout.INODE && isInMetadata(pool, slot)) {
                record.updateLong(slot, pool.readLong(slot) & ~InodeLayout.VERSION_LOCKED);
            }
        });
    }

    private static boolean isInMetadata(PoolView pool, long slot) {
        Zone metadata = pool.zone(ZoneKind.METADATA);
        return slot >= metadata.offset() && slot <= metadata.endOffset() - PageKind.slotBytes(PageKind.INODE);
    }

    private static void lock(PoolView pool, long at) {
        forEachObject(pool, at, (_, slot) -> pool.lockedSlots().add(slot));
    }

    /** Told about each object of a lock record that has a slot. */
    @FunctionalInterface
    interface LockedObject {
        void object(int kind, long slotOffset);
    }

    private static void forEachObject(PoolView pool, long at, LockedObject visitor) {
        int count = pool.readInt(at + LockRecordLayout.COUNT_OFFSET);
        for (int i = 0; i < count; i++) {
            long object = at + LockRecordLayout.OBJECTS_OFFSET + (long) i * LockRecordLayout.OBJECT_BYTES;
            long word = pool.readLong(object + LockRecordLayout.OBJECT_SLOT_OFFSET);
            int kind = (int) (word & LockRecordLayout.KIND_MASK);
            if (kind != LockRecordLayout.TOKEN) {
                visitor.object(kind, word & ~LockRecordLayout.KIND_MASK);
            }
        }
    }
}
