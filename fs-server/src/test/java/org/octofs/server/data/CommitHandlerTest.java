package org.octofs.server.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.octofs.pmem.PoolFullException;
import org.octofs.rpc.protocol.BlockEntryLayout;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.CommitExtentLayout;
import org.octofs.rpc.protocol.CommitFlags;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.CommitReply;
import org.octofs.rpc.protocol.message.CommitRequest;
import org.octofs.rpc.protocol.message.MapReply;
import org.octofs.rpc.protocol.message.MapRequest;
import org.octofs.rpc.protocol.message.ReturnBlocksRequest;
import org.octofs.server.data.CommitBuilder.Grant;
import org.octofs.server.session.RecordedReply;
import org.octofs.server.store.InodeRecord;

/** Goal: the rules of RESERVE, COMMIT, RETURN_BLOCKS and MAP, each errno among them. Method: requests against one node. */
class CommitHandlerTest {
    private static final long CLIENT = 100;
    private static final long OTHER = 200;
    private static final int SHARD = 1;
    private static final int BLOCK = BlockLocation.BLOCK_BYTES;

    private DataNode node;
    private long ino;

    @BeforeEach
    void create() {
        node = DataNode.create();
        ino = node.createFile(SHARD);
    }

    private CommitBuilder commit() {
        return new CommitBuilder(node, CLIENT, ino);
    }

    private Grant reserve(int count) {
        List<Grant> grants = CommitBuilder.grants(CommitBuilder.reserve(node, CLIENT, ino, 0, count));
        assertThat(grants).hasSize(1);
        assertThat(grants.get(0).count()).isEqualTo(count);
        return grants.get(0);
    }

    private long location(long fileBlock) {
        return node.files.reader().location(node.inode(ino), fileBlock);
    }

    /** What must not change when a request is refused. */
    private String state() {
        InodeRecord inode = node.inode(ino);
        return inode.version() + " " + inode.sizeBytes() + " " + inode.blocks() + " lent "
                + node.files.space().reservations().lentBlocks() + " in "
                + node.files.space().reservations().entries() + " free " + node.files.freeBlocks() + " pages "
                + node.store.freePageCount() + " allocatable "
                + node.files.space().allocator(SHARD).freeBlocks();
    }

    private void refused(Errno errno, TestRequest request, String before) {
        assertThat(Errno.of(request.errno())).isEqualTo(errno);
        assertThat(state()).isEqualTo(before);
        assertThat(node.state.transaction().isActive()).isFalse();
    }

    @Test
    void makesLentBlocksPartOfTheFile() {
        Grant grant = reserve(8);
        long version = node.inode(ino).version();
        TestRequest done = commit().map(0, grant.location(), 5)
                .map(9, grant.location() + 5, 2)
                .size(40_000, 0)
                .run();
        assertThat(done.errno()).isZero();
        InodeRecord inode = node.inode(ino);
        assertThat(inode.version()).isEqualTo(version + 2);
        assertThat(inode.sizeBytes()).isEqualTo(40_000);
        assertThat(inode.blocks()).isEqualTo(7);
        assertThat(inode.getLong(InodeLayout.MTIME_SEC_OFFSET)).isEqualTo(1234);
        assertThat(location(4)).isEqualTo(grant.location() + 4);
        assertThat(location(5)).isZero();
        assertThat(location(10)).isEqualTo(grant.location() + 6);
        assertThat(node.files.space().reservations().lentBlocks()).isEqualTo(1);
        CommitReply reply = new CommitReply().wrap(done.answer());
        assertThat(reply.slotOffset()).isEqualTo(inode.slotOffset());
        assertThat(done.answer().getU64(CommitReply.IMAGE_OFFSET + InodeLayout.VERSION_OFFSET))
                .isEqualTo(version + 2);
        assertThat(reply.grantsCount()).isZero();
    }

