package org.octofs.pmem.layout;

/**
 * The superblock: what the pool is and where its zones are. Little-endian, 4 KiB, written twice: the primary copy at pool
 * offset 0, the backup at 4096. A change writes and makes durable one copy (the bad or older one, if they differ), then the
 * other, so at most one is torn at any time; of two good copies the one with the higher update count is the newer.
 *
 * <pre>
 *  0     8        12      16     24       32         48   50    52     56   64      72      80      88          92    96
 *  |magic|checksum|version|compat|incompat|cluster id|node|nodes|shards|size|segment|created|updates|incarnation|clean|zones ...
 * </pre>
 *
 * All fields but those marked <i>service</i> are written by the formatter only.
 */
public final class SuperblockLayout {
    /** u64, {@link #MAGIC}. */
    public static final int MAGIC_OFFSET = 0;
    /** u32, CRC32C of the bytes from {@link #VERSION_OFFSET} to the end of the block. */
    public static final int CHECKSUM_OFFSET = MAGIC_OFFSET + Long.BYTES;
    /** u32, {@link #VERSION}; any other version is refused. */
    public static final int VERSION_OFFSET = CHECKSUM_OFFSET + Integer.BYTES;
    /** u64, features that older code may ignore. */
    public static final int COMPATIBLE_FEATURES_OFFSET = VERSION_OFFSET + Integer.BYTES;
    /** u64, features that older code must refuse. */
    public static final int INCOMPATIBLE_FEATURES_OFFSET = COMPATIBLE_FEATURES_OFFSET + Long.BYTES;
    /** u64, upper half of the cluster's UUID. */
    public static final int CLUSTER_ID_HIGH_OFFSET = INCOMPATIBLE_FEATURES_OFFSET + Long.BYTES;
    /** u64, lower half of the cluster's UUID. */
    public static final int CLUSTER_ID_LOW_OFFSET = CLUSTER_ID_HIGH_OFFSET + Long.BYTES;
    /** u16, which node of the cluster this pool belongs to. */
    public static final int NODE_ID_OFFSET = CLUSTER_ID_LOW_OFFSET + Long.BYTES;
    /** u16, nodes of the cluster at format. */
    public static final int NODE_COUNT_OFFSET = NODE_ID_OFFSET + Short.BYTES;
    /** u32, shards of the cluster. */
    public static final int SHARD_COUNT_OFFSET = NODE_COUNT_OFFSET + Short.BYTES;
    /** u64, size of the whole pool in bytes. */
    public static final int POOL_SIZE_BYTES_OFFSET = SHARD_COUNT_OFFSET + Integer.BYTES;
    /** u64, size of a segment of the data zone in bytes, a power of two. */
    public static final int SEGMENT_SIZE_BYTES_OFFSET = POOL_SIZE_BYTES_OFFSET + Long.BYTES;
    /** u64, time of format in milliseconds since 1970 UTC. */
    public static final int CREATED_MILLIS_OFFSET = SEGMENT_SIZE_BYTES_OFFSET + Long.BYTES;
    /** u64, <i>service</i>: counts the writes of this block. */
    public static final int UPDATE_COUNT_OFFSET = CREATED_MILLIS_OFFSET + Long.BYTES;
    /** u32, <i>service</i>: counts the opens for service, 0 after format. */
    public static final int INCARNATION_OFFSET = UPDATE_COUNT_OFFSET + Long.BYTES;
    /** u32, <i>service</i>: 1 after an orderly close, else 0. */
    public static final int CLEAN_SHUTDOWN_OFFSET = INCARNATION_OFFSET + Integer.BYTES;
    /** {@link ZoneTableLayout#ENTRY_COUNT} entries of {@link ZoneTableLayout}. */
    public static final int ZONE_TABLE_OFFSET = CLEAN_SHUTDOWN_OFFSET + Integer.BYTES;
    /** Zero to the end of the block. */
    public static final int RESERVED_OFFSET =
            ZONE_TABLE_OFFSET + ZoneTableLayout.ENTRY_COUNT * ZoneTableLayout.SIZE_BYTES;

    public static final int SIZE_BYTES = 4096;

    /** "OCTOFS", 0, 1, read as a little-endian u64. */
    public static final long MAGIC = 0x01_00_53_46_4F_54_43_4FL;

    public static final int VERSION = 1;
    public static final long KNOWN_INCOMPATIBLE_FEATURES = 0;

    public static final long PRIMARY_OFFSET = 0;
    public static final long BACKUP_OFFSET = PRIMARY_OFFSET + SIZE_BYTES;
    public static final long ZONE_BYTES = BACKUP_OFFSET + SIZE_BYTES;

    private SuperblockLayout() {}
}
