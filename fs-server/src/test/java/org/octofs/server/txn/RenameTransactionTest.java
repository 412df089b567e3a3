package org.octofs.server.txn;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.message.ChangeReply;
import org.octofs.server.ops.InodeChanges;
import org.octofs.server.ops.RenameHandler;
import org.octofs.server.store.InodeRecord;

/**
 * Goal: renames over two and three servers do to every inode and directory what POSIX says, and refuse what it refuses.
 * Method: three servers with a directory each; every outcome, with its side effects, then the whole tree is checked.
 */
class RenameTransactionTest {
    private final TxnCluster cluster = new TxnCluster(3, 5);
    private final TxnFs fs = new TxnFs(cluster);
    private long a;
    private long b;
    private long c;

    @BeforeEach
    void makeDirectories() {
        a = fs.mkdirOn(TxnFs.ROOT, 0, "a");
        b = fs.mkdirOn(TxnFs.ROOT, 1, "b");
        c = fs.mkdirOn(TxnFs.ROOT, 2, "c");
    }

    @AfterEach
    void checkAndClose() {
        cluster.settle();
        TreeCheck.check(cluster, fs);
        cluster.close();
    }

    private Errno rename(long from, String name, long to, String newName) {
        return fs.rename(from, name, to, newName, 0);
    }

    private static long changed(InodeRecord record) {
        return record.getLong(InodeLayout.CTIME_SEC_OFFSET) * 1_000_000_000L
                + record.getInt(InodeLayout.CTIME_NSEC_OFFSET);
    }

    private static long modified(InodeRecord record) {
        return record.getLong(InodeLayout.MTIME_SEC_OFFSET) * 1_000_000_000L
                + record.getInt(InodeLayout.MTIME_NSEC_OFFSET);
    }

    @Test
    void moveOfFileChangesBothParentsAndTheFile() {
        long file = fs.create(a, "file");
        cluster.settle();
        long versionA = fs.inode(a).version();
        long versionB = fs.inode(b).version();
        long before = cluster.clock.wallNanos();
        TestRequest request = fs.renameAsync(a, "file", b, "moved", 0);
        cluster.await(request);
        ChangeReply change = TxnFs.change(request);
        cluster.settle();
        assertThat(change.ino()).isEqualTo(file);
        assertThat(change.replacedIno()).isZero();
        assertThat(change.parentVersion())
                .isEqualTo(versionA + 2)
                .isEqualTo(fs.inode(a).version());
        assertThat(change.targetParentVersion())
                .isEqualTo(versionB + 2)
                .isEqualTo(fs.inode(b).version());
        assertThat(fs.find(a, "file")).isZero();
        assertThat(fs.find(b, "moved")).isEqualTo(file);
        for (long ino : new long[] {a, b}) {
            assertThat(modified(fs.inode(ino))).isGreaterThan(before);
            assertThat(changed(fs.inode(ino))).isGreaterThan(before);
            assertThat(fs.inode(ino).nlink()).isEqualTo(2);
        }
        assertThat(changed(fs.inode(file))).isGreaterThan(before);
        assertThat(modified(fs.inode(file))).isLessThan(before);
        assertThat(fs.inode(a).entryCount()).isZero();
        assertThat(fs.inode(b).entryCount()).isEqualTo(1);
    }

    @Test
    void moveOfDirectoryMovesItsLinkAndItsParent() {
        String name = fs.nameFor(a, 2, "d");
        long moved = fs.mkdir(a, name);
        fs.create(moved, "inside");
        assertThat(rename(a, name, b, "moved")).isEqualTo(Errno.OK);
        cluster.settle();
        assertThat(fs.inode(a).nlink()).isEqualTo(2);
        assertThat(fs.inode(b).nlink()).isEqualTo(3);
        assertThat(fs.inode(moved).parent()).isEqualTo(b);
        assertThat(fs.find(moved, "inside")).isNotZero();
    }

    @Test
    void replacedFileIsFreedAtItsHome() {
        fs.create(a, "file");
        long there = fs.create(b, "there");
        assertThat(rename(a, "file", b, "there")).isEqualTo(Errno.OK);
        cluster.settle();
        assertThat(fs.inode(there)).isNull();
        assertThat(fs.inode(b).entryCount()).isEqualTo(1);
    }