    @Test
    void zeroesWhatIsThereInPlace() {
        Grant grant = reserve(8);
        commit().map(0, grant.location(), 3).map(9, grant.location() + 3, 4).run();
        commit().extent(20, grant.location() + 7, 0, 1, CommitExtentLayout.FLAG_UNWRITTEN)
                .run();
        long busy = node.files.totalBlocks() - node.files.freeBlocks();
        assertThat(commit().zeros(1, 9).zeros(11, 20).run().errno()).isZero();
        assertThat(node.inode(ino).blocks()).isEqualTo(8);
        assertThat(node.files.totalBlocks() - node.files.freeBlocks()).isEqualTo(busy);
        assertThat(location(0)).isEqualTo(grant.location());
        assertThat(location(1)).isEqualTo((grant.location() + 1) | BlockLocation.UNWRITTEN);
        assertThat(location(2)).isEqualTo((grant.location() + 2) | BlockLocation.UNWRITTEN);
        assertThat(location(3)).isZero();
        assertThat(location(9)).isEqualTo((grant.location() + 3) | BlockLocation.UNWRITTEN);
        assertThat(location(10)).isEqualTo(grant.location() + 4);
        assertThat(location(12)).isEqualTo((grant.location() + 6) | BlockLocation.UNWRITTEN);
        assertThat(location(20)).isEqualTo((grant.location() + 7) | BlockLocation.UNWRITTEN);
    }

    @Test
    void oneCommitZeroesNoMoreBlocksThanItMaps() {
        String before = state();
        refused(Errno.EFBIG, commit().zeros(0, 4097).run(), before);
        refused(Errno.EFBIG, commit().zeros(0, 4000).zeros(4000, 97).run(), before);
        refused(Errno.EFBIG, commit().zeros(0, 0xFFFF_FFFFL).run(), before);
        assertThat(commit().zeros(0, 4096).run().errno()).isZero();
    }

    @Test
    void mapAnswersTheEntriesWithTheirChecksums() {
        Grant grant = reserve(8);
        commit().map(1, grant.location(), 8).size(9L * BLOCK, 0).run();
        TestRequest map = node.request(OpCode.MAP, CLIENT, MapRequest.FIXED_BYTES);
        new MapRequest().wrap(map.body()).ino(ino).firstBlock(0).blockCount(600).reserved(0);
        assertThat(node.run(map).errno()).isZero();
        MapReply reply = new MapReply().wrap(map.answer());
        assertThat(reply.entriesCount()).isEqualTo(256);
        assertThat(reply.sizeBytes()).isEqualTo(9L * BLOCK);
        assertThat(reply.version()).isEqualTo(node.inode(ino).version());
        for (int block = 0; block < 256; block++) {
            long expected = block >= 1 && block < 9 ? grant.location() + block - 1 : 0;
            int at = reply.entries(block);
            assertThat(map.answer().getU64(at)).isEqualTo(expected);
            assertThat(map.answer().getU32(at + BlockEntryLayout.CHECKSUM_OFFSET))
                    .isEqualTo(expected == 0 ? 0 : CommitBuilder.checksum(expected));
        }
    }

    @Test
    void mapRefusesWhatIsNoRangeOrNoFile() {
        TestRequest map = node.request(OpCode.MAP, CLIENT, MapRequest.FIXED_BYTES);
        new MapRequest().wrap(map.body()).ino(ino).firstBlock(-1).blockCount(1);
        assertThat(node.run(map).errno()).isEqualTo(Errno.EINVAL.value);
        map = node.request(OpCode.MAP, CLIENT, MapRequest.FIXED_BYTES);
        new MapRequest().wrap(map.body()).ino(InodeNumber.ROOT).firstBlock(0).blockCount(1);
        assertThat(node.run(map).errno()).isEqualTo(Errno.EINVAL.value);
        map = node.request(OpCode.MAP, CLIENT, MapRequest.FIXED_BYTES);
        new MapRequest().wrap(map.body()).ino(ino + 1000).firstBlock(0).blockCount(1);
        assertThat(node.run(map).errno()).isEqualTo(Errno.ESTALE.value);
        map = node.request(OpCode.MAP, CLIENT, MapRequest.FIXED_BYTES);
        new MapRequest()
                .wrap(map.body())
                .ino(InodeNumber.of(DataNode.SHARDS, 1))
                .firstBlock(0)
                .blockCount(1);
        assertThat(node.run(map).errno()).isEqualTo(Errno.ENOT_HOME.value);
    }

