package org.octofs.pmem.pool;

/**
 * Sizes that the user may choose; 0 means the default of {@link PoolGeometry}.
 *
 * @param metadataShare the metadata zone gets 1/metadataShare of the pool
 * @param segmentSizeBytes a power of two of at least 4 KiB
 * @param redoLogBytes length of the log zone, at least 8 KiB
 * @param tableBytes length of each of the session and reservation tables; the lock table gets a quarter of it
 * @param tiny allow pools below {@link PoolGeometry#POOL_BYTES_MIN}, for tests and simulations
 */
public record GeometryOptions(
        int metadataShare, long segmentSizeBytes, long redoLogBytes, long tableBytes, boolean tiny) {
    public GeometryOptions {
        if (metadataShare < 0 || segmentSizeBytes < 0 || redoLogBytes < 0 || tableBytes < 0) {
            throw new IllegalArgumentException("sizes of a pool's zones cannot be negative");
        }
    }

    public static GeometryOptions defaults() {
        return new GeometryOptions(0, 0, 0, 0, false);
    }

    /** Small zones for tests: 64 KiB segments, a 64 KiB log, 16 KiB tables; fits pools from 1 MiB. */
    public static GeometryOptions tinyDefaults() {
        return new GeometryOptions(0, 64 << 10, 64 << 10, 16 << 10, true);
    }

    public GeometryOptions withMetadataShare(int share) {
        return new GeometryOptions(share, segmentSizeBytes, redoLogBytes, tableBytes, tiny);
    }

    public GeometryOptions withSegmentSizeBytes(long bytes) {
        return new GeometryOptions(metadataShare, bytes, redoLogBytes, tableBytes, tiny);
    }

    public GeometryOptions withRedoLogBytes(long bytes) {
        return new GeometryOptions(metadataShare, segmentSizeBytes, bytes, tableBytes, tiny);
    }
}
