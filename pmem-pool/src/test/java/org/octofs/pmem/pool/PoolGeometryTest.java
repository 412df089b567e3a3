package org.octofs.pmem.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.octofs.pmem.layout.Zone;
import org.octofs.pmem.layout.ZoneKind;

/** Sizes follow the rules for every size of pool; nothing overlaps. */
class PoolGeometryTest {
    private static final long MIB = 1 << 20;

    @ParameterizedTest
    @ValueSource(
            longs = {
                64 * MIB,
                64 * MIB + 4097,
                255 * MIB,
                256 * MIB,
                1000 * MIB,
                2048 * MIB,
                8192 * MIB,
                20_000 * MIB + 123,
                4096 * 1024 * MIB
            })
    void zonesFollowEachOtherAndFill(long size) {
        PoolGeometry geometry = PoolGeometry.forPool(size, GeometryOptions.defaults());
        assertThat(geometry.problems()).isEmpty();
        long end = 0;
        for (ZoneKind kind : ZoneKind.values()) {
            Zone zone = geometry.zone(kind);
            long alignment = kind == ZoneKind.DATA ? geometry.segmentSizeBytes() : 4096;
            assertThat(zone.offset()).as("start of %s", kind).isBetween(end, end + alignment - 1);
            assertThat(zone.offset() % alignment).isZero();
            assertThat(zone.lengthBytes()).isPositive();
            end = zone.endOffset();
        }
        assertThat(size - end).as("bytes left over").isBetween(0L, geometry.segmentSizeBytes() + 4095);
        assertThat(geometry.zone(ZoneKind.DATA).lengthBytes()).isGreaterThan(size / 2);
    }

    @Test
    void defaultsAreThoseOfTheFormatPage() {
        PoolGeometry small = PoolGeometry.forPool(64 * MIB, GeometryOptions.defaults());
        assertThat(small.segmentSizeBytes()).isEqualTo(MIB);
        assertThat(small.zone(ZoneKind.REDO_LOG).lengthBytes()).isEqualTo(4 * MIB);
        assertThat(small.zone(ZoneKind.LOCK_TABLE).lengthBytes()).isEqualTo(64 << 10);
        assertThat(small.zone(ZoneKind.SESSION_TABLE).lengthBytes()).isEqualTo(256 << 10);
        assertThat(small.zone(ZoneKind.RESERVATION_TABLE).lengthBytes()).isEqualTo(256 << 10);
        assertThat(small.zone(ZoneKind.METADATA).lengthBytes()).isEqualTo(8 * MIB);
        assertThat(small.zone(ZoneKind.PAGE_TABLE).lengthBytes()).isEqualTo(8 * MIB / 4096 * 8);

        PoolGeometry large = PoolGeometry.forPool(8193 * MIB, GeometryOptions.defaults());
        assertThat(large.segmentSizeBytes()).isEqualTo(16 * MIB);
        assertThat(large.zone(ZoneKind.REDO_LOG).lengthBytes()).isEqualTo(64 * MIB);
        assertThat(large.zone(ZoneKind.LOCK_TABLE).lengthBytes()).isEqualTo(256 << 10);
        assertThat(large.zone(ZoneKind.SESSION_TABLE).lengthBytes()).isEqualTo(MIB);
    }

    @Test
    void impossibleWishesAreRefused() {
        GeometryOptions defaults = GeometryOptions.defaults();
        assertThatThrownBy(() -> PoolGeometry.forPool(64 * MIB - 1, defaults))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("64 MiB");
        assertThatThrownBy(() -> PoolGeometry.forPool(64 * MIB, defaults.withSegmentSizeBytes(3 * MIB)))
                .hasMessageContaining("power of two");
        assertThatThrownBy(() -> PoolGeometry.forPool(64 * MIB, defaults.withMetadataShare(1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> PoolGeometry.forPool(64 * MIB, defaults.withRedoLogBytes(4096)))
                .hasMessageContaining("redo log");
        assertThatThrownBy(() -> PoolGeometry.forPool(64 * MIB, defaults.withSegmentSizeBytes(64 * MIB)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
