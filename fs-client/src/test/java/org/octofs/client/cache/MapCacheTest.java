package org.octofs.client.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.InodeLayout;

/** A block that matched its checksum counts as verified until it is somewhere else. */
class MapCacheTest {
    @Test
    void blocksAreVerifiedOnceForEachPlace() {
        MapCache map = new MapCache();
        try (Arena arena = Arena.ofConfined()) {
            map.loadInline(arena.allocate(InodeLayout.SIZE_BYTES), 0);
        }
        map.markVerified(3);
        assertThat(map.isVerified(3)).as("a hole has nothing to verify").isFalse();
        for (long block : new long[] {3, 63, 64, 255, 256, 1000}) {
            map.set(block, BlockLocation.of(1, block + 1), 5);
            assertThat(map.isVerified(block)).isFalse();
            map.markVerified(block);
            assertThat(map.isVerified(block)).isTrue();
        }
        map.set(64, BlockLocation.of(0, 9), 6);
        assertThat(map.isVerified(64)).as("at another place").isFalse();
        assertThat(map.isVerified(63)).isTrue();
        map.clear();
        assertThat(map.isVerified(3)).isFalse();
    }

    @Test
    void runsAreSetAsTheirBlocksOneByOne() {
        MapCache one = new MapCache();
        MapCache other = new MapCache();
        try (Arena arena = Arena.ofConfined()) {
            one.loadInline(arena.allocate(InodeLayout.SIZE_BYTES), 0);
            other.loadInline(arena.allocate(InodeLayout.SIZE_BYTES), 0);
        }
        int[] checksums = new int[600];
        for (int i = 0; i < 600; i++) {
            checksums[i] = i * 31;
        }
        one.set(500, BlockLocation.of(0, 1), 1);
        one.markVerified(500);
        one.setRun(200, BlockLocation.of(1, 5000), checksums, 10, 590);
        for (int i = 0; i < 590; i++) {
            other.set(200 + i, BlockLocation.of(1, 5000 + i), checksums[10 + i]);
        }
        for (int block = 0; block < 1024; block++) {
            assertThat(one.location(block)).as("block %d", block).isEqualTo(other.location(block));
            assertThat(one.checksum(block)).as("block %d", block).isEqualTo(other.checksum(block));
            assertThat(one.isVerified(block)).isFalse();
        }
        one.markVerified(200);
        one.markVerified(300);
        one.setRun(201, BlockLocation.of(1, 9000), checksums, 0, 99);
        assertThat(one.isVerified(200)).as("before a run").isTrue();
        assertThat(one.isVerified(300)).as("behind a run").isTrue();
        assertThat(one.location(300)).isEqualTo(BlockLocation.of(1, 5100));
        MapCache unknown = new MapCache();
        unknown.setRun(200, BlockLocation.of(1, 5000), checksums, 0, 300);
        assertThat(unknown.knows(200)).isFalse();
    }

    @Test
    void runsEndWhereTheNextBlockIsElsewhere() {
        MapCache map = new MapCache();
        assertThat(map.run(0, 9)).as("not known").isZero();
        try (Arena arena = Arena.ofConfined()) {
            map.loadInline(arena.allocate(InodeLayout.SIZE_BYTES), 0);
        }
        for (int block = 250; block < 260; block++) {
            map.set(block, BlockLocation.of(1, 1000 + block), block);
        }
        map.set(260, BlockLocation.of(1, 5), 1);
        map.set(261, BlockLocation.of(1, 6) | BlockLocation.UNWRITTEN, 1);
        map.set(262, BlockLocation.of(2, 7), 1);
        map.markVerified(252);

        assertThat(map.run(249, 9)).as("a hole").isZero();
        assertThat(map.run(250, 99)).as("to the end of the chunk").isEqualTo(6);
        assertThat(map.run(250, 3)).as("no more than asked").isEqualTo(3);
        assertThat(map.run(256, 99)).as("to another place").isEqualTo(4);
        assertThat(map.run(260, 99)).as("to an unwritten block").isEqualTo(1);
        assertThat(map.run(261, 99)).as("unwritten").isZero();

        int[] checksums = new int[5];
        boolean[] verified = new boolean[5];
        assertThat(map.describe(251, 3, checksums, verified, 1)).isFalse();
        assertThat(checksums).containsExactly(0, 251, 252, 253, 0);
        assertThat(verified).containsExactly(false, false, true, false, false);
        map.markVerified(251);
        map.markVerified(253);
        assertThat(map.describe(251, 3, checksums, verified, 1)).isTrue();
    }
}
