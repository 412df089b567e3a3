package org.octofs.server.txn;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.EntryReply;
import org.octofs.server.ops.InodeChanges;
import org.octofs.server.store.RecordType;

/**
 * Goal: links and their ends over two servers, and what a coordinator does when participants are away, full or slow. Method: one
 * case per outcome on two servers, then the check of the whole tree.
 */
class CoordinatorTest {
    private static final long SECOND = 1_000_000_000L;
    private final TxnCluster cluster = new TxnCluster(2, 9);
    private final TxnFs fs = new TxnFs(cluster);
    private final long near = fs.mkdirOn(TxnFs.ROOT, 0, "near");
    private final long far = fs.mkdirOn(TxnFs.ROOT, 1, "far");

    @AfterEach
    void checkAndClose() {
        cluster.settle();
        TreeCheck.check(cluster, fs);
        cluster.close();
    }

    @Test
    void linkCountsAtTheFilesHome() {
        long file = fs.create(far, "file");
        cluster.settle();
        long changedBefore = fs.inode(file).getInt(InodeLayout.CTIME_NSEC_OFFSET);
        TestRequest request = fs.linkAsync(file, near, "name");
        cluster.await(request);
        EntryReply reply = new EntryReply().wrap(request.answer());
        assertThat(reply.ino()).isEqualTo(file);
        assertThat(reply.type()).isEqualTo(FileMode.REGULAR);
        cluster.settle();
        assertThat(fs.inode(file).nlink()).isEqualTo(2);
        assertThat(fs.inode(file).getInt(InodeLayout.CTIME_NSEC_OFFSET)).isNotEqualTo((int) changedBefore);
        assertThat(fs.unlink(far, "file")).isEqualTo(Errno.OK);
        assertThat(fs.unlink(near, "name")).isEqualTo(Errno.OK);
        cluster.settle();
        assertThat(fs.inode(file)).isNull();
    }

    @Test
    void linkIsRefused() {
        long file = fs.create(far, "file");
        long directory = fs.mkdirOn(near, 1, "d");
        fs.create(near, "taken");
        assertThat(fs.link(file, near, "taken")).isEqualTo(Errno.EEXIST);
        assertThat(fs.link(directory, near, "d2")).isEqualTo(Errno.EPERM);
        assertThat(fs.link(file + 1000, near, "none")).isEqualTo(Errno.ESTALE);
        setNlink(file, InodeChanges.LINK_MAX);
        assertThat(fs.link(file, near, "one-more")).isEqualTo(Errno.EMLINK);
        setNlink(file, 1);
        OpenSession session = new OpenSession(cluster.node(1));
        session.open(file);
        assertThat(fs.unlink(far, "file")).isEqualTo(Errno.OK);
        assertThat(fs.link(file, near, "late")).isEqualTo(Errno.ENOENT);
        session.close(file);
    }

    @Test
    void parentWithTooManyDirectoriesIsRefused() {
        cluster.settle();
        setNlink(near, InodeChanges.LINK_MAX);
        assertThat(fs.tryMkdir(near, fs.nameFor(near, 1, "d"))).isEqualTo(Errno.EMLINK);
        setNlink(near, 2);
    }

    private void setNlink(long ino, int nlink) {
        cluster.settle();
        var state = cluster.node(fs.home(ino)).state;
        var tx = state.begin(RecordType.NAMESPACE);
        state.inodes().edit(tx, ino).nlink(nlink);
        tx.commit();
    }

    @Test
    void namesAndTypesAreChecked() {
        String name = fs.nameFor(near, 1, "d");
        fs.mkdir(near, name);
        assertThat(fs.unlink(near, name)).isEqualTo(Errno.EISDIR);
        assertThat(fs.rmdir(near, "none")).isEqualTo(Errno.ENOENT);
        long file = fs.create(far, "file");
        assertThat(fs.link(file, near, "file")).isEqualTo(Errno.OK);
        assertThat(fs.rmdir(near, "file")).isEqualTo(Errno.ENOTDIR);
    }

    @Test
    void setGroupIdIsInherited() {
        cluster.settle();
        var state = cluster.node(0).state;
        var tx = state.begin(RecordType.NAMESPACE);
        var directory = state.inodes().edit(tx, near);
        directory.mode(directory.mode() | FileMode.SET_GID).putInt(InodeLayout.GID_OFFSET, 4242);
        tx.commit();
        long made = fs.mkdirOn(near, 1, "d");
        cluster.settle();
        assertThat(fs.inode(made).gid()).isEqualTo(4242);
        assertThat(fs.inode(made).mode() & FileMode.SET_GID).isNotZero();
    }

    @Test
    void participantThatIsAwayBlocksNobodyElse() {
        cluster.settle();
        cluster.crash(1);
        TestRequest stuck = cluster.submit(
                0, OpCode.MKDIR, TxnFs.create(near, fs.nameFor(near, 1, "d"), FileMode.DIRECTORY | 0x1ED), 5 * SECOND);
        TestRequest local = fs.createAsync(near, "file");
        cluster.await(local);
        assertThat(TxnCluster.errnoOf(local)).isEqualTo(Errno.OK);
        assertThat(stuck.isAnswered()).isFalse();
        cluster.await(stuck);
        assertThat(TxnCluster.errnoOf(stuck)).isEqualTo(Errno.ELOCKED);
        assertThat(cluster.node(0).state.locks().size()).isZero();
        cluster.start(1);
    }

