package org.octofs.pmem.pool;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.octofs.pmem.PoolCorruptException;
import org.octofs.pmem.PoolMismatchException;
import org.octofs.pmem.layout.LogEntryLayout;
import org.octofs.pmem.layout.SegmentTableLayout;
import org.octofs.pmem.layout.SuperblockLayout;
import org.octofs.pmem.layout.Zone;
import org.octofs.pmem.layout.ZoneKind;
import org.octofs.pmem.log.LogRecordView;
import org.octofs.pmem.log.LogScanner;
import org.octofs.pmem.medium.Media;
import org.octofs.pmem.medium.MediumKind;
import org.octofs.pmem.medium.MediumOptions;
import org.octofs.pmem.medium.OpenMode;
import org.octofs.pmem.medium.PmemMedium;
import org.octofs.pmem.segment.SegmentTable;

/**
 * Checks a pool that nobody serves, and changes nothing: superblocks, zones, segment table, log chain. What the zones of others
 * hold is theirs to check.
 * Threading: one thread. Needs no replay: it judges the medium as the last server or crash left it.
 */
public final class PoolCheck {
    /** How bad a finding is. */
    public enum Severity {
        /** Normal after a crash; the next open mends it. */
        NOTE,
        /** The pool cannot be trusted. */
        DAMAGE
    }

    /** One thing found, in words for the user. */
    public record Finding(Severity severity, String text) {}

    private final PmemMedium medium;
    private final boolean owners;
    private final List<Finding> findings = new ArrayList<>();

    private PoolCheck(PmemMedium medium, boolean owners) {
        this.medium = medium;
        this.owners = owners;
    }

    /**
     * Checks the pool file at {@code path}.
     *
     * @return what was found; empty for a pool in perfect order
     * @throws org.octofs.pmem.PoolBusyException when a server has it open
     * @throws IOException when it cannot be read at all
     */
    public static List<Finding> check(Path path) throws IOException {
        try (PmemMedium medium = Media.open(
                path,
                MediumKind.MAPPED,
                OpenMode.CHECK,
                MediumOptions.defaults().withPrefault(false))) {
            return check(medium);
        }
    }

    /** As {@link #check(Path)} for a medium, which stays the caller's. */
    public static List<Finding> check(PmemMedium medium) {
        return check(medium, true);
    }

    /** As {@link #check(PmemMedium)} without the owners of segments, for a caller who looks at them after replay. */
    public static List<Finding> checkBeforeReplay(PmemMedium medium) {
        return check(medium, false);
    }

    private static List<Finding> check(PmemMedium medium, boolean owners) {
        PoolCheck check = new PoolCheck(medium, owners);
        check.run();
        return List.copyOf(check.findings);
    }

    private void note(String text) {
        findings.add(new Finding(Severity.NOTE, text));
    }

    private void damage(String text) {
        findings.add(new Finding(Severity.DAMAGE, text));
    }

    private void run() {
        Superblock superblock;
        try {
            SuperblockPair pair = SuperblockPair.load(medium, PoolExpectation.ANY);
            pair.notes().forEach(this::note);
            superblock = pair.current();
        } catch (PoolMismatchException | PoolCorruptException e) {
            damage(e.getMessage());
            return;
        }
        for (long offset : new long[] {SuperblockLayout.PRIMARY_OFFSET, SuperblockLayout.BACKUP_OFFSET}) {
            if (Superblock.isIntact(medium.memory(), offset) && !Superblock.reservedIsZero(medium.memory(), offset)) {
                damage("reserved bytes of the superblock at " + offset + " are not zero");
            }
        }
        checkSegments(superblock);
        checkLog(superblock);
        if (!superblock.cleanShutdown()) {
            note("the last server did not close the pool in order; the next start replays its log");
        }
    }

    private void checkSegments(Superblock superblock) {
        PoolGeometry geometry = superblock.geometry();
        Zone table = geometry.zone(ZoneKind.SEGMENT_TABLE);
        SegmentTable segments = new SegmentTable(
                medium,
                table,
                geometry.zone(ZoneKind.DATA),
                geometry.segmentSizeBytes(),
                superblock.identity().shardCount());
        for (int i = 0; owners && i < segments.segmentCount(); i++) {
            try {
                segments.ownerOf(i);
            } catch (PoolCorruptException e) {
                damage("segment " + i + ": " + e.getMessage());
            }
        }
        long used = (long) segments.segmentCount() * SegmentTableLayout.SIZE_BYTES;
        MemorySegment rest = medium.memory().asSlice(table.offset() + used, table.lengthBytes() - used);
        for (long at = 0; at < rest.byteSize(); at++) {
            if (rest.get(ValueLayout.JAVA_BYTE, at) != 0) {
                damage("the segment table goes on behind its last segment, at pool offset "
                        + (table.offset() + used + at));
                break;
            }
        }
    }

    private void checkLog(Superblock superblock) {
        Zone log = superblock.geometry().zone(ZoneKind.REDO_LOG);
        try {
            LogScanner scanner = new LogScanner(medium, log);
            if (scanner.oneHeadSlotIsBad()) {
                note("one head slot of the redo log is torn; the other one is used");
            }
            for (LogRecordView view = scanner.next(); view != null; view = scanner.next()) {
                checkRecord(view, log, superblock.incarnation());
            }
            if (scanner.recordCount() > 0) {
                note("the redo log holds " + scanner.recordCount() + " records (" + scanner.usedBytes()
                        + " bytes) to replay");
            }
        } catch (PoolCorruptException e) {
            damage(e.getMessage());
        }
    }

    private void checkRecord(LogRecordView view, Zone log, long incarnation) {
        String name = "record " + view.sequence() + " of the redo log";
        if (view.incarnation() > incarnation) {
            damage(name + " is of incarnation " + view.incarnation() + ", the pool only of " + incarnation);
        }
        while (view.next()) {
            if (view.isPayload()) {
                continue;
            }
            long end = view.poolOffset() + view.lengthBytes();
            boolean inside = view.poolOffset() >= SuperblockLayout.ZONE_BYTES && end <= medium.sizeBytes();
            if (!inside || (view.poolOffset() < log.endOffset() && end > log.offset())) {
                damage(name + " would store " + view.lengthBytes() + " bytes to pool offset " + view.poolOffset()
                        + ", where no update may go (entry at "
                        + (view.dataOffset() - LogEntryLayout.HEADER_BYTES) + ")");
            }
        }
    }
}