    @Test
    void replacedFileWithAnotherNameKeepsIt() {
        fs.create(a, "file");
        long there = fs.create(b, "there");
        assertThat(fs.link(there, c, "other")).isEqualTo(Errno.OK);
        assertThat(rename(a, "file", b, "there")).isEqualTo(Errno.OK);
        cluster.settle();
        assertThat(fs.inode(there).nlink()).isEqualTo(1);
        assertThat(fs.find(c, "other")).isEqualTo(there);
    }

    @Test
    void replacedFileThatIsOpenLivesUntilItIsClosed() {
        fs.create(a, "file");
        long there = fs.create(c, "there");
        assertThat(rename(c, "there", b, "there")).isEqualTo(Errno.OK);
        cluster.settle();
        TxnNode home = cluster.node(fs.home(there));
        var session = new OpenSession(home);
        session.open(there);
        assertThat(rename(a, "file", b, "there")).isEqualTo(Errno.OK);
        cluster.settle();
        assertThat(fs.inode(there).nlink()).isZero();
        assertThat(home.state.orphans().contains(there)).isTrue();
        session.close(there);
        cluster.settle();
        assertThat(fs.inode(there)).isNull();
    }

    @Test
    void unlinkedFileThatIsOpenElsewhereLivesUntilItIsClosed() {
        long file = fs.create(b, "file");
        assertThat(rename(b, "file", a, "file")).isEqualTo(Errno.OK);
        cluster.settle();
        TxnNode home = cluster.node(fs.home(file));
        var session = new OpenSession(home);
        session.open(file);
        assertThat(fs.unlink(a, "file")).isEqualTo(Errno.OK);
        cluster.settle();
        assertThat(fs.inode(file).nlink()).isZero();
        session.close(file);
        cluster.settle();
        assertThat(fs.inode(file)).isNull();
    }

    @Test
    void emptyDirectoryIsReplacedFullOneIsNot() {
        String from = fs.nameFor(a, 1, "d");
        String to = fs.nameFor(b, 2, "e");
        fs.mkdir(a, from);
        long replaced = fs.mkdir(b, to);
        long inside = fs.create(replaced, "inside");
        assertThat(rename(a, from, b, to)).isEqualTo(Errno.ENOTEMPTY);
        assertThat(fs.unlink(replaced, "inside")).isEqualTo(Errno.OK);
        assertThat(rename(a, from, b, to)).isEqualTo(Errno.OK);
        cluster.settle();
        assertThat(fs.inode(replaced)).isNull();
        assertThat(fs.inode(inside)).isNull();
        assertThat(fs.inode(b).nlink()).isEqualTo(3);
        assertThat(fs.inode(a).nlink()).isEqualTo(2);
    }

    @Test
    void typesMustFit() {
        fs.create(a, "file");
        fs.create(b, "file");
        String directory = fs.nameFor(a, 2, "d");
        fs.mkdir(a, directory);
        String target = fs.nameFor(b, 2, "e");
        fs.mkdir(b, target);
        assertThat(rename(a, directory, b, "file")).isEqualTo(Errno.ENOTDIR);
        assertThat(rename(a, "file", b, target)).isEqualTo(Errno.EISDIR);
    }

    @Test
    void missingNamesAndDirectories() {
        long file = fs.create(a, "file");
        assertThat(rename(a, "none", b, "x")).isEqualTo(Errno.ENOENT);
        assertThat(rename(a, "file", b + 4711, "x")).isEqualTo(Errno.ESTALE);
        long other = fs.create(b, "other");
        assertThat(rename(a, "file", other, "x")).isEqualTo(Errno.ENOTDIR);
        assertThat(fs.rename(a, "file", b, "x", RenameHandler.EXCHANGE)).isEqualTo(Errno.ENOENT);
        assertThat(fs.find(a, "file")).isEqualTo(file);
    }

    @Test
    void removedDirectoryTakesNothing() {
        String name = fs.nameFor(TxnFs.ROOT, 1, "gone");
        long gone = fs.mkdir(TxnFs.ROOT, name);
        cluster.settle();
        OpenSession session = new OpenSession(cluster.node(1));
        session.open(gone);
        assertThat(fs.rmdir(TxnFs.ROOT, name)).isEqualTo(Errno.OK);
        cluster.settle();
        long file = fs.create(a, "file");
        assertThat(rename(a, "file", gone, "x")).isEqualTo(Errno.ENOENT);
        assertThat(fs.find(a, "file")).isEqualTo(file);
        session.close(gone);
    }

