package org.octofs.server.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.octofs.rpc.protocol.BlockLocation;

/** Goal: the allocator behaves as a set of free blocks. Method: random operations beside a bit set per node. */
class BlockAllocatorTest {
    private static final int SEGMENT_BLOCKS = 1024;
    private static final int NODES = 3;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void behavesAsABitSet(long seed) {
        Random random = new Random(seed);
        BlockAllocator allocator = new BlockAllocator();
        BitSet[] free = new BitSet[NODES];
        BitSet[] busy = new BitSet[NODES];
        List<Set<Long>> segments = new ArrayList<>();
        for (int node = 0; node < NODES; node++) {
            free[node] = new BitSet();
            busy[node] = new BitSet();
            segments.add(new HashSet<>());
        }
        for (int step = 0; step < 4000; step++) {
            int node = random.nextInt(NODES);
            switch (random.nextInt(8)) {
                case 0 -> {
                    long first = (1 + random.nextInt(4)) * (long) SEGMENT_BLOCKS;
                    allocator.addSegment(BlockLocation.of(node, first), SEGMENT_BLOCKS);
                    if (segments.get(node).add(first)) {
                        free[node].set((int) first, (int) first + SEGMENT_BLOCKS);
                        free[node].andNot(busy[node]);
                    }
                }
                case 1 -> {
                    long first = (1 + random.nextInt(4)) * (long) SEGMENT_BLOCKS;
                    boolean empty = segments.get(node).contains(first)
                            && free[node].nextClearBit((int) first) >= first + SEGMENT_BLOCKS;
                    assertThat(allocator.removeSegment(BlockLocation.of(node, first)))
                            .isEqualTo(empty);
                    if (empty) {
                        segments.get(node).remove(first);
                        free[node].clear((int) first, (int) first + SEGMENT_BLOCKS);
                    }
                }
                case 2 -> {
                    // Marked as recovery does, in segments that are here or not.
                    int block = SEGMENT_BLOCKS + random.nextInt(4 * SEGMENT_BLOCKS);
                    boolean known = busy[node].get(block);
                    assertThat(allocator.markUsed(BlockLocation.of(node, block), 1))
                            .isEqualTo(!known);
                    busy[node].set(block);
                    free[node].clear(block);
                }
                case 3, 4 -> {
                    int from = busy[node].nextSetBit(SEGMENT_BLOCKS + random.nextInt(4 * SEGMENT_BLOCKS));
                    if (from >= 0) {
                        int end = Math.min(busy[node].nextClearBit(from), from + 1 + random.nextInt(600));
                        allocator.free(BlockLocation.of(node, from) | BlockLocation.UNWRITTEN, end - from);
                        busy[node].clear(from, end);
                        for (int block = from; block < end; block++) {
                            if (segments.get(node).contains((long) block / SEGMENT_BLOCKS * SEGMENT_BLOCKS)) {
                                free[node].set(block);
                            }
                        }
                    }
                }
                default -> {
                    int want = 1 + random.nextInt(random.nextBoolean() ? 8 : 600);
                    long location = allocator.allocate(node, want);
                    if (free[node].isEmpty()) {
                        assertThat(location).isZero();
                    } else {
                        int count = allocator.lastCount();
                        int block = (int) BlockLocation.block(location);
                        assertThat(BlockLocation.node(location)).isEqualTo(node);
                        assertThat(count).isBetween(1, Math.min(want, BlockAllocator.MAX_RUN_BLOCKS));
                        assertThat(free[node].nextClearBit(block)).isGreaterThanOrEqualTo(block + count);
                        free[node].clear(block, block + count);
                        busy[node].set(block, block + count);
                    }
                }
            }
            assertThat(allocator.freeBlocks(node)).isEqualTo(free[node].cardinality());
            assertThat(allocator.ownedBlocks(node)).isEqualTo(segments.get(node).size() * (long) SEGMENT_BLOCKS);
            long empty = allocator.emptySegment(node);
            boolean anyEmpty = segments.get(node).stream()
                    .anyMatch(first -> free[node].nextClearBit(first.intValue()) >= first + SEGMENT_BLOCKS);
            assertThat(empty != 0).isEqualTo(anyEmpty);
        }
        long total = 0;
        for (int node = 0; node < NODES; node++) {
            total += free[node].cardinality();
            for (int block = SEGMENT_BLOCKS; block < 5 * SEGMENT_BLOCKS; block++) {
                assertThat(allocator.isBusy(BlockLocation.of(node, block))).isEqualTo(busy[node].get(block));
            }
        }
        assertThat(allocator.freeBlocks()).isEqualTo(total);
    }

    @Test
    void givesEveryBlockExactlyOnce() {
        BlockAllocator allocator = new BlockAllocator();
        allocator.addSegment(BlockLocation.of(1, 512), 512);
        BitSet given = new BitSet();
        for (long location = allocator.allocate(1, 7); location != 0; location = allocator.allocate(1, 7)) {
            for (int i = 0; i < allocator.lastCount(); i++) {
                int block = (int) BlockLocation.block(location) + i;
                assertThat(given.get(block)).isFalse();
                given.set(block);
            }
        }
        assertThat(given.cardinality()).isEqualTo(512);
        assertThat(given.nextSetBit(0)).isEqualTo(512);
        assertThat(allocator.freeBlocks()).isZero();
    }

    @Test
    void prefersOneWholeRunForALargeRequest() {
        BlockAllocator allocator = new BlockAllocator();
        allocator.addSegment(BlockLocation.of(0, 256), 512);
        allocator.allocate(0, 3);
        assertThat(allocator.allocate(0, 256)).isNotZero();
        assertThat(allocator.lastCount()).isEqualTo(256);
        // A small request stays in the chunk that is in use already.
        assertThat(allocator.allocate(0, 5)).isNotZero();
        assertThat(allocator.freeBlocks()).isEqualTo(512 - 3 - 256 - 5);
    }

    @Test
    void refusesToFreeABlockTwice() {
        BlockAllocator allocator = new BlockAllocator();
        allocator.addSegment(BlockLocation.of(0, 256), 256);
        long location = allocator.allocate(0, 4);
        allocator.free(location, 4);
        assertThatThrownBy(() -> allocator.free(location, 4))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("freed twice");
        assertThat(allocator.freeBlocks()).isEqualTo(256);
    }

    @Test
    void neverGivesBlocksOutsideOfItsSegments() {
        BlockAllocator allocator = new BlockAllocator();
        assertThat(allocator.markUsed(BlockLocation.of(0, 300), 2)).isTrue();
        assertThat(allocator.allocate(0, 1)).isZero();
        allocator.free(BlockLocation.of(0, 300), 2);
        assertThat(allocator.allocate(0, 1)).isZero();
        assertThat(allocator.freeBlocks()).isZero();
    }
}
