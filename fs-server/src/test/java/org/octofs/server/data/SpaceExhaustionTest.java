package org.octofs.server.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.octofs.rpc.protocol.CommitFlags;
import org.octofs.rpc.protocol.Errno;
import org.octofs.server.data.CommitBuilder.Grant;

/** Goal: a full pool says so, and deleting heals it, again and again. Method: fill to ENOSPC, count, delete, count. */
class SpaceExhaustionTest {
    private static final long CLIENT = 9;
    private static final int BLOCK = 4096;

    private static long fill(DataNode node, long ino) {
        long block = 0;
        while (true) {
            TestRequest reserve = CommitBuilder.reserve(node, CLIENT, ino, block, 300);
            if (reserve.errno() != 0) {
                assertThat(Errno.of(reserve.errno())).isEqualTo(Errno.ENOSPC);
                return block;
            }
            CommitBuilder commit = new CommitBuilder(node, CLIENT, ino);
            for (Grant grant : CommitBuilder.grants(reserve)) {
                commit.map(block, grant.location(), grant.count());
                block += grant.count();
            }
            assertThat(commit.size(block * BLOCK, 0).run().errno()).isZero();
        }
    }

    @Test
    void fillingAndDeletingLeaksNothing() {
        DataNode node = DataNode.create();
        long total = node.files.totalBlocks();
        int pages = node.store.freePageCount();
        assertThat(node.files.freeBlocks()).isEqualTo(total);
        for (int cycle = 0; cycle < 100; cycle++) {
            long ino = node.createFile(cycle % DataNode.SHARDS);
            assertThat(fill(node, ino)).as("cycle %d", cycle).isEqualTo(total);
            assertThat(node.files.freeBlocks()).isZero();
            if (cycle % 25 == 24) {
                node = node.restart();
                assertThat(node.files.freeBlocks()).isZero();
            }
            if (cycle % 2 == 0) {
                node.deleteFile(ino);
            } else {
                new CommitBuilder(node, CLIENT, ino)
                        .size(0, CommitFlags.SET_SIZE)
                        .run();
                node.deleteFile(ino);
            }
            // What is being collected counts as free at once, and can be had at once.
            assertThat(node.files.freeBlocks()).isEqualTo(total);
            if (cycle % 3 == 0) {
                node.settle();
            }
            assertThat(node.files.space().reservations().entries()).isZero();
        }
        node.settle();
        node.store.checkpoint();
        assertThat(node.store.freePageCount()).isEqualTo(pages);
    }

    @Test
    void manyShardsShareTheLastSegments() {
        DataNode node = DataNode.create();
        Random random = new Random(5);
        List<Long> files = new ArrayList<>();
        for (int shard = 0; shard < DataNode.SHARDS; shard++) {
            files.add(node.createFile(shard));
        }
        long used = 0;
        for (int full = 0; full < DataNode.SHARDS; ) {
            long ino = files.get(random.nextInt(files.size()));
            TestRequest reserve = CommitBuilder.reserve(node, CLIENT, ino, 0, 50);
            if (reserve.errno() != 0) {
                files.remove(ino);
                full++;
                continue;
            }
            CommitBuilder commit = new CommitBuilder(node, CLIENT, ino);
            long block = node.inode(ino).sizeBytes() / BLOCK;
            for (Grant grant : CommitBuilder.grants(reserve)) {
                commit.map(block, grant.location(), grant.count());
                block += grant.count();
                used += grant.count();
            }
            assertThat(commit.size(block * BLOCK, 0).run().errno()).isZero();
        }
        assertThat(used).isEqualTo(node.files.totalBlocks());
        assertThat(node.files.freeBlocks()).isZero();
    }

    @Test
    void emptySegmentsOfAnotherShardAreTakenWhenNoneIsFree() {
        DataNode node = DataNode.create();
        long first = node.createFile(0);
        fill(node, first);
        node.deleteFile(first);
        node.settle();
        assertThat(node.files.segments().local().freeCount()).isZero();
        assertThat(fill(node, node.createFile(1))).isEqualTo(node.files.totalBlocks());
    }

    @Test
    void segmentsThatStayEmptyGoBack() {
        DataNode node = DataNode.create();
        long ino = node.createFile(0);
        fill(node, ino);
        node.deleteFile(ino);
        node.settle();
        int segments = node.files.segments().local().segmentCount();
        for (int second = 0; second <= segments + 1; second++) {
            node.clock.nanos += 1_100_000_000L;
            node.settle();
        }
        assertThat(node.files.segments().local().freeCount()).isEqualTo(segments);
        assertThat(node.files.freeBlocks()).isEqualTo(node.files.totalBlocks());
        assertThat(fill(node, node.createFile(2))).isEqualTo(node.files.totalBlocks());
    }

    @Test
    void oneClientCannotBorrowEverything() {
        DataNode node = DataNode.create();
        long ino = node.createFile(0);
        long lent = 0;
        int requests = 0;
        for (TestRequest reserve = CommitBuilder.reserve(node, CLIENT, ino, 0, 4096);
                reserve.errno() == 0 && requests < 10;
                reserve = CommitBuilder.reserve(node, CLIENT, ino, 0, 4096)) {
            lent += CommitBuilder.grants(reserve).stream()
                    .mapToInt(Grant::count)
                    .sum();
            requests++;
        }
        assertThat(requests).isGreaterThan(3);
        assertThat(node.files.space().reservations().lentBlocks()).isEqualTo(lent);
        assertThat(node.files.freeBlocks()).isEqualTo(node.files.totalBlocks());
    }
}
