package org.octofs.server.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.SegmentRequest;
import org.octofs.server.data.CommitBuilder.Grant;
import org.octofs.server.space.LocalSegments;

/** Goal: shards use segments of all nodes, and no segment has two users. Method: two or three nodes with a hand-driven network. */
class SegmentExchangeTest {
    private static final long CLIENT = 5;
    private static final int BLOCK = 4096;

    private final DataNode.Network network = new DataNode.Network();
    private final DataNode.TestClock clock = new DataNode.TestClock();

    private DataNode node(int id, int count) {
        return DataNode.create(id, count, DataNode.POOL_BYTES, network, clock);
    }

    /** Reserves and commits {@code count} blocks behind the file's end; answers blocks per node. */
    private static Map<Integer, Integer> append(DataNode node, long ino, int count) {
        long block = node.inode(ino).sizeBytes() / BLOCK;
        Map<Integer, Integer> perNode = new HashMap<>();
        for (int left = count; left > 0; ) {
            TestRequest reserve = CommitBuilder.reserve(node, CLIENT, ino, block, left);
            assertThat(reserve.errno()).isZero();
            CommitBuilder commit = new CommitBuilder(node, CLIENT, ino);
            for (Grant grant : CommitBuilder.grants(reserve)) {
                commit.map(block, grant.location(), grant.count());
                perNode.merge(BlockLocation.node(grant.location()), grant.count(), Integer::sum);
                block += grant.count();
                left -= grant.count();
            }
            assertThat(commit.size(block * BLOCK, 0).run().errno()).isZero();
        }
        return perNode;
    }

    /** Every segment that a shard may use is the shard's in its node's table, and has no other user. */
    private void checkOwnership(DataNode... nodes) {
        for (DataNode owner : nodes) {
            LocalSegments local = owner.files.segments().local();
            for (int index = 0; index < local.segmentCount(); index++) {
                for (DataNode user : nodes) {
                    for (int shard = 0; shard < DataNode.SHARDS; shard++) {
                        boolean uses = user.files.space().allocator(shard) != null
                                && user.files.space().allocator(shard).hasSegment(local.location(index));
                        assertThat(!uses || local.ownerOf(index) == shard)
                                .as("segment %d of node %d used by shard %d", index, owner.state.nodeId(), shard)
                                .isTrue();
                    }
                }
            }
        }
    }

    @Test
    void aLargeFileUsesAllNodes() {
        DataNode zero = node(0, 2);
        DataNode one = node(1, 2);
        long ino = zero.createFile(0);
        Map<Integer, Integer> first = append(zero, ino, 256);
        assertThat(first).containsOnlyKeys(0);
        append(zero, ino, 2 * 256);
        zero.settle();
        Map<Integer, Integer> more = new HashMap<>();
        for (int unit = 0; unit < 4; unit++) {
            append(zero, ino, 256).forEach((node, count) -> more.merge(node, count, Integer::sum));
            zero.settle();
        }
        assertThat(more.get(0)).isEqualTo(2 * 256);
        assertThat(more.get(1)).isEqualTo(2 * 256);
        checkOwnership(zero, one);
        // What lies at node 1 is counted by the home.
        long used = 2 * zero.files.totalBlocks() - zero.files.freeBlocks() - one.files.freeBlocks();
        assertThat(used).isEqualTo(zero.inode(ino).blocks());
    }

    /** Blocks of a node's pool that are in use, put together from what all servers say, as df does. */
    private static long used(int node, DataNode... nodes) {
        long free = 0;
        for (DataNode each : nodes) {
            free += each.files.freeBlocks(node);
        }
        return nodes[node].files.totalBlocks() - free;
    }