    @Test
    void replacedBlocksAreFreeAndCanBeLentAgain() {
        Grant first = reserve(4);
        commit().map(0, first.location(), 4).size(4L * BLOCK, 0).run();
        long free = node.files.freeBlocks();
        Grant second = reserve(4);
        commit().map(0, second.location(), 4).size(4L * BLOCK, 0).run();
        assertThat(node.files.freeBlocks()).isEqualTo(free);
        assertThat(node.files.space().allocator(SHARD).isBusy(first.location())).isFalse();
        assertThat(node.inode(ino).blocks()).isEqualTo(4);
    }

    @Test
    void aBlockThatIsNotLentToTheCallerIsRefused() {
        Grant mine = reserve(4);
        List<Grant> others = CommitBuilder.grants(CommitBuilder.reserve(node, OTHER, ino, 0, 4));
        String before = state();
        refused(Errno.EINVAL, commit().map(0, others.get(0).location(), 1).run(), before);
        refused(Errno.EINVAL, commit().map(0, mine.location(), 5).run(), before);
        refused(Errno.EINVAL, commit().map(0, BlockLocation.of(3, 77), 1).run(), before);
        refused(
                Errno.EINVAL,
                commit().map(0, mine.location(), 2)
                        .map(2, mine.location() + 1, 2)
                        .run(),
                before);
        refused(
                Errno.EINVAL,
                commit().map(0, mine.location() | BlockLocation.UNWRITTEN, 1).run(),
                before);
        long otherShard = node.createFile(SHARD + 1);
        refused(
                Errno.EINVAL,
                new CommitBuilder(node, CLIENT, otherShard)
                        .map(0, mine.location(), 1)
                        .run(),
                before);
        assertThat(commit().map(0, mine.location(), 4).run().errno()).isZero();
        // And not twice.
        before = state();
        refused(Errno.EINVAL, commit().map(4, mine.location(), 4).run(), before);
    }

    @Test
    void conflictsAreAnsweredWithThePresentImageAndChangeNothing() {
        Grant grant = reserve(6);
        commit().map(0, grant.location(), 2).size(5000, 0).run();
        String before = state();
        TestRequest append = commit().map(2, grant.location() + 2, 1)
                .size(9000, CommitFlags.APPEND)
                .expectedSize(4999)
                .run();
        refused(Errno.EAGAIN, append, before);
        assertThat(append.answer().getU64(CommitReply.IMAGE_OFFSET + InodeLayout.SIZE_BYTES_OFFSET))
                .isEqualTo(5000);
        int merged = CommitExtentLayout.FLAG_MERGED;
        refused(
                Errno.EAGAIN,
                commit().extent(1, grant.location() + 2, grant.location(), 1, merged)
                        .run(),
                before);
        refused(
                Errno.EAGAIN,
                commit().map(0, grant.location() + 2, 1)
                        .extent(7, grant.location() + 3, 1, 1, merged)
                        .run(),
                before);
        assertThat(commit().extent(1, grant.location() + 2, grant.location() + 1, 1, merged)
                        .run()
                        .errno())
                .isZero();
        assertThat(commit().map(2, grant.location() + 3, 1)
                        .size(9000, CommitFlags.APPEND)
                        .expectedSize(5000)
                        .run()
                        .errno())
                .isZero();
        assertThat(node.inode(ino).sizeBytes()).isEqualTo(9000);
    }

    @Test
    void whatRestsOnAnOlderVersionIsAConflictIfTheSenderSaysSo() {
        int flags = CommitFlags.SET_SIZE | CommitFlags.IF_UNCHANGED;
        long seen = node.inode(ino).version();
        commit().size(5000, CommitFlags.SET_SIZE).base(seen - 2).run();
        assertThat(node.inode(ino).sizeBytes()).isEqualTo(5000);
        String before = state();
        TestRequest outdated = commit().size(100, flags).base(seen).run();
        refused(Errno.EAGAIN, outdated, before);
        assertThat(outdated.answer().getU64(CommitReply.IMAGE_OFFSET + InodeLayout.SIZE_BYTES_OFFSET))
                .isEqualTo(5000);
        assertThat(commit().size(100, flags)
                        .base(node.inode(ino).version())
                        .run()
                        .errno())
                .isZero();
        assertThat(node.inode(ino).sizeBytes()).isEqualTo(100);
    }

