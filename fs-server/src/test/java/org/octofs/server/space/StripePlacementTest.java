package org.octofs.server.space;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.octofs.rpc.protocol.InodeNumber;

class StripePlacementTest {
    @Test
    void firstUnitStaysAtTheHomeAndTheRestRotates() {
        for (long index = 1; index < 50; index++) {
            long ino = InodeNumber.of(3, index);
            assertThat(StripePlacement.node(ino, 0, 2, 4)).isEqualTo(2);
            assertThat(StripePlacement.node(ino, 255, 2, 4)).isEqualTo(2);
            int first = StripePlacement.node(ino, 256, 2, 4);
            for (int unit = 1; unit < 20; unit++) {
                assertThat(StripePlacement.node(ino, unit * 256L + 17, 2, 4)).isEqualTo((first + unit - 1) % 4);
            }
        }
    }

    @Test
    void secondUnitsOfADirectorysFilesSpreadEvenly() {
        int[] files = new int[4];
        for (long index = 1; index <= 4000; index++) {
            files[StripePlacement.node(InodeNumber.of(7, index), 256, 0, 4)]++;
        }
        for (int count : files) {
            assertThat(count).isBetween(800, 1200);
        }
    }

    @Test
    void staysInRangeAtTheEndOfTheLargestFile() {
        assertThat(StripePlacement.node(-1L, (1L << 51) - 1, 0, 65535)).isBetween(0, 65534);
        assertThat(StripePlacement.blocksToUnitEnd(0)).isEqualTo(256);
        assertThat(StripePlacement.blocksToUnitEnd(511)).isEqualTo(1);
    }
}
