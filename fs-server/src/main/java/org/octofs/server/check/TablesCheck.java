package org.octofs.server.check;

import org.octofs.pmem.layout.SegmentTableLayout;
import org.octofs.pmem.layout.Zone;
import org.octofs.pmem.layout.ZoneKind;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.server.check.Findings.Stage;
import org.octofs.server.lease.LeaseWords;
import org.octofs.server.namespace.IndexMarks;
import org.octofs.server.session.ReplyEntryLayout;
import org.octofs.server.session.SessionHeaderLayout;
import org.octofs.server.txn.LockRecordLayout;

/** The small tables of a pool: inode index marks, sessions with their outcomes, lock records. Confined to the check. */
final class TablesCheck {
    private final Cluster cluster;
    private final Findings findings;

    TablesCheck(Cluster cluster, Findings findings) {
        this.cluster = cluster;
        this.findings = findings;
    }

    void run(PoolView pool) {
        marks(pool);
        sessions(pool);
        locks(pool);
        segments(pool);
    }

    private void marks(PoolView pool) {
        long base = pool.zone(ZoneKind.SESSION_TABLE).offset();
        for (int shard = 0; shard < cluster.shardCount(); shard++) {
            long at = base + (long) shard * Long.BYTES;
            long mark = pool.readLong(at);
            if (mark < 0 || mark >= InodeNumber.INDEX_MAX) {
                findings.error(
                        pool.node(),
                        0,
                        at,
                        "the mark for the inode numbers of shard " + shard + " is " + Long.toUnsignedString(mark),
                        "it is set behind the numbers that are in use",
                        Stage.STRUCTURE,
                        () -> Mender.word(pool, at, 0));
            }
        }
    }

    private void sessions(PoolView pool) {
        Zone zone = pool.zone(ZoneKind.SESSION_TABLE);
        long first = zone.offset() + IndexMarks.AREA_BYTES;
        long count = (zone.endOffset() - LeaseWords.AREA_BYTES - first) / SessionHeaderLayout.SESSION_BYTES;
        for (long i = 0; i < count; i++) {
            long header = first + i * SessionHeaderLayout.SESSION_BYTES;
            int magic = pool.readInt(header + SessionHeaderLayout.MAGIC_OFFSET);
            if (magic == 0) {
                continue;
            }
            if (magic != SessionHeaderLayout.MAGIC || !isSealed(pool, header, SessionHeaderLayout.CHECKSUM_OFFSET)) {
                findings.error(
                        pool.node(),
                        0,
                        header,
                        "session " + i + " of the session table has a wrong checksum",
                        "it is removed; if that client still runs, mount it anew",
                        Stage.STRUCTURE,
                        () -> Mender.zero(pool, header, SessionHeaderLayout.SIZE_BYTES));
                continue;
            }
            long client = pool.readLong(header + SessionHeaderLayout.CLIENT_ID_OFFSET);
            for (int slot = 0; slot < SessionHeaderLayout.SLOT_COUNT; slot++) {
                outcome(pool, header, client, slot);
            }
        }
    }

    private void outcome(PoolView pool, long header, long client, int slot) {
        long at = header + SessionHeaderLayout.SIZE_BYTES + (long) slot * ReplyEntryLayout.SIZE_BYTES;
        if (pool.readLong(at + ReplyEntryLayout.CLIENT_ID_OFFSET) == client
                && !isSealed(pool, at, ReplyEntryLayout.CHECKSUM_OFFSET)) {
            findings.error(
                    pool.node(),
                    0,
                    at,
                    "the outcome of the last request in slot " + slot + " of client " + Long.toHexString(client)
                            + " has a wrong checksum",
                    "it is removed; if that client still runs and sends this request again, it is done again",
                    Stage.STRUCTURE,
                    () -> Mender.zero(pool, at, ReplyEntryLayout.SIZE_BYTES));
        }
    }

    private static boolean isSealed(PoolView pool, long at, int checksumOffset) {
        return pool.checksum(at, at + checksumOffset) == pool.readInt(at + checksumOffset);
    }

    private void locks(PoolView pool) {
        Zone zone = pool.zone(ZoneKind.LOCK_TABLE);
        for (long at = zone.offset();
                at + LockRecordLayout.SIZE_BYTES <= zone.endOffset();
                at += LockRecordLayout.SIZE_BYTES) {
            long record = at;
            if (pool.readLong(at) != 0 && !DoubtfulTransactions.isWhole(pool, at)) {
                findings.error(
                        pool.node(),
                        0,
                        at,
                        "a record of the lock table has a wrong checksum",
                        "it is removed; what it held is as it was before that transaction, or checked on its own",
                        Stage.STRUCTURE,
                        () -> Mender.zero(pool, record, LockRecordLayout.SIZE_BYTES));
            }
        }
    }

    private void segments(PoolView pool) {
        for (int segment = 0; segment < pool.segmentCount(); segment++) {
            int owner = pool.owner(segment);
            if (owner < -1 || owner >= cluster.shardCount()) {
                long word = pool.segmentWordOffset(segment);
                long free = SegmentTableLayout.successor(pool.readLong(word), SegmentTableLayout.NO_OWNER);
                findings.error(
                        pool.node(),
                        0,
                        word,
                        "segment " + segment + " is said to belong to shard " + owner + ", which does not exist",
                        "it is made free; if files have blocks in it, their shard gets it",
                        Stage.STRUCTURE,
                        () -> Mender.word(pool, word, free));
            }
        }
    }
}
