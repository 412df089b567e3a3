package org.octofs.client.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Checksums of the caller's memory, which may be freed and be allocated again at the same place. */
class BlockChecksumTest {
    private static final int BLOCK = 4096;

    @Test
    void takesMemoryThatWasFreedAndAllocatedAgainForNewMemory() {
        try (Arena arena = Arena.ofShared()) {
            BlockChecksum checksum = new BlockChecksum();
            MemorySegment place = arena.allocate(BLOCK, BLOCK);
            int first;
            try (Arena life = Arena.ofShared()) {
                first = checksum.of(place.reinterpret(BLOCK, life, null), 0);
            }
            try (Arena nextLife = Arena.ofShared()) {
                assertThat(checksum.of(place.reinterpret(BLOCK, nextLife, null), 0))
                        .isEqualTo(first);
            }
        }
    }
}