    @Test
    void malformedCommitsAreRefused() {
        Grant grant = reserve(6);
        String before = state();
        long at = grant.location();
        refused(Errno.EINVAL, commit().map(3, at, 1).map(2, at + 1, 1).run(), before);
        refused(Errno.EINVAL, commit().map(3, at, 2).map(4, at + 2, 1).run(), before);
        refused(Errno.EINVAL, commit().map(3, at, 0).run(), before);
        refused(Errno.EINVAL, commit().hole(3, 0).run(), before);
        refused(
                Errno.EINVAL,
                commit().extent(0, at, 0, 2, CommitExtentLayout.FLAG_MERGED).run(),
                before);
        refused(Errno.EINVAL, commit().extent(0, at, 0, 1, 64).run(), before);
        refused(Errno.EINVAL, commit().map(0, at, 1).size(9, 64).run(), before);
        refused(
                Errno.EINVAL,
                commit().size(9, CommitFlags.SET_SIZE | CommitFlags.KEEP_SIZE).run(),
                before);
        refused(Errno.EINVAL, commit().mtimeNsec(1_000_000_000).run(), before);
        refused(
                Errno.EINVAL,
                commit().map(1, at, 1).size(4096, CommitFlags.SET_SIZE).run(),
                before);
        refused(Errno.EFBIG, commit().size(-1, CommitFlags.SET_SIZE).run(), before);
        refused(
                Errno.EFBIG,
                commit().map(BlockMapLayout.FILE_BLOCKS_MAX - 1, at, 2).run(),
                before);
        refused(Errno.EFBIG, commit().map(BlockMapLayout.FILE_BLOCKS_MAX, at, 1).run(), before);
        refused(Errno.EFBIG, commit().map(0, at, 4097).run(), before);
        refused(Errno.EISDIR, new CommitBuilder(node, CLIENT, InodeNumber.ROOT).run(), before);
        refused(Errno.ESTALE, new CommitBuilder(node, CLIENT, ino + 99).run(), before);
        refused(Errno.ENOT_HOME, new CommitBuilder(node, CLIENT, InodeNumber.of(DataNode.SHARDS, 1)).run(), before);
        TestRequest wrongChecksums = commit().map(0, at, 2).build();
        wrongChecksums.body().putU32(CommitRequest.CHECKSUMS_COUNT_OFFSET, 1);
        refused(Errno.EINVAL, node.run(wrongChecksums), before);
        TestRequest tooShort = commit().map(0, at, 2).build();
        tooShort.body().putU32(CommitRequest.EXTENTS_COUNT_OFFSET, 4000);
        refused(Errno.EPROTO, node.run(tooShort), before);
    }

    @Test
    void sizesAndHolesFollowTheFlags() {
        Grant grant = reserve(20);
        commit().map(0, grant.location(), 20).size(20L * BLOCK, 0).run();
        commit().size(BLOCK, 0).run();
        assertThat(node.inode(ino).sizeBytes()).isEqualTo(20L * BLOCK);
        commit().hole(5, 3)
                .size(0, CommitFlags.KEEP_SIZE | CommitFlags.KEEP_MTIME)
                .mtimeNsec(77)
                .run();
        assertThat(node.inode(ino).sizeBytes()).isEqualTo(20L * BLOCK);
        assertThat(node.inode(ino).getInt(InodeLayout.MTIME_NSEC_OFFSET)).isEqualTo(5);
        assertThat(node.inode(ino).blocks()).isEqualTo(17);
        assertThat(location(4)).isNotZero();
        assertThat(location(5)).isZero();
        assertThat(location(8)).isNotZero();
        // The hole overlaps what SET_SIZE cuts off; nothing is freed twice.
        assertThat(commit().hole(9, 0xFFFF_FFFFL)
                        .size(10L * BLOCK - 7, CommitFlags.SET_SIZE)
                        .run()
                        .errno())
                .isZero();
        assertThat(node.inode(ino).sizeBytes()).isEqualTo(10L * BLOCK - 7);
        assertThat(node.inode(ino).blocks()).isEqualTo(6);
        commit().size(Long.MAX_VALUE, CommitFlags.SET_SIZE).run();
        assertThat(node.inode(ino).sizeBytes()).isEqualTo(Long.MAX_VALUE);
        commit().size(0, CommitFlags.SET_SIZE).run();
        node.settle();
        assertThat(node.inode(ino).blocks()).isZero();
        assertThat(node.inode(ino).mapHeight()).isZero();
        assertThat(node.files.freeBlocks()).isEqualTo(node.files.totalBlocks());
    }

