package org.octofs.rpc.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Pins sizes, alignment and a golden image of the layouts that media and wire share. */
class InodeLayoutTest {
    @Test
    void hasItsSizeAndAlignment() {
        assertThat(InodeLayout.SIZE_BYTES).isEqualTo(256);
        assertThat(InodeLayout.INLINE_OFFSET).isEqualTo(160);
        assertThat(InodeLayout.INLINE_ENTRIES).isEqualTo(6);
        assertThat(BlockEntryLayout.SIZE_BYTES).isEqualTo(16);
        assertThat(CommitExtentLayout.SIZE_BYTES).isEqualTo(32);
        for (int word : new int[] {
            InodeLayout.VERSION_OFFSET, InodeLayout.INO_OFFSET, InodeLayout.BODY_VERSION_OFFSET,
            InodeLayout.RDEV_OFFSET, InodeLayout.SIZE_BYTES_OFFSET, InodeLayout.ATIME_SEC_OFFSET,
            InodeLayout.BTIME_SEC_OFFSET, InodeLayout.MAP_ROOT_OFFSET, InodeLayout.ENTRY_COUNT_OFFSET,
        }) {
            assertThat(word % Long.BYTES).as("offset %d", word).isZero();
        }
    }

    @Test
    void judgesImages() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment image = arena.allocate(InodeLayout.SIZE_BYTES, 8);
            image.set(ValueLayout.JAVA_LONG, InodeLayout.VERSION_OFFSET, 6);
            image.set(ValueLayout.JAVA_INT, InodeLayout.MAGIC_OFFSET, InodeLayout.MAGIC);
            image.set(ValueLayout.JAVA_LONG, InodeLayout.INO_OFFSET, InodeNumber.of(3, 9));
            image.set(ValueLayout.JAVA_LONG, InodeLayout.BODY_VERSION_OFFSET, 6);
            assertThat(InodeLayout.isConsistent(image, 0))
                    .as("without its checksum")
                    .isFalse();
            image.set(ValueLayout.JAVA_INT, InodeLayout.CHECKSUM_OFFSET, InodeLayout.checksum(image, 0));
            assertThat(InodeLayout.isConsistent(image, 0)).isTrue();
            byte[] head = image.asSlice(0, 32).toArray(ValueLayout.JAVA_BYTE);
            assertThat(HexFormat.of().formatHex(head))
                    .isEqualTo("0600000000000000" + HexFormat.of().formatHex(head, 8, 12)
                            + "494e4f4409000000000003000600000000000000");
            image.set(ValueLayout.JAVA_LONG, InodeLayout.VERSION_OFFSET, 7);
            assertThat(InodeLayout.isConsistent(image, 0)).as("locked").isFalse();
            image.set(ValueLayout.JAVA_LONG, InodeLayout.VERSION_OFFSET, 8);
            assertThat(InodeLayout.isConsistent(image, 0))
                    .as("newer word than body")
                    .isFalse();
        }
    }

    @Test
    void packsNumbersAndLocations() {
        long ino = InodeNumber.of(65535, InodeNumber.INDEX_MAX);
        assertThat(InodeNumber.shard(ino)).isEqualTo(65535);
        assertThat(InodeNumber.index(ino)).isEqualTo(InodeNumber.INDEX_MAX);
        assertThat(InodeNumber.of(0, 1)).isEqualTo(InodeNumber.ROOT);
        long location = BlockLocation.of(1023, 77) | BlockLocation.UNWRITTEN;
        assertThat(BlockLocation.node(location)).isEqualTo(1023);
        assertThat(BlockLocation.poolOffset(location)).isEqualTo(77L * 4096);
        assertThat(BlockLocation.isUnwritten(location)).isTrue();
        assertThat(BlockLocation.withoutFlags(location)).isEqualTo(BlockLocation.of(1023, 77));
    }
}