    @Test
    void noReplaceRefusesWhatExists() {
        fs.create(a, "file");
        fs.create(b, "there");
        assertThat(fs.rename(a, "file", b, "there", RenameHandler.NOREPLACE)).isEqualTo(Errno.EEXIST);
        assertThat(fs.rename(a, "file", b, "free", RenameHandler.NOREPLACE)).isEqualTo(Errno.OK);
    }

    @Test
    void twoNamesOfOneFileStay() {
        long file = fs.create(a, "file");
        assertThat(fs.link(file, b, "other")).isEqualTo(Errno.OK);
        cluster.settle();
        long version = fs.inode(b).version();
        assertThat(rename(a, "file", b, "other")).isEqualTo(Errno.OK);
        cluster.settle();
        assertThat(fs.find(a, "file")).isEqualTo(file);
        assertThat(fs.find(b, "other")).isEqualTo(file);
        assertThat(fs.inode(b).version()).isEqualTo(version);
        assertThat(fs.inode(file).nlink()).isEqualTo(2);
    }

    @Test
    void directoryDoesNotGoIntoItself() {
        String first = fs.nameFor(a, 1, "d");
        long d = fs.mkdir(a, first);
        long e = fs.mkdirOn(d, 2, "e");
        long f = fs.mkdirOn(e, 0, "f");
        assertThat(rename(a, first, d, "x")).isEqualTo(Errno.EINVAL);
        assertThat(rename(a, first, e, "x")).isEqualTo(Errno.EINVAL);
        assertThat(rename(a, first, f, "x")).isEqualTo(Errno.EINVAL);
        // An ancestor is not empty.
        assertThat(rename(e, fs.nameFor(e, 0, "f"), a, first)).isEqualTo(Errno.ENOTEMPTY);
    }

    @Test
    void exchangeDoesNotMakeALoop() {
        String first = fs.nameFor(a, 1, "d");
        long d = fs.mkdir(a, first);
        long e = fs.mkdirOn(d, 2, "e");
        String inner = fs.nameFor(e, 0, "f");
        fs.mkdir(e, inner);
        assertThat(fs.rename(a, first, e, inner, RenameHandler.EXCHANGE)).isEqualTo(Errno.EINVAL);
        assertThat(fs.rename(e, inner, a, first, RenameHandler.EXCHANGE)).isEqualTo(Errno.EINVAL);
    }

    @Test
    void exchangeSwapsFileAndDirectory() {
        long file = fs.create(a, "left");
        String right = fs.nameFor(b, 2, "right");
        long directory = fs.mkdir(b, right);
        assertThat(fs.rename(a, "left", b, right, RenameHandler.EXCHANGE)).isEqualTo(Errno.OK);
        cluster.settle();
        assertThat(fs.find(a, "left")).isEqualTo(directory);
        assertThat(fs.find(b, right)).isEqualTo(file);
        assertThat(fs.inode(directory).parent()).isEqualTo(a);
        assertThat(fs.inode(a).nlink()).isEqualTo(3);
        assertThat(fs.inode(b).nlink()).isEqualTo(2);
    }

    @Test
    void fullDirectoryOfDirectoriesRefusesOneMore() {
        String name = fs.nameFor(a, 2, "d");
        fs.mkdir(a, name);
        cluster.settle();
        setNlink(b, InodeChanges.LINK_MAX);
        assertThat(rename(a, name, b, "x")).isEqualTo(Errno.EMLINK);
        setNlink(b, 2);
    }

    private void setNlink(long ino, int nlink) {
        var state = cluster.node(fs.home(ino)).state;
        var tx = state.begin(org.octofs.server.store.RecordType.NAMESPACE);
        state.inodes().edit(tx, ino).nlink(nlink);
        tx.commit();
    }

    @Test
    void longNamesGetLargeSlots() {
        String name = "n".repeat(255);
        long file = fs.create(a, "file");
        assertThat(rename(a, "file", b, name)).isEqualTo(Errno.OK);
        assertThat(fs.find(b, name)).isEqualTo(file);
        assertThat(rename(b, name, c, name)).isEqualTo(Errno.OK);
        cluster.settle();
        assertThat(fs.find(c, name)).isEqualTo(file);
    }

    @Test
    void movesToAndFroAgainAndAgain() {
        long file = fs.create(a, "file");
        long[] ring = {a, b, c};
        for (int i = 0; i < 60; i++) {
            assertThat(rename(ring[i % 3], "file", ring[(i + 1) % 3], "file")).isEqualTo(Errno.OK);
        }
        cluster.settle();
        assertThat(fs.find(a, "file")).isEqualTo(file);
    }
}