    @Test
    void participantThatComesBackIsWaitedFor() {
        cluster.settle();
        cluster.crash(1);
        TestRequest request = fs.mkdirAsync(near, fs.nameFor(near, 1, "d"));
        for (int i = 0; i < 200; i++) {
            cluster.step();
        }
        assertThat(request.isAnswered()).isFalse();
        cluster.start(1);
        cluster.await(request);
        assertThat(TxnCluster.errnoOf(request)).isEqualTo(Errno.OK);
    }

    @Test
    void fullParticipantIsNoSpaceAndLosesNothing() {
        int made = 0;
        Errno errno = Errno.OK;
        while (errno == Errno.OK && made < 20_000) {
            errno = fs.tryMkdir(near, fs.nameFor(near, 1, "d" + made++ + "x"));
            // Files fill the other pool sooner.
            for (int i = 0; i < 8 && errno == Errno.OK; i++) {
                TestRequest file = fs.createAsync(far, "f" + made + "." + i);
                cluster.await(file);
            }
        }
        assertThat(errno).isEqualTo(Errno.ENOSPC);
        Map<String, Long> before = fs.list(near);
        assertThat(fs.tryMkdir(near, fs.nameFor(near, 1, "again"))).isEqualTo(Errno.ENOSPC);
        cluster.settle();
        assertThat(fs.list(near)).isEqualTo(before);
    }

    @Test
    void smallLogHoldsAnyNumberOfTransactionsOneAfterTheOther() {
        long checkpoints = cluster.node(0).pool.redoLog().checkpointCount();
        for (int i = 0; i < 400; i++) {
            String name = fs.nameFor(near, 1, "d" + i + "x");
            assertThat(fs.tryMkdir(near, name)).isEqualTo(Errno.OK);
            assertThat(fs.rmdir(near, name)).isEqualTo(Errno.OK);
        }
        assertThat(cluster.node(0).pool.redoLog().checkpointCount()).isGreaterThan(checkpoints + 3);
        cluster.settle();
        assertThat(cluster.node(0).pool.redoLog().retainedCount()).isZero();
        assertThat(fs.list(near)).isEmpty();
    }

    @Test
    void recordIsKeptWhileAParticipantIsAwayHoweverOftenTheLogGoesRound() {
        String name = fs.nameFor(near, 1, "d");
        cluster.settle();
        cluster.observe((step, txnId) -> {
            if (step == TxnStep.COMMITTED) {
                cluster.crash(1);
            }
        });
        TestRequest request = fs.mkdirAsync(near, name);
        cluster.until(request::isAnswered);
        cluster.observe(TxnObserver.NONE);
        assertThat(TxnCluster.errnoOf(request)).isEqualTo(Errno.OK);
        long checkpoints = cluster.node(0).pool.redoLog().checkpointCount();
        for (int i = 0; i < 600; i++) {
            fs.create(near, "f");
            assertThat(fs.unlink(near, "f")).isEqualTo(Errno.OK);
        }
        assertThat(cluster.node(0).pool.redoLog().checkpointCount()).isGreaterThan(checkpoints + 3);
        cluster.crash(0);
        cluster.start(0);
        cluster.start(1);
        cluster.settle();
        assertThat(fs.inode(fs.find(near, name)).parent()).isEqualTo(near);
    }

    @Test
    void resendAfterACrashIsAnsweredAndNotDoneAgain() {
        cluster.settle();
        OpenSession session = new OpenSession(cluster.node(0));
        String name = fs.nameFor(near, 1, "d");
        byte[] body = TxnFs.create(near, name, FileMode.DIRECTORY | 0x1ED);
        long deadline = cluster.clock.monotonicNanos() + 20 * SECOND;
        TestRequest request = new TestRequest(OpCode.MKDIR, body, deadline).of(session);
        cluster.observe((step, txnId) -> {
            if (step == TxnStep.COMMITTED) {
                throw new CrashError(0);
            }
        });
        cluster.submit(0, request);
        cluster.until(() -> !cluster.isUp(0));
        cluster.observe(TxnObserver.NONE);
        assertThat(request.isAnswered()).isFalse();
        cluster.start(0);
        OpenSession again = new OpenSession(cluster.node(0));
        TestRequest resend = new TestRequest(OpCode.MKDIR, body, deadline, request.requestId()).of(again);
        assertThat(cluster.node(0).dispatcher.answerAgain(resend)).isTrue();
        cluster.settle();
        assertThat(TxnCluster.errnoOf(resend)).isEqualTo(Errno.OK);
        assertThat(new EntryReply().wrap(resend.answer()).ino()).isEqualTo(fs.find(near, name));
        assertThat(fs.list(near)).containsOnlyKeys(name);
    }
}
