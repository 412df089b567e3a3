package org.octofs.pmem.pool;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.octofs.pmem.layout.LogHeadLayout;
import org.octofs.pmem.layout.SegmentTableLayout;
import org.octofs.pmem.layout.SuperblockLayout;
import org.octofs.pmem.layout.Zone;
import org.octofs.pmem.layout.ZoneKind;
import org.octofs.pmem.layout.ZoneTableLayout;
import org.octofs.pmem.log.RedoLog;

/**
 * Where everything lies in a pool of a given size: the one place where zone offsets are computed. Immutable.
 *
 * <p>Zones follow each other in the order of {@link ZoneKind}, each aligned to 4 KiB, the data zone to the segment size. The
 * formatter stores the result; later versions read it from the superblock instead of computing it anew.
 */
public final class PoolGeometry {
    /** Smallest pool, but for tests. */
    public static final long POOL_BYTES_MIN = 64L << 20;

    private static final long PAGE_BYTES = ZoneTableLayout.ALIGNMENT_BYTES;
    private static final long SMALL_POOL_BYTES = 256L << 20;
    private static final int DEFAULT_METADATA_SHARE = 8;
    private static final int PAGE_TABLE_ENTRY_BYTES = 8;
    private static final long SEGMENT_BYTES_MIN = 1L << 20;
    private static final int SEGMENTS_WANTED = 1024;
    private static final int SEGMENT_COUNT_MAX = 1 << 20;

    private final long poolSizeBytes;
    private final long segmentSizeBytes;
    private final Map<ZoneKind, Zone> zones;

    /** Takes zones as they are, for reading a superblock; {@link #problems()} says what is wrong with them. */
    PoolGeometry(long poolSizeBytes, long segmentSizeBytes, Map<ZoneKind, Zone> zones) {
        this.poolSizeBytes = poolSizeBytes;
        this.segmentSizeBytes = segmentSizeBytes;
        this.zones = new EnumMap<>(zones);
    }

