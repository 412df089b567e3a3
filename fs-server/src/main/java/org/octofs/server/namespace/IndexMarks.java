package org.octofs.server.namespace;

import org.octofs.pmem.PoolFullException;
import org.octofs.pmem.log.LogRecord;
import org.octofs.pmem.log.RedoLog;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.server.store.MetaStore;
import org.octofs.server.store.RecordType;

/**
 * The next inode index of every shard. Numbers are reserved durably {@value #RESERVED_AHEAD} at a time, so that none is
 * given twice, not even to different lives of a server; a restart skips the rest of a batch.
 *
 * <p>On media: one u64 per shard, "indexes below this may have been given", in the first {@link #AREA_BYTES} bytes of the
 * SESSION_TABLE zone. 0 means none so far.
 * Threading:  confined to the worker.
 * Durability: a number is covered by a durable mark when {@link #next} returns.
 */
public final class IndexMarks {
    /** Bytes at the start of the SESSION_TABLE zone. */
    public static final int AREA_BYTES = ClusterMap.SHARDS_MAX * Long.BYTES;

    private static final int RESERVED_AHEAD = 4096;

    private final MetaStore store;
    private final RedoLog log;
    private final long areaOffset;
    private final long[] next = new long[ClusterMap.SHARDS_MAX];
    private final long[] limit = new long[ClusterMap.SHARDS_MAX];

    /**
     * Marks that are not read yet.
     *
     * @param areaOffset pool offset of the marks
     */
    public IndexMarks(MetaStore store, long areaOffset) {
        this.store = store;
        this.log = store.log();
        this.areaOffset = areaOffset;
    }

    /** Reads the marks, after the log was replayed. */
    public void recover() {
        for (int shard = 0; shard < ClusterMap.SHARDS_MAX; shard++) {
            // Index 0 is no index, and index 1 of shard 0 is the root.
            long mark = Math.max(store.readLong(areaOffset + (long) shard * Long.BYTES), 2);
            next[shard] = mark;
            limit[shard] = mark;
        }
    }

    /**
     * A fresh index of {@code shard}. May append a record to the log.
     *
     * @throws PoolFullException if the shard has given all its numbers
     */
    public long next(int shard) {
        if (next[shard] == limit[shard]) {
            long reserved = Math.min(next[shard] + RESERVED_AHEAD, InodeNumber.INDEX_MAX);
            if (reserved == next[shard]) {
                throw new PoolFullException("shard " + shard + " has no inode numbers left");
            }
            LogRecord record = log.begin(RecordType.PAGE);
            record.updateLong(areaOffset + (long) shard * Long.BYTES, reserved);
            log.commit(record);
            log.apply(record);
            limit[shard] = reserved;
        }
        return next[shard]++;
    }
}
