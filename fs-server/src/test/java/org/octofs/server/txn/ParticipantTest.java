package org.octofs.server.txn;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.CollectReply;
import org.octofs.rpc.protocol.message.CollectRequest;
import org.octofs.rpc.protocol.message.TransactionsReply;
import org.octofs.rpc.protocol.message.TransactionsRequest;
import org.octofs.server.store.PageKind;

/**
 * Goal: what a participant promises a coordinator, and everybody else meanwhile. Method: COLLECT, releases and questions by
 * hand, as a coordinator that may be dead, late or forgetful would send them.
 */
class ParticipantTest {
    private static final long SECOND = 1_000_000_000L;
    private static final byte[] NONE = {};
    private final TxnCluster cluster = new TxnCluster(2, 3);
    private final TxnFs fs = new TxnFs(cluster);
    private final long directory = fs.mkdirOn(TxnFs.ROOT, 1, "d");
    private int numbers;

    ParticipantTest() {
        cluster.settle();
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    /** An id that node 0 never gave. */
    private long stranger() {
        return TransactionId.of(0, 999, ++numbers);
    }

    private TestRequest collect(long txnId, int kind, int flags, long ino, int shard, String name) {
        byte[] body = new byte[512];
        CollectRequest message = new CollectRequest()
                .begin(new MessageBuffer(MemorySegment.ofArray(body)), txnId, 0)
                .add(kind, flags, ino, shard, name.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        return cluster.submit(1, OpCode.COLLECT, java.util.Arrays.copyOf(body, message.bodyBytes()), SECOND);
    }

    private TestRequest ask(int opCode, long txnId) {
        byte[] body = new byte[TransactionsRequest.bodyBytes(1)];
        new TransactionsRequest()
                .wrap(new MessageBuffer(MemorySegment.ofArray(body)))
                .set(0, 1)
                .txnId(0, txnId);
        return cluster.submit(1, opCode, body, SECOND);
    }

    private int stateOf(TestRequest request) {
        return new TransactionsReply().wrap(request.answer()).state(0);
    }

    private long version() {
        return fs.inode(directory).version();
    }

    @Test
    void lockIsDurableBeforeTheAnswer() {
        long txn = stranger();
        TestRequest collected = collect(txn, CollectRequest.INODE, 0, directory, 0, "");
        assertThat(TxnCluster.errnoOf(collected)).isEqualTo(Errno.OK);
        cluster.crashesKeep(TxnCluster.Kept.ONLY_FENCED);
        cluster.crash(1);
        cluster.start(1);
        assertThat(cluster.node(1).transactions.heldCount()).isEqualTo(1);
        assertThat(cluster.node(1).state.locks().isLocked(directory)).isTrue();
    }

    @Test
    void versionWordIsOddWhileLockedAndTheImageIsTheOneBefore() {
        long before = version();
        TestRequest collected = collect(stranger(), CollectRequest.INODE, 0, directory, 0, "");
        assertThat(version()).isEqualTo(before + 1);
        CollectReply reply = new CollectReply().wrap(collected.answer());
        int image = reply.element(0) + CollectReply.IMAGE_OFFSET;
        assertThat(collected.answer().getU64(image + InodeLayout.VERSION_OFFSET))
                .isEqualTo(before);
        assertThat(collected.answer().getU64(image + InodeLayout.INO_OFFSET)).isEqualTo(directory);
    }

    @Test
    void secondTransactionFindsItBusy() {
        collect(stranger(), CollectRequest.INODE, 0, directory, 0, "");
        assertThat(TxnCluster.errnoOf(collect(stranger(), CollectRequest.INODE, 0, directory, 0, "")))
                .isEqualTo(Errno.EBUSY);
        assertThat(TxnCluster.errnoOf(collect(stranger(), CollectRequest.ENTRY, 0, directory, 0, "x")))
                .isEqualTo(Errno.EBUSY);
    }

    @Test
    void requestsWaitForTheRelease() {
        long txn = stranger();
        TestRequest collected = collect(txn, CollectRequest.INODE, 0, directory, 0, "");
        TestRequest create = fs.createAsync(directory, "file");
        assertThat(create.isAnswered()).isFalse();
        release(collected, ReleaseWord.aborted(txn, cluster.node(1).incarnation()));
        cluster.await(create);
        assertThat(TxnCluster.errnoOf(create)).isEqualTo(Errno.OK);
    }

    private void release(TestRequest collected, long word) {
        long at = new CollectReply().wrap(collected.answer()).releaseOffset();
        cluster.node(1).medium.putLong(at, word);
    }

    @Test
    void abortGivesEverythingBack() {
        long before = version();
        long txn = stranger();
        long slots = cluster.node(1).state.store().freeSlotCount(PageKind.INODE);
        TestRequest collected = collect(txn, CollectRequest.NEW_INODE, 0, 0, 1, "");
        assertThat(cluster.node(1).state.store().freeSlotCount(PageKind.INODE)).isEqualTo(slots - 1);
        collect(txn, CollectRequest.ENTRY, CollectRequest.FLAG_MAY_INSERT, directory, 0, "name");
        assertThat(version()).isEqualTo(before + 1);
        release(collected, ReleaseWord.aborted(txn, cluster.node(1).incarnation()));
        cluster.settle();
        assertThat(version()).isEqualTo(before);
        assertThat(cluster.node(1).state.store().freeSlotCount(PageKind.INODE)).isEqualTo(slots);
        TreeCheck.check(cluster, fs);
    }

    @Test
    void wordsOfOthersAndOfEarlierLivesReleaseNothing() {
        long txn = stranger();
        int incarnation = cluster.node(1).incarnation();
        TestRequest collected = collect(txn, CollectRequest.INODE, 0, directory, 0, "");
        long[] words = {
            1,
            2,
            -1,
            ReleaseWord.aborted(stranger(), incarnation),
            ReleaseWord.aborted(txn, incarnation - 1),
            ReleaseWord.committed(txn, incarnation + 1)
        };
        for (long word : words) {
            release(collected, word);
            cluster.node(1).doWork();
            assertThat(cluster.node(1).transactions.heldCount()).isEqualTo(1);
        }
    }

    @Test
    void releaseWithBrokenImagesIsNotBelieved() {
        long txn = stranger();
        TestRequest collected = collect(txn, CollectRequest.NEW_INODE, 0, 0, 1, "");
        release(collected, ReleaseWord.committed(txn, cluster.node(1).incarnation()));
        cluster.node(1).doWork();
        assertThat(cluster.node(1).transactions.heldCount()).isEqualTo(1);
    }

    @Test
    void forgottenTransactionEndsByItself() {
        collect(stranger(), CollectRequest.INODE, 0, directory, 0, "");
        TestRequest create = fs.createAsync(directory, "file");
        assertThat(create.isAnswered()).isFalse();
        cluster.settle();
        assertThat(TxnCluster.errnoOf(create)).isEqualTo(Errno.OK);
        assertThat(cluster.node(1).transactions.heldCount()).isZero();
    }

    @Test
    void lateCollectOfARestartedCoordinatorEndsByItself() {
        long stale = TransactionId.of(0, cluster.node(0).incarnation(), 1);
        cluster.crash(0);
        cluster.start(0);
        collect(stale, CollectRequest.INODE, 0, directory, 0, "");
        assertThat(cluster.node(1).transactions.heldCount()).isEqualTo(1);
        cluster.settle();
        assertThat(cluster.node(1).transactions.heldCount()).isZero();
    }

    @Test
    void inDoubtObjectsStayLockedAndAllElseIsServed() {
        long txn = stranger();
        collect(txn, CollectRequest.INODE, 0, directory, 0, "");
        cluster.crash(1);
        cluster.crash(0);
        cluster.start(1);
        TestRequest create = fs.createAsync(directory, "file");
        TestRequest other = cluster.submit(1, OpCode.STATFS, NONE, SECOND);
        for (int i = 0; i < 100; i++) {
            cluster.step();
        }
        assertThat(create.isAnswered()).isFalse();
        assertThat(TxnCluster.errnoOf(other)).isEqualTo(Errno.OK);
        cluster.start(0);
        cluster.await(create);
        assertThat(TxnCluster.errnoOf(create)).isEqualTo(Errno.OK);
    }

    @Test
    void questionsAreAnswered() {
        long txn = stranger();
        assertThat(stateOf(ask(OpCode.FLUSHED, txn))).isEqualTo(TransactionsReply.GONE);
        collect(txn, CollectRequest.INODE, 0, directory, 0, "");
        assertThat(stateOf(ask(OpCode.FLUSHED, txn))).isEqualTo(TransactionsReply.HELD);
        assertThat(stateOf(ask(OpCode.OUTCOME, TransactionId.of(1, 1, 12345)))).isEqualTo(TransactionsReply.UNKNOWN);
        assertThat(stateOf(ask(OpCode.ABORT, txn))).isEqualTo(TransactionsReply.GONE);
        assertThat(stateOf(ask(OpCode.ABORT, txn))).isEqualTo(TransactionsReply.GONE);
        assertThat(cluster.node(1).transactions.heldCount()).isZero();
        assertThat(cluster.node(1).state.locks().size()).isZero();
    }

    @Test
    void whatCannotBeLockedIsRefused() {
        assertThat(TxnCluster.errnoOf(collect(stranger(), CollectRequest.INODE, 0, directory + 999, 0, "")))
                .isEqualTo(Errno.ESTALE);
        assertThat(TxnCluster.errnoOf(collect(stranger(), CollectRequest.INODE, 0, TxnFs.ROOT, 0, "")))
                .isEqualTo(Errno.ENOT_HOME);
        assertThat(TxnCluster.errnoOf(collect(stranger(), CollectRequest.NEW_INODE, 0, 0, 0, "")))
                .isEqualTo(Errno.ENOT_HOME);
        assertThat(TxnCluster.errnoOf(collect(stranger(), 99, 0, directory, 0, "")))
                .isEqualTo(Errno.EPROTO);
        long file = fs.create(directory, "file");
        assertThat(TxnCluster.errnoOf(collect(stranger(), CollectRequest.ENTRY, 0, file, 0, "x")))
                .isEqualTo(Errno.ENOTDIR);
        assertThat(TxnCluster.errnoOf(
                        collect(stranger(), CollectRequest.INODE, CollectRequest.FLAG_EMPTY, directory, 0, "")))
                .isEqualTo(Errno.ENOTEMPTY);
        assertThat(cluster.node(1).transactions.heldCount()).isZero();
        assertThat(cluster.node(1).state.locks().size()).isZero();
    }

    @Test
    void clientsMayNotCollect() {
        byte[] body = new byte[TransactionsRequest.bodyBytes(1)];
        new TransactionsRequest()
                .wrap(new MessageBuffer(MemorySegment.ofArray(body)))
                .set(0, 1)
                .txnId(0, stranger());
        OpenSession client = new OpenSession(cluster.node(1));
        for (int opCode : new int[] {OpCode.COLLECT, OpCode.ABORT, OpCode.FLUSHED, OpCode.OUTCOME, OpCode.ANCESTORS}) {
            TestRequest request = cluster.submit(
                    1, new TestRequest(opCode, body, cluster.clock.monotonicNanos() + SECOND).of(client));
            assertThat(TxnCluster.errnoOf(request)).isEqualTo(Errno.EPERM);
        }
    }

    @Test
    void fullLockTableIsNoSpaceForOneMore() {
        int taken = 0;
        Errno errno;
        do {
            errno = TxnCluster.errnoOf(collect(stranger(), CollectRequest.TOKEN, 0, 1_000 + taken++, 0, ""));
        } while (errno == Errno.OK);
        assertThat(errno).isEqualTo(Errno.ENOLCK);
        assertThat(taken).isEqualTo(cluster.node(1).transactions.heldCount() + 1);
        // They all end, since nobody knows them; the table is free again.
        cluster.settle();
        assertThat(fs.mkdirOn(TxnFs.ROOT, 1, "more")).isNotZero();
    }
}