    /**
     * Computes the zones.
     *
     * @throws IllegalArgumentException when the pool is too small or the options do not fit together; the message is for users
     */
    public static PoolGeometry forPool(long requestedSizeBytes, GeometryOptions options) {
        long pool = requestedSizeBytes - requestedSizeBytes % PAGE_BYTES;
        if (pool < POOL_BYTES_MIN && !options.tiny()) {
            throw new IllegalArgumentException(
                    "a pool needs at least " + (POOL_BYTES_MIN >> 20) + " MiB, not " + requestedSizeBytes + " bytes");
        }
        boolean small = pool < SMALL_POOL_BYTES;
        long segment = options.segmentSizeBytes() > 0
                ? options.segmentSizeBytes()
                : Math.max(SEGMENT_BYTES_MIN, powerOfTwoFrom(pool / SEGMENTS_WANTED));
        long table = options.tableBytes() > 0 ? options.tableBytes() : small ? 256 << 10 : 1 << 20;
        long log = options.redoLogBytes() > 0 ? options.redoLogBytes() : defaultLogBytes(pool);
        int share = options.metadataShare() > 0 ? options.metadataShare() : DEFAULT_METADATA_SHARE;
        long metadata = roundUp(pool / share, PAGE_BYTES);

        Builder builder = new Builder();
        builder.add(ZoneKind.SUPERBLOCK, SuperblockLayout.ZONE_BYTES);
        // As if all the pool were data: a few words too many, but the table's length then does not depend on its own.
        builder.add(ZoneKind.SEGMENT_TABLE, pool / segment * SegmentTableLayout.SIZE_BYTES);
        builder.add(ZoneKind.LOCK_TABLE, table / 4);
        builder.add(ZoneKind.SESSION_TABLE, table);
        builder.add(ZoneKind.RESERVATION_TABLE, table);
        builder.add(ZoneKind.PAGE_TABLE, metadata / PAGE_BYTES * PAGE_TABLE_ENTRY_BYTES);
        builder.add(ZoneKind.REDO_LOG, log);
        builder.add(ZoneKind.METADATA, metadata);
        long dataOffset = roundUp(builder.next, segment);
        long dataLength = dataOffset >= pool ? 0 : (pool - dataOffset) / segment * segment;
        builder.zones.put(ZoneKind.DATA, new Zone(ZoneKind.DATA, dataOffset, dataLength));
        PoolGeometry geometry = new PoolGeometry(pool, segment, builder.zones);
        List<String> problems = geometry.problems();
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(
                    "a pool of " + requestedSizeBytes + " bytes cannot be laid out: " + String.join("; ", problems));
        }
        return geometry;
    }

    private static long defaultLogBytes(long pool) {
        long wanted = Math.clamp(pool / 64, 4L << 20, 64L << 20);
        return Math.min(wanted, pool / 8);
    }

    private static long powerOfTwoFrom(long value) {
        return value <= 1 ? 1 : Long.highestOneBit(value - 1) << 1;
    }

    private static long roundUp(long value, long powerOfTwo) {
        return (value + powerOfTwo - 1) & -powerOfTwo;
    }

    private static final class Builder {
        private final Map<ZoneKind, Zone> zones = new EnumMap<>(ZoneKind.class);
        private long next;

        private void add(ZoneKind kind, long lengthBytes) {
            long length = Math.max(PAGE_BYTES, roundUp(lengthBytes, PAGE_BYTES));
            zones.put(kind, new Zone(kind, next, length));
            next += length;
        }
    }

    /** What contradicts the rules, in words; empty for a sound geometry. */
    public List<String> problems() {
        List<String> problems = new ArrayList<>();
        if (Long.bitCount(segmentSizeBytes) != 1 || segmentSizeBytes < PAGE_BYTES) {
            problems.add("the segment size " + segmentSizeBytes + " is not a power of two of at least 4 KiB");
            return problems;
        }
        long end = 0;
        for (ZoneKind kind : ZoneKind.values()) {
            Zone zone = zones.get(kind);
            if (zone == null) {
                problems.add("zone " + kind + " is missing");
                continue;
            }
            if (zone.offset() % PAGE_BYTES != 0 || zone.lengthBytes() % PAGE_BYTES != 0) {
                problems.add("zone " + kind + " is not aligned to 4 KiB");
            }
            if (zone.offset() < end) {
                problems.add("zone " + kind + " starts at " + zone.offset()
                        + ", inside the one before it, which ends at " + end);
            }
            if (zone.lengthBytes() <= 0 || zone.lengthBytes() > poolSizeBytes - zone.offset()) {
                problems.add("zone " + kind + " (" + zone.lengthBytes() + " bytes at " + zone.offset()
                        + ") is empty or does not end inside the pool of " + poolSizeBytes + " bytes");
            }
            end = zone.endOffset();
        }
        if (problems.isEmpty()) {
            addRelations(problems);
        }
        return problems;
    }

    private void addRelations(List<String> problems) {
        Zone data = zones.get(ZoneKind.DATA);
        if (data.offset() % segmentSizeBytes != 0 || data.lengthBytes() % segmentSizeBytes != 0) {
            problems.add("the data zone is not made of whole segments");
        }
        if (segmentCount() > SEGMENT_COUNT_MAX) {
            problems.add(segmentCount() + " segments are more than " + SEGMENT_COUNT_MAX + "; choose larger ones");
        }
        if (zones.get(ZoneKind.SEGMENT_TABLE).lengthBytes() < segmentCount() * SegmentTableLayout.SIZE_BYTES) {
            problems.add("the segment table is too short for " + segmentCount() + " segments");
        }
        Zone metadata = zones.get(ZoneKind.METADATA);
        if (zones.get(ZoneKind.PAGE_TABLE).lengthBytes()
                < metadata.lengthBytes() / PAGE_BYTES * PAGE_TABLE_ENTRY_BYTES) {
            problems.add("the page table is too short for the metadata zone");
        }
        long log = zones.get(ZoneKind.REDO_LOG).lengthBytes();
        if (log < LogHeadLayout.RING_START + RedoLog.CAPACITY_BYTES_MIN || log > Integer.MAX_VALUE) {
            problems.add("a redo log of " + log + " bytes is too small or too large");
        }
        if (zones.get(ZoneKind.SUPERBLOCK).offset() != 0
                || zones.get(ZoneKind.SUPERBLOCK).lengthBytes() != SuperblockLayout.ZONE_BYTES) {
            problems.add("the superblock zone is not the first two blocks");
        }
    }

    /** Size of the whole pool in bytes, a multiple of 4 KiB. */
    public long poolSizeBytes() {
        return poolSizeBytes;
    }

    public long segmentSizeBytes() {
        return segmentSizeBytes;
    }

    /** Segments of the data zone. */
    public long segmentCount() {
        return zones.get(ZoneKind.DATA).lengthBytes() / segmentSizeBytes;
    }

    public Zone zone(ZoneKind kind) {
        return Objects.requireNonNull(zones.get(kind), kind.name());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PoolGeometry that
                && poolSizeBytes == that.poolSizeBytes
                && segmentSizeBytes == that.segmentSizeBytes
                && zones.equals(that.zones);
    }

    @Override
    public int hashCode() {
        return Objects.hash(poolSizeBytes, segmentSizeBytes, zones);
    }

    @Override
    public String toString() {
        return poolSizeBytes + " bytes, " + segmentCount() + " segments of " + segmentSizeBytes + ", " + zones.values();
    }
}
