package org.octofs.pmem.pool;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.octofs.pmem.layout.Zone;
import org.octofs.pmem.layout.ZoneKind;
import org.octofs.pmem.log.RedoLog;
import org.octofs.pmem.medium.Media;
import org.octofs.pmem.medium.MediumKind;
import org.octofs.pmem.medium.MediumOptions;
import org.octofs.pmem.medium.OpenMode;
import org.octofs.pmem.medium.PmemMedium;
import org.octofs.pmem.segment.SegmentTable;

/**
 * A node's pool, open for service. After opening, {@code redoLog().replay(visitor)} must run before any zone is believed.
 * Threading:  the pool's worker; the identity and the zones may be read by any thread.
 * Ownership:  owns the medium. {@link #close} ends it, idempotently; everything got from the pool is unusable afterwards.
 * Durability: when {@link #open} returns, the new incarnation is durable, so no two opens ever share one. An orderly close
 *             checkpoints the log and sets the clean-shutdown flag; a crash needs nothing of the kind.
 */
public final class PmemPool implements AutoCloseable {
    private final PmemMedium medium;
    private final SuperblockPair superblocks;
    private final RedoLog redoLog;
    private final SegmentTable segments;
    private final boolean wasClean;
    private final List<String> notes;
    private boolean closed;

    private PmemPool(PmemMedium medium, SuperblockPair superblocks) {
        this.medium = medium;
        this.superblocks = superblocks;
        this.wasClean = superblocks.current().cleanShutdown();
        this.notes = superblocks.notes();
        Superblock found = superblocks.current();
        superblocks.store(found.next(found.incarnation() + 1, false));
        PoolGeometry geometry = found.geometry();
        this.redoLog = new RedoLog(medium, geometry.zone(ZoneKind.REDO_LOG), openedIncarnation());
        this.segments = new SegmentTable(
                medium,
                geometry.zone(ZoneKind.SEGMENT_TABLE),
                geometry.zone(ZoneKind.DATA),
                geometry.segmentSizeBytes(),
                found.identity().shardCount());
    }

    /**
     * Opens the pool on a medium and takes the medium over; it is closed when opening fails.
     *
     * @throws org.octofs.pmem.PoolMismatchException when it is not the pool that is wanted; nothing was changed
     * @throws org.octofs.pmem.PoolCorruptException when it is damaged beyond serving
     */
    public static PmemPool open(PmemMedium medium, PoolExpectation expected) throws IOException {
        try {
            return new PmemPool(medium, SuperblockPair.load(medium, expected));
        } catch (IOException | RuntimeException | Error e) {
            medium.close();
            throw e;
        }
    }

    /**
     * Tells whether {@link #open} would find the pool that is wanted, and changes nothing.
     *
     * @throws org.octofs.pmem.PoolMismatchException if not
     * @throws org.octofs.pmem.PoolCorruptException when it is damaged beyond serving
     */
    public static void require(PmemMedium medium, PoolExpectation expected) throws IOException {
        SuperblockPair.load(medium, expected);
    }

    /** As {@link #open(PmemMedium, PoolExpectation)} of the pool file at {@code path}, locked for the life of the pool. */
    public static PmemPool open(Path path, MediumKind kind, PoolExpectation expected, MediumOptions options)
            throws IOException {
        return open(Media.open(path, kind, OpenMode.SERVE, options), expected);
    }

    public PmemMedium medium() {
        return medium;
    }

    public Zone zone(ZoneKind kind) {
        return geometry().zone(kind);
    }

    public PoolGeometry geometry() {
        return superblocks.current().geometry();
    }

    public PoolIdentity identity() {
        return superblocks.current().identity();
    }

    public UUID clusterId() {
        return identity().clusterId();
    }

    public int nodeId() {
        return identity().nodeId();
    }

    /** Size of a segment of the data zone in bytes, a power of two. */
    public long segmentSizeBytes() {
        return geometry().segmentSizeBytes();
    }

    public RedoLog redoLog() {
        return redoLog;
    }

    public SegmentTable segmentTable() {
        return segments;
    }

    /** Number of this open for service (u32, from 1), larger than that of any earlier one. */
    public long openedIncarnation() {
        return superblocks.current().incarnation();
    }

    /** Whether the last server closed the pool in order. */
    public boolean wasCleanShutdown() {
        return wasClean;
    }

    /** Time of format in milliseconds since 1970 UTC. */
    public long createdMillis() {
        return superblocks.current().createdMillis();
    }

    /** What was found and mended while opening, in words for the log; usually empty. */
    public List<String> notes() {
        return notes;
    }

    /** Closes in order: checkpoint, clean flag, medium. A pool whose log was never replayed is left as it was found. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            if (redoLog.isReady()) {
                redoLog.checkpoint();
                superblocks.store(superblocks.current().next(openedIncarnation(), true));
            }
        } finally {
            medium.close();
        }
    }

    /** Lets go of the medium as a crash would: no checkpoint, no clean flag. For error paths and tests. */
    public void abandon() {
        closed = true;
        medium.close();
    }
}
