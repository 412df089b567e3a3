package org.octofs.server.space;

import org.octofs.pmem.log.LogRecord;
import org.octofs.pmem.log.RedoLog;
import org.octofs.pmem.segment.SegmentTable;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.server.store.MetaStore;
import org.octofs.server.store.RecordType;

/**
 * The segments of this node's own data zone: gives them to shards of any home and takes them back.
 *
 * <p>Threading: confined to the server's worker. Durability: a change is durable when the method returns; it has a log record
 * of its own, since it must hold whether or not the transaction that wanted the space goes through.
 */
public final class LocalSegments {
    private final RedoLog log;
    private final SegmentTable table;
    private final int nodeId;
    private final int[] found = new int[1];

    public LocalSegments(MetaStore store, SegmentTable table, int nodeId) {
        this.log = store.log();
        this.table = table;
        this.nodeId = nodeId;
    }

    /** Whose they are. */
    public int nodeId() {
        return nodeId;
    }

    /** Segments of the data zone. */
    public int segmentCount() {
        return table.segmentCount();
    }

    /** Segments that nobody owns. */
    public int freeCount() {
        return table.freeCount();
    }

    /** Bytes of a segment. */
    public long segmentBytes() {
        return table.segmentSizeBytes();
    }

    /** Blocks of a segment. */
    public int segmentBlocks() {
        return (int) (table.segmentSizeBytes() >>> BlockLocation.BLOCK_SHIFT);
    }

    /** Pool offset of segment 0. */
    public long dataOffset() {
        return table.segmentOffset(0);
    }

    /** Owner of a segment, {@link SegmentTable#NO_OWNER} if there is none. */
    public int ownerOf(int segmentIndex) {
        return table.ownerOf(segmentIndex);
    }

    /** Location of a segment's first block. */
    public long location(int segmentIndex) {
        return BlockLocation.of(nodeId, table.segmentOffset(segmentIndex) >>> BlockLocation.BLOCK_SHIFT);
    }

    /** Index of the segment that holds a location of this node. */
    public int indexOf(long location) {
        return table.segmentIndexOf(BlockLocation.poolOffset(location));
    }

    /** Gives a free segment to a shard. @return its index, -1 if there is none */
    public int give(int shard) {
        if (table.findFree(found) == 0) {
            return -1;
        }
        LogRecord record = log.begin(RecordType.SEGMENT).shard(shard);
        table.stageAssign(record, found[0], shard);
        log.commit(record);
        log.apply(record);
        return found[0];
    }

    /** Takes a segment back that a shard owns. */
    public void takeBack(int segmentIndex) {
        LogRecord record = log.begin(RecordType.SEGMENT).shard(table.ownerOf(segmentIndex));
        table.stageFree(record, segmentIndex);
        log.commit(record);
        log.apply(record);
    }
}
