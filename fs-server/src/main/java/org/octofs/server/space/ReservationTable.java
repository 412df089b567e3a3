package org.octofs.server.space;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.function.LongPredicate;
import java.util.zip.CRC32C;
import org.octofs.pmem.PoolCorruptException;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.server.store.DeferredAction;
import org.octofs.server.store.MetaStore;
import org.octofs.server.store.MetaTransaction;

/**
 * The RESERVATION_TABLE zone: which blocks are lent to which client. Exact at every moment, see {@link LentRuns}.
 *
 * <p>Threading: confined to the server's worker. Durability: every change is staged in the caller's transaction; lending is
 * undone in DRAM if that is aborted, taking back happens in DRAM when it is durable. Limits: as many entries as the zone
 * holds. Allocates nothing in steady state.
 */
public final class ReservationTable {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** Told about entries. */
    @FunctionalInterface
    public interface Visitor {
        void run(long location, int count, long clientId, int shard);
    }

    private final MetaStore store;
    private final long zoneOffset;
    private final LentRuns runs;
    private final byte[] imageBytes = new byte[ReservationLayout.SIZE_BYTES];
    private final MemorySegment image = MemorySegment.ofArray(imageBytes);
    private final CRC32C crc = new CRC32C();
    private final DeferredAction dropEntry = (entry, _) -> runsRemove((int) entry);
    private final DeferredAction applyPlan = (_, _) -> runsPlanApply();
    private final DeferredAction cancelPlan = (_, _) -> runsPlanCancel();

    /**
     * @param zoneOffset pool offset of the zone
     * @param zoneBytes its length
     */
    public ReservationTable(MetaStore store, long zoneOffset, long zoneBytes) {
        this.store = store;
        this.zoneOffset = zoneOffset;
        this.runs = new LentRuns(Math.toIntExact(zoneBytes / ReservationLayout.SIZE_BYTES));
    }

    /** Blocks that are lent now. */
    public long lentBlocks() {
        return runs.lentBlocks();
    }

    /** Blocks of one node that are lent now. */
    public long lentBlocks(int node) {
        return runs.lentBlocks(node);
    }

    /** Entries in use. */
    public int entries() {
        return runs.entries();
    }

    /**
     * Most blocks that one client's next request may get: half of what the table can still take, so that one client that
     * asks and asks never leaves nothing for the others. 0 = the table is full.
     */
    public int lendable() {
        return (runs.lendable() + 1) / 2;
    }

    /** Stages the loan of a run that lies within one MiB; it counts at once, until the transaction is aborted. */
    public void lend(MetaTransaction tx, long location, int count, long clientId, long tag) {
        int entry = runs.nextFree();
        stage(tx, entry, location, count, clientId, tag);
        runs.add(location, count, clientId, tag);
        tx.afterAbort(dropEntry, entry, 0);
    }

    /** Begins to take blocks out of loans; runs follow with {@link #take} in ascending order of their locations. */
    public void takeBegin() {
        runs.planBegin();
    }

    /**
     * One run to take.
     *
     * @return false if not all of it is lent to that client by that shard, or a block was named before: {@link #takeCancel}
     */
    public boolean take(long clientId, int shard, long location, int count) {
        return runs.planUse(clientId, shard, BlockLocation.withoutFlags(location), count);
    }

    /** Forgets what was to be taken. Not after {@link #takeStage}; then the transaction decides. */
    public void takeCancel() {
        runs.planCancel();
    }

    /** Stages what was taken; the loans are cut down once the transaction is durable. */
    public void takeStage(MetaTransaction tx) {
        runs.planEnd();
        for (int i = 0; i < runs.planCount(); i++) {
            int entry = runs.planIndex(i);
            if (runs.planBlocks(i) == 0) {
                tx.updateLong(entryOffset(entry) + ReservationLayout.BLOCK_COUNT_OFFSET, 0);
            } else {
                int source = runs.planSource(i);
                stage(tx, entry, runs.planLocation(i), runs.planBlocks(i), runs.client(source), runs.tag(source));
            }
        }
        tx.afterCommit(applyPlan, 0, 0);
        tx.afterAbort(cancelPlan, 0, 0);
    }