    @Test
    void unwrittenBlocksAreMappedAndReplaced() {
        Grant grant = reserve(4);
        commit().extent(0, grant.location(), 0, 3, CommitExtentLayout.FLAG_UNWRITTEN)
                .size(3L * BLOCK, 0)
                .run();
        assertThat(location(1)).isEqualTo((grant.location() + 1) | BlockLocation.UNWRITTEN);
        assertThat(node.inode(ino).blocks()).isEqualTo(3);
        int merged = CommitExtentLayout.FLAG_MERGED;
        assertThat(commit().extent(1, grant.location() + 3, location(1), 1, merged)
                        .run()
                        .errno())
                .isZero();
        assertThat(node.files.space().allocator(SHARD).isBusy(grant.location() + 1))
                .isFalse();
        node = node.restart();
        assertThat(location(2)).isEqualTo((grant.location() + 2) | BlockLocation.UNWRITTEN);
    }

    @Test
    void blocksForTheNextWritesComeWithTheAnswer() {
        Grant grant = reserve(2);
        TestRequest done = commit().map(0, grant.location(), 2)
                .size(2L * BLOCK, 0)
                .want(100)
                .run();
        List<Grant> grants = CommitBuilder.commitGrants(done);
        assertThat(grants.stream().mapToInt(Grant::count).sum()).isEqualTo(100);
        node = node.restart();
        assertThat(commit().map(2, grants.get(0).location(), grants.get(0).count())
                        .run()
                        .errno())
                .isZero();
    }

    @Test
    void aCommitWithoutRoomForTheMapChangesNothing() {
        Grant grant = reserve(20);
        String before = state();
        long[] taken = new long[node.store.pageCount()];
        int count = 0;
        try {
            while (true) {
                taken[count] = node.store.allocatePage();
                count++;
            }
        } catch (PoolFullException e) {
            assertThat(count).isPositive();
        }
        TestRequest refused =
                commit().map(0, grant.location(), 20).size(20L * BLOCK, 0).run();
        assertThat(Errno.of(refused.errno())).isEqualTo(Errno.ENOSPC);
        node.state.transaction().begin(9);
        for (int i = 0; i < count; i++) {
            node.state.transaction().freePage(taken[i]);
        }
        node.state.transaction().commit();
        assertThat(state()).isEqualTo(before);
        assertThat(commit().map(0, grant.location(), 20).run().errno()).isZero();
    }

    @Test
    void loansSurviveARestartAndEndWithTheClient() {
        Grant grant = reserve(10);
        commit().map(0, grant.location() + 3, 2).run();
        node = node.restart();
        assertThat(node.files.space().reservations().lentBlocks()).isEqualTo(8);
        assertThat(node.files.space().allocator(SHARD).isBusy(grant.location())).isTrue();
        assertThat(commit().map(2, grant.location(), 3).run().errno()).isZero();
        node.files.clientGone(CLIENT);
        node.settle();
        assertThat(node.files.space().reservations().lentBlocks()).isZero();
        assertThat(node.files.space().allocator(SHARD).isBusy(grant.location() + 9))
                .isFalse();
        assertThat(commit().map(9, grant.location() + 9, 1).run().errno()).isEqualTo(Errno.EINVAL.value);
        node = node.restart();
        assertThat(node.files.space().reservations().entries()).isZero();
        assertThat(node.files.totalBlocks() - node.files.freeBlocks()).isEqualTo(5);
    }

