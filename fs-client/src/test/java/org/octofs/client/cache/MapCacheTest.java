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
}