    /**
     * Stages the end of up to {@code max} loans of a client.
     *
     * @param firstEntry where to go on, 0 at first
     * @param which asked with the location of each whether it ends; the others stay
     * @param visitor told each that ends, so that the blocks can be freed after the commit
     * @return where to go on, -1 if that was all
     */
    public int endLoans(
            MetaTransaction tx, long clientId, int firstEntry, int max, LongPredicate which, Visitor visitor) {
        int left = max;
        for (int entry = firstEntry; entry < runs.ceiling(); entry++) {
            if (runs.count(entry) == 0 || runs.client(entry) != clientId) {
                continue;
            }
            if (!which.test(runs.location(entry))) {
                continue;
            }
            if (left-- == 0) {
                return entry;
            }
            tx.updateLong(entryOffset(entry) + ReservationLayout.BLOCK_COUNT_OFFSET, 0);
            tx.afterCommit(dropEntry, entry, 0);
            visitor.run(runs.location(entry), runs.count(entry), clientId, shard(entry));
        }
        return -1;
    }

    /** Shows the loans that one request made and that are still there, for a resend after a restart. */
    public void forRequest(long clientId, long tag, Visitor visitor) {
        for (int entry = 0; entry < runs.ceiling(); entry++) {
            if (runs.count(entry) != 0 && runs.client(entry) == clientId && runs.tag(entry) == tag) {
                visitor.run(runs.location(entry), runs.count(entry), clientId, shard(entry));
            }
        }
    }

    /** Shows all loans. */
    public void forEach(Visitor visitor) {
        for (int entry = 0; entry < runs.ceiling(); entry++) {
            if (runs.count(entry) != 0) {
                visitor.run(runs.location(entry), runs.count(entry), runs.client(entry), shard(entry));
            }
        }
    }

    /**
     * Reads the zone after the log was replayed.
     *
     * @throws PoolCorruptException if an entry in use has a wrong checksum
     */
    public void recover() {
        for (int entry = 0; entry < runs.capacity(); entry++) {
            long at = entryOffset(entry);
            if (store.readLong(at + ReservationLayout.BLOCK_COUNT_OFFSET) == 0) {
                continue;
            }
            long location = store.readLong(at + ReservationLayout.LOCATION_OFFSET);
            int count = store.readInt(at + ReservationLayout.BLOCK_COUNT_OFFSET);
            long clientId = store.readLong(at + ReservationLayout.CLIENT_ID_OFFSET);
            long tag = store.readLong(at + ReservationLayout.TAG_OFFSET);
            int expected = fill(location, count, clientId, tag);
            int found = store.readInt(at + ReservationLayout.CHECK_OFFSET);
            if (expected != found || count < 1 || (location >>> 8) != (location + count - 1) >>> 8) {
                throw new PoolCorruptException("checksum of a reservation", at, expected, found);
            }
            runs.restore(entry, location, count, clientId, tag);
        }
        runs.recovered();
    }

    private void stage(MetaTransaction tx, int entry, long location, int count, long clientId, long tag) {
        fill(location, count, clientId, tag);
        tx.update(entryOffset(entry), image, 0, ReservationLayout.SIZE_BYTES);
    }

    /** Fills the scratch image. @return its checksum */
    private int fill(long location, int count, long clientId, long tag) {
        image.set(LONG, ReservationLayout.LOCATION_OFFSET, location);
        image.set(INT, ReservationLayout.BLOCK_COUNT_OFFSET, count);
        image.set(LONG, ReservationLayout.CLIENT_ID_OFFSET, clientId);
        image.set(LONG, ReservationLayout.TAG_OFFSET, tag);
        crc.reset();
        crc.update(imageBytes, 0, ReservationLayout.CHECK_OFFSET);
        crc.update(imageBytes, ReservationLayout.CLIENT_ID_OFFSET, 2 * Long.BYTES);
        int check = (int) crc.getValue();
        image.set(INT, ReservationLayout.CHECK_OFFSET, check);
        return check;
    }

    private int shard(int entry) {
        return ReservationLayout.shardOfTag(runs.tag(entry));
    }

    private long entryOffset(int entry) {
        return zoneOffset + (long) entry * ReservationLayout.SIZE_BYTES;
    }

    private void runsRemove(int entry) {
        runs.remove(entry);
    }

    private void runsPlanApply() {
        runs.planApply();
    }

    private void runsPlanCancel() {
        runs.planCancel();
    }
}