    @Test
    void aResendAfterARestartGetsTheSameLoansAgain() {
        TestRequest reserve = CommitBuilder.reserve(node, CLIENT, ino, 0, 12);
        List<Grant> grants = CommitBuilder.grants(reserve);
        node = node.restart();
        TestRequest again = new TestRequest(OpCode.RESERVE, CLIENT, reserve.requestId(), 64);
        new ReserveHandler(node.files).answerAgain(again, node.state, new RecordedReply(OpCode.RESERVE, 0, ino, 0));
        assertThat(CommitBuilder.grants(again)).isEqualTo(grants);
        TestRequest commit = commit().map(0, grants.get(0).location(), 12)
                .size(12L * BLOCK, 0)
                .want(5)
                .run();
        node = node.restart();
        again = new TestRequest(OpCode.COMMIT, CLIENT, commit.requestId(), 64);
        new CommitHandler(node.files).answerAgain(again, node.state, new RecordedReply(OpCode.COMMIT, 0, ino, 0));
        assertThat(again.errno()).isZero();
        assertThat(CommitBuilder.commitGrants(again))
                .isEqualTo(CommitBuilder.commitGrants(commit))
                .hasSize(1);
        assertThat(again.answer().getU64(CommitReply.IMAGE_OFFSET + InodeLayout.SIZE_BYTES_OFFSET))
                .isEqualTo(12L * BLOCK);
    }

    @Test
    void returnedBlocksAreFree() {
        Grant grant = reserve(10);
        String before = state();
        UnaryOperator<TestRequest> give = request -> {
            MessageBuffer body = request.body();
            ReturnBlocksRequest message =
                    new ReturnBlocksRequest().wrap(body).ino(ino).grantsCount(2);
            body.putU64(message.grants(0), grant.location() + 6);
            body.putU32(message.grants(0) + Long.BYTES, 4);
            body.putU64(message.grants(1), grant.location());
            body.putU32(message.grants(1) + Long.BYTES, 3);
            return node.run(request);
        };
        int bytes = ReturnBlocksRequest.FIXED_BYTES + 32;
        refused(Errno.EINVAL, give.apply(node.request(OpCode.RETURN_BLOCKS, OTHER, bytes)), before);
        assertThat(give.apply(node.request(OpCode.RETURN_BLOCKS, CLIENT, bytes)).errno())
                .isZero();
        assertThat(node.files.space().reservations().lentBlocks()).isEqualTo(3);
        assertThat(node.files.space().allocator(SHARD).isBusy(grant.location() + 5))
                .isTrue();
        assertThat(node.files.space().allocator(SHARD).isBusy(grant.location() + 6))
                .isFalse();
        before = state();
        refused(Errno.EINVAL, give.apply(node.request(OpCode.RETURN_BLOCKS, CLIENT, bytes)), before);
        node = node.restart();
        assertThat(node.files.space().reservations().lentBlocks()).isEqualTo(3);
    }

    @Test
    void reserveRefusesNonsense() {
        assertThat(CommitBuilder.reserve(node, CLIENT, ino, 0, 0).errno()).isEqualTo(Errno.EINVAL.value);
        assertThat(CommitBuilder.reserve(node, CLIENT, ino, -1, 1).errno()).isEqualTo(Errno.EINVAL.value);
        assertThat(CommitBuilder.reserve(node, CLIENT, ino, BlockMapLayout.FILE_BLOCKS_MAX, 1)
                        .errno())
                .isEqualTo(Errno.EINVAL.value);
        assertThat(CommitBuilder.reserve(node, CLIENT, InodeNumber.ROOT, 0, 1).errno())
                .isEqualTo(Errno.EINVAL.value);
        assertThat(CommitBuilder.reserve(node, CLIENT, ino + 99, 0, 1).errno()).isEqualTo(Errno.ESTALE.value);
    }

    @Test
    void oneFencePerOperation() {
        Grant grant = reserve(64);
        commit().map(0, grant.location(), 8).size(8L * BLOCK, 0).run();
        long fences = node.medium.counters().fences();
        commit().map(8, grant.location() + 8, 8).size(16L * BLOCK, 0).run();
        assertThat(node.medium.counters().fences() - fences)
                .as("fences of a commit")
                .isEqualTo(1);
        fences = node.medium.counters().fences();
        commit().map(300, grant.location() + 16, 8).want(8).run();
        assertThat(node.medium.counters().fences() - fences)
                .as("fences of a commit with new map pages and blocks lent")
                .isEqualTo(2);
        fences = node.medium.counters().fences();
        reserve(4);
        assertThat(node.medium.counters().fences() - fences)
                .as("fences of a reserve")
                .isEqualTo(1);
        fences = node.medium.counters().fences();
        commit().size(0, CommitFlags.SET_SIZE).run();
        node.settle();
        assertThat(node.medium.counters().fences() - fences)
                .as("fences of a truncate")
                .isEqualTo(1);
    }
}