    @Test
    void everyNodesUsedBlocksAreThoseThatFilesHaveThere() {
        DataNode zero = node(0, 2);
        DataNode one = node(1, 2);
        long ino = one.createFile(1);
        Map<Integer, Integer> placed = new HashMap<>();
        for (int round = 0; round < 8; round++) {
            append(one, ino, 200).forEach((node, count) -> placed.merge(node, count, Integer::sum));
            one.settle();
            assertThat(used(0, zero, one)).isEqualTo(placed.getOrDefault(0, 0).longValue());
            assertThat(used(1, zero, one)).isEqualTo(placed.getOrDefault(1, 0).longValue());
        }
        assertThat(placed.get(0)).isGreaterThan(256);
        // What is lent is in no file yet.
        long block = one.inode(ino).sizeBytes() / BLOCK;
        TestRequest reserve = CommitBuilder.reserve(one, CLIENT, ino, block, 600);
        assertThat(CommitBuilder.grants(reserve)).anyMatch(grant -> BlockLocation.node(grant.location()) == 0);
        assertThat(used(0, zero, one)).isEqualTo(placed.get(0).longValue());
        assertThat(used(1, zero, one)).isEqualTo(placed.get(1).longValue());
        one = one.restart();
        one.settle();
        assertThat(used(0, zero, one)).isEqualTo(placed.get(0).longValue());
        one.deleteFile(ino);
        one.settle();
        assertThat(used(0, zero, one)).isZero();
        assertThat(used(1, zero, one)).isZero();
    }

    @Test
    void aRestartedHomeLearnsWhatItOwnsElsewhere() {
        DataNode zero = node(0, 2);
        DataNode one = node(1, 2);
        long ino = zero.createFile(0);
        append(zero, ino, 3 * 256);
        zero.settle();
        append(zero, ino, 1024);
        zero.settle();
        long free = zero.files.freeBlocks();
        zero = zero.restart();
        assertThat(zero.files.segments().isComplete()).isFalse();
        assertThat(zero.files.space().allocator(0).freeBlocks(1)).isZero();
        zero.settle();
        assertThat(zero.files.segments().isComplete()).isTrue();
        assertThat(zero.files.freeBlocks()).isEqualTo(free);
        checkOwnership(zero, one);
        append(zero, ino, 512);
        one = one.restart();
        append(zero, ino, 512);
        checkOwnership(zero, one);
    }

    @Test
    void aNodeThatIsDownIsLeftOut() {
        DataNode zero = node(0, 2);
        network.down[1] = true;
        long ino = zero.createFile(0);
        assertThat(append(zero, ino, 1024)).containsOnlyKeys(0);
        network.down[1] = false;
        DataNode one = node(1, 2);
        clock.nanos += 2_000_000_000L;
        zero.settle();
        append(zero, ino, 256);
        zero.settle();
        assertThat(append(zero, ino, 256 * 3)).containsKey(1);
        checkOwnership(zero, one);
    }

    @Test
    void whenTheHomeIsFullTheRequestWaitsForAnotherNode() {
        DataNode zero = node(0, 2);
        long ino = zero.createFile(0);
        long own = zero.files.totalBlocks();
        network.down[1] = true;
        append(zero, ino, (int) own);
        assertThat(CommitBuilder.reserve(zero, CLIENT, ino, 0, 1).errno()).isEqualTo(Errno.ENOSPC.value);
        network.down[1] = false;
        DataNode one = node(1, 2);
        clock.nanos += 2_000_000_000L;
        assertThat(append(zero, ino, (int) own)).containsOnlyKeys(1);
        assertThat(zero.files.freeBlocks() + one.files.freeBlocks()).isZero();
        // Both are full now, and say so after having asked.
        assertThat(CommitBuilder.reserve(zero, CLIENT, ino, 0, 1).errno()).isEqualTo(Errno.ENOSPC.value);
        checkOwnership(zero, one);
        // Deleting heals, on both nodes.
        zero.deleteFile(ino);
        for (int second = 0; second < 30; second++) {
            clock.nanos += 1_100_000_000L;
            zero.settle();
            one.settle();
        }
        assertThat(zero.files.segments().local().freeCount())
                .isEqualTo(zero.files.segments().local().segmentCount());
        assertThat(one.files.segments().local().freeCount())
                .isEqualTo(one.files.segments().local().segmentCount());
        long other = one.createFile(1);
        assertThat(append(one, other, (int) own)).isNotEmpty();
    }

