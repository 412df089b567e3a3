package org.octofs.pmem.pool;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.EnumMap;
import java.util.Map;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.octofs.pmem.layout.SuperblockLayout;
import org.octofs.pmem.layout.Zone;
import org.octofs.pmem.layout.ZoneKind;
import org.octofs.pmem.layout.ZoneTableLayout;

/**
 * The contents of a superblock, and how they lie in its block. Immutable.
 *
 * @param updateCount writes of the block so far
 * @param incarnation opens for service so far (u32)
 */
record Superblock(
        int version,
        long compatibleFeatures,
        long incompatibleFeatures,
        PoolIdentity identity,
        PoolGeometry geometry,
        long createdMillis,
        long updateCount,
        long incarnation,
        boolean cleanShutdown) {
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    static Superblock initial(PoolIdentity identity, PoolGeometry geometry, long createdMillis) {
        return new Superblock(
                SuperblockLayout.VERSION,
                0,
                SuperblockLayout.KNOWN_INCOMPATIBLE_FEATURES,
                identity,
                geometry,
                createdMillis,
                1,
                0,
                true);
    }

    Superblock next(long newIncarnation, boolean clean) {
        return new Superblock(
                version,
                compatibleFeatures,
                incompatibleFeatures,
                identity,
                geometry,
                createdMillis,
                updateCount + 1,
                newIncarnation,
                clean);
    }

    /** Whether the block at {@code offset} starts with the magic. */
    static boolean hasMagic(MemorySegment memory, long offset) {
        return memory.get(LONG, offset + SuperblockLayout.MAGIC_OFFSET) == SuperblockLayout.MAGIC;
    }

    /** Whether the block at {@code offset} is intact, whatever its version. */
    static boolean isIntact(MemorySegment memory, long offset) {
        return hasMagic(memory, offset)
                && memory.get(INT, offset + SuperblockLayout.CHECKSUM_OFFSET)
                        == checksum(memory.asSlice(offset, SuperblockLayout.SIZE_BYTES));
    }

    static int versionAt(MemorySegment memory, long offset) {
        return memory.get(INT, offset + SuperblockLayout.VERSION_OFFSET);
    }

    static long incompatibleFeaturesAt(MemorySegment memory, long offset) {
        return memory.get(LONG, offset + SuperblockLayout.INCOMPATIBLE_FEATURES_OFFSET);
    }

    /** Bytes of the block that this version must find zero and does not. */
    static boolean reservedIsZero(MemorySegment memory, long offset) {
        for (int i = SuperblockLayout.RESERVED_OFFSET; i < SuperblockLayout.SIZE_BYTES; i++) {
            if (memory.get(ValueLayout.JAVA_BYTE, offset + i) != 0) {
                return false;
            }
        }
        return true;
    }

    private static int checksum(MemorySegment block) {
        ByteBuffer bytes = block.asByteBuffer();
        bytes.position(SuperblockLayout.VERSION_OFFSET);
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    /** Reads an intact block of this version; zones may still be nonsense ({@link PoolGeometry#problems}). */
    static Superblock read(MemorySegment memory, long offset) {
        MemorySegment block = memory.asSlice(offset, SuperblockLayout.SIZE_BYTES);
        Map<ZoneKind, Zone> zones = new EnumMap<>(ZoneKind.class);
        for (ZoneKind kind : ZoneKind.values()) {
            long entry = SuperblockLayout.ZONE_TABLE_OFFSET + (long) kind.code() * ZoneTableLayout.SIZE_BYTES;
            if (block.get(INT, entry + ZoneTableLayout.KIND_OFFSET) == kind.code()) {
                zones.put(
                        kind,
                        new Zone(
                                kind,
                                block.get(LONG, entry + ZoneTableLayout.ZONE_OFFSET_OFFSET),
                                block.get(LONG, entry + ZoneTableLayout.LENGTH_BYTES_OFFSET)));
            }
        }
        PoolIdentity identity = new PoolIdentity(
                new UUID(
                        block.get(LONG, SuperblockLayout.CLUSTER_ID_HIGH_OFFSET),
                        block.get(LONG, SuperblockLayout.CLUSTER_ID_LOW_OFFSET)),
                Short.toUnsignedInt(block.get(SHORT, SuperblockLayout.NODE_ID_OFFSET)),
                Short.toUnsignedInt(block.get(SHORT, SuperblockLayout.NODE_COUNT_OFFSET)),
                block.get(INT, SuperblockLayout.SHARD_COUNT_OFFSET));
        return new Superblock(
                block.get(INT, SuperblockLayout.VERSION_OFFSET),
                block.get(LONG, SuperblockLayout.COMPATIBLE_FEATURES_OFFSET),
                block.get(LONG, SuperblockLayout.INCOMPATIBLE_FEATURES_OFFSET),
                identity,
                new PoolGeometry(
                        block.get(LONG, SuperblockLayout.POOL_SIZE_BYTES_OFFSET),
                        block.get(LONG, SuperblockLayout.SEGMENT_SIZE_BYTES_OFFSET),
                        zones),
                block.get(LONG, SuperblockLayout.CREATED_MILLIS_OFFSET),
                block.get(LONG, SuperblockLayout.UPDATE_COUNT_OFFSET),
                Integer.toUnsignedLong(block.get(INT, SuperblockLayout.INCARNATION_OFFSET)),
                block.get(INT, SuperblockLayout.CLEAN_SHUTDOWN_OFFSET) == 1);
    }

    /** The block with all of it, checksum included. */
    MemorySegment encode() {
        MemorySegment block = Arena.ofAuto().allocate(SuperblockLayout.SIZE_BYTES, Long.BYTES);
        block.set(LONG, SuperblockLayout.MAGIC_OFFSET, SuperblockLayout.MAGIC);
        block.set(INT, SuperblockLayout.VERSION_OFFSET, version);
        block.set(LONG, SuperblockLayout.COMPATIBLE_FEATURES_OFFSET, compatibleFeatures);
        block.set(LONG, SuperblockLayout.INCOMPATIBLE_FEATURES_OFFSET, incompatibleFeatures);
        block.set(
                LONG,
                SuperblockLayout.CLUSTER_ID_HIGH_OFFSET,
                identity.clusterId().getMostSignificantBits());
        block.set(
                LONG,
                SuperblockLayout.CLUSTER_ID_LOW_OFFSET,
                identity.clusterId().getLeastSignificantBits());
        block.set(SHORT, SuperblockLayout.NODE_ID_OFFSET, (short) identity.nodeId());
        block.set(SHORT, SuperblockLayout.NODE_COUNT_OFFSET, (short) identity.nodeCount());
        block.set(INT, SuperblockLayout.SHARD_COUNT_OFFSET, identity.shardCount());
        block.set(LONG, SuperblockLayout.POOL_SIZE_BYTES_OFFSET, geometry.poolSizeBytes());
        block.set(LONG, SuperblockLayout.SEGMENT_SIZE_BYTES_OFFSET, geometry.segmentSizeBytes());
        block.set(LONG, SuperblockLayout.CREATED_MILLIS_OFFSET, createdMillis);
        block.set(LONG, SuperblockLayout.UPDATE_COUNT_OFFSET, updateCount);
        block.set(INT, SuperblockLayout.INCARNATION_OFFSET, (int) incarnation);
        block.set(INT, SuperblockLayout.CLEAN_SHUTDOWN_OFFSET, cleanShutdown ? 1 : 0);
        for (ZoneKind kind : ZoneKind.values()) {
            Zone zone = geometry.zone(kind);
            long entry = SuperblockLayout.ZONE_TABLE_OFFSET + (long) kind.code() * ZoneTableLayout.SIZE_BYTES;
            block.set(INT, entry + ZoneTableLayout.KIND_OFFSET, kind.code());
            block.set(LONG, entry + ZoneTableLayout.ZONE_OFFSET_OFFSET, zone.offset());
            block.set(LONG, entry + ZoneTableLayout.LENGTH_BYTES_OFFSET, zone.lengthBytes());
        }
        block.set(INT, SuperblockLayout.CHECKSUM_OFFSET, checksum(block));
        return block;
    }
}
