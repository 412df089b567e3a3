package org.octofs.server.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.octofs.rpc.protocol.CommitFlags;
import org.octofs.rpc.protocol.Errno;
import org.octofs.server.data.CommitBuilder.Grant;

/**
 * Goal: "no space" means that there is none, whatever shards the files are in, and nothing is lost by filling and deleting. Method: shards
 * begin many segments; then some or all fill up what is left; recoveries in between.
 */
class FullClusterTest {
    private static final long CLIENT = 9;
    private static final int BLOCK = 4096;
    private static final int CYCLES = 100;
    private static final long PAUSE_NANOS = 2_000_000_000L;

    private final DataNode.Network network = new DataNode.Network();
    private final DataNode.TestClock clock = new DataNode.TestClock();

    /** Appends until there is no space, at most so many blocks; answers how many it were. */
    private static long append(DataNode node, long ino, long most) {
        long begin = node.inode(ino).sizeBytes() / BLOCK;
        long block = begin;
        while (block - begin < most) {
            int wanted = (int) Math.min(200, most - (block - begin));
            TestRequest reserve = CommitBuilder.reserve(node, CLIENT, ino, block, wanted);
            if (reserve.errno() != 0) {
                assertThat(Errno.of(reserve.errno())).isEqualTo(Errno.ENOSPC);
                break;
            }
            CommitBuilder commit = new CommitBuilder(node, CLIENT, ino);
            for (Grant grant : CommitBuilder.grants(reserve)) {
                commit.map(block, grant.location(), grant.count());
                block += grant.count();
            }
            assertThat(commit.size(block * BLOCK, 0).run().errno()).isZero();
        }
        return block - begin;
    }

    private static void truncate(DataNode node, long ino, long blocks) {
        assertThat(new CommitBuilder(node, CLIENT, ino)
                        .size(blocks * BLOCK, CommitFlags.SET_SIZE)
                        .run()
                        .errno())
                .isZero();
    }

    @Test
    void oneShardUsesUpWhatTheOthersOfItsHomeHaveBegun() {
        DataNode node = DataNode.create(0, 1, DataNode.POOL_BYTES, network, clock);
        List<Long> files = new ArrayList<>();
        for (int shard = 0; shard < DataNode.SHARDS; shard++) {
            files.add(node.createFile(shard));
            append(node, files.getLast(), 1);
        }
        long total = node.files.totalBlocks();
        assertThat(append(node, files.getFirst(), Long.MAX_VALUE)).isEqualTo(total - files.size());
        assertThat(node.files.freeBlocks()).isZero();
        node = node.restart();
        assertThat(node.files.freeBlocks()).isZero();
        assertThat(append(node, files.get(1), 1)).isZero();
        // Blocks of the first file in segments of other shards, freed and used again by others.
        truncate(node, files.getFirst(), 7);
        node.settle();
        assertThat(node.files.freeBlocks()).isEqualTo(total - files.size() - 6);
        assertThat(append(node, files.get(2), Long.MAX_VALUE)).isEqualTo(total - files.size() - 6);
        node = node.restart();
        assertThat(node.files.freeBlocks()).isZero();
        for (long ino : files) {
            node.deleteFile(ino);
        }
        node.settle();
        assertThat(node.files.freeBlocks()).isEqualTo(total);
    }

    @Test
    void twoHomesFillAndEmptyAHundredTimesAndLoseNothing() {
        DataNode[] nodes = {node(0), node(1)};
        long total = 2 * nodes[0].files.totalBlocks();
        for (int cycle = 0; cycle < CYCLES; cycle++) {
            assertThat(free(nodes)).as("free before cycle %d", cycle).isEqualTo(total);
            List<long[]> files = new ArrayList<>();
            long used = 0;
            for (int round = 0; round < 2; round++) {
                for (int i = 0; i < DataNode.SHARDS; i++) {
                    int shard = (i + cycle) % DataNode.SHARDS;
                    long ino = nodes[shard % 2].createFile(shard);
                    files.add(new long[] {shard % 2, ino});
                    used += append(nodes[shard % 2], ino, round == 0 ? 1 + cycle % 90 : Long.MAX_VALUE);
                    clock.nanos += PAUSE_NANOS;
                }
            }
            assertThat(free(nodes)).as("df when there is no space").isEqualTo(total - used);
            assertThat(used).as("blocks used in cycle %d", cycle).isEqualTo(total);
            if (cycle % 20 == 7) {
                nodes[cycle / 20 % 2] = nodes[cycle / 20 % 2].restart();
                settle(nodes);
                assertThat(free(nodes)).isZero();
            }
            for (long[] file : files) {
                nodes[(int) file[0]].deleteFile(file[1]);
            }
            settle(nodes);
        }
    }

    private DataNode node(int id) {
        return DataNode.create(id, 2, DataNode.POOL_BYTES, network, clock);
    }

    private void settle(DataNode... nodes) {
        for (int i = 0; i < 12; i++) {
            clock.nanos += PAUSE_NANOS;
            for (DataNode node : nodes) {
                node.settle();
            }
        }
    }

    private static long free(DataNode... nodes) {
        long sum = 0;
        for (DataNode node : nodes) {
            sum += node.files.freeBlocks();
        }
        return sum;
    }
}