    @Test
    void aRequestThatWaitsEndsAtItsDeadline() {
        DataNode zero = node(0, 2);
        node(1, 2);
        long ino = zero.createFile(0);
        network.down[1] = true;
        append(zero, ino, (int) zero.files.totalBlocks());
        network.down[1] = false;
        clock.nanos += 2_000_000_000L;
        TestRequest request = zero.request(OpCode.RESERVE, CLIENT, 64);
        request.body().putU64(0, ino);
        request.body().putU32(16, 4);
        request.deadlineNanos = clock.nanos + 1000;
        zero.dispatcher.handle(request);
        assertThat(request.isAnswered()).isFalse();
        assertThat(zero.files.doWork(clock.nanos)).isZero();
        clock.nanos += 2000;
        zero.files.doWork(clock.nanos);
        assertThat(request.errno()).isEqualTo(Errno.ENOSPC.value);
    }

    @ParameterizedTest
    @ValueSource(longs = {51, 52, 53, 54})
    void noSegmentIsLostOrUsedTwiceWhateverTheNetworkDoes(long seed) {
        Random random = new Random(seed);
        DataNode[] nodes = {node(0, 3), node(1, 3), node(2, 3)};
        long[] files = {nodes[0].createFile(0), nodes[1].createFile(1), nodes[2].createFile(2)};
        for (int step = 0; step < 300; step++) {
            int who = random.nextInt(3);
            network.loseAnswers = random.nextInt(4) == 0;
            switch (random.nextInt(8)) {
                case 0 -> network.down[random.nextInt(3)] = true;
                case 1 -> java.util.Arrays.fill(network.down, false);
                case 2 -> {
                    if (random.nextInt(4) == 0) {
                        network.deliver();
                        nodes[who] = nodes[who].restart();
                    }
                }
                case 3 -> {
                    nodes[who].deleteFile(files[who]);
                    files[who] = nodes[who].createFile(who);
                }
                case 4 -> clock.nanos += 1_100_000_000L;
                case 5 -> nodes[who].files.doWork(clock.nanos);
                case 6 -> network.deliver();
                default -> {
                    TestRequest reserve = CommitBuilder.reserve(
                            nodes[who],
                            CLIENT,
                            files[who],
                            nodes[who].inode(files[who]).sizeBytes() / BLOCK,
                            200);
                    if (reserve.errno() == 0) {
                        long block = nodes[who].inode(files[who]).sizeBytes() / BLOCK;
                        CommitBuilder commit = new CommitBuilder(nodes[who], CLIENT, files[who]);
                        for (Grant grant : CommitBuilder.grants(reserve)) {
                            commit.map(block, grant.location(), grant.count());
                            block += grant.count();
                        }
                        assertThat(commit.size(block * BLOCK, 0).run().errno()).isZero();
                    }
                }
            }
            checkOwnership(nodes);
        }
        // The network heals: everything that belongs to a shard is known to it, and the sums are right.
        network.loseAnswers = false;
        java.util.Arrays.fill(network.down, false);
        for (int second = 0; second < 30; second++) {
            clock.nanos += 1_100_000_000L;
            for (DataNode node : nodes) {
                node.settle();
            }
        }
        checkOwnership(nodes);
        long free = 0;
        long total = 0;
        long used = 0;
        for (int who = 0; who < 3; who++) {
            free += nodes[who].files.freeBlocks();
            total += nodes[who].files.totalBlocks();
            used += nodes[who].inode(files[who]).blocks();
        }
        assertThat(total - free).isEqualTo(used);
    }

    @Test
    void othersAskOnlyForTheirOwnShards() {
        DataNode zero = node(0, 2);
        for (int shard : new int[] {0, 2, -1, DataNode.SHARDS}) {
            TestRequest request = zero.request(OpCode.SEGMENT_ACQUIRE, -1, SegmentRequest.FIXED_BYTES);
            new SegmentRequest().wrap(request.body()).shard(shard).count(1).segmentsCount(0);
            assertThat(zero.run(request).errno()).isEqualTo(Errno.EINVAL.value);
        }
        // A release of what the shard does not own changes nothing.
        int free = zero.files.segments().local().freeCount();
        assertThat(zero.files.segments().give(1)).isNotNegative();
        assertThat(zero.files.segments().takeBack(0, 3)).isFalse();
        assertThat(zero.files.segments().takeBack(999, 1)).isFalse();
        assertThat(zero.files.segments().local().freeCount()).isEqualTo(free - 1);
        assertThat(List.of(zero.files.segments().local().ownerOf(0))).containsExactly(1);
    }
}
