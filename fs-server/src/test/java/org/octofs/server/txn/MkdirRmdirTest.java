package org.octofs.server.txn;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.server.store.InodeRecord;

/** Goal: directories whose inode and entry are on different servers. Method: each outcome, with its side effects, on two. */
class MkdirRmdirTest {
    private final TxnCluster cluster = new TxnCluster(2, 1);
    private final TxnFs fs = new TxnFs(cluster);

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void directoryIsMadeOnAnotherServer() {
        InodeRecord root = fs.inode(TxnFs.ROOT);
        long version = root.version();
        long ino = fs.mkdirOn(TxnFs.ROOT, 1, "d");
        assertThat(fs.home(ino)).isEqualTo(1);
        assertThat(root.nlink()).isEqualTo(3);
        assertThat(root.entryCount()).isEqualTo(1);
        assertThat(root.version()).isEqualTo(version + 2);
        cluster.settle();
        InodeRecord made = fs.inode(ino);
        assertThat(FileMode.isDirectory(made.mode())).isTrue();
        assertThat(made.nlink()).isEqualTo(2);
        assertThat(made.parent()).isEqualTo(TxnFs.ROOT);
        assertThat(made.uid()).isEqualTo(1000);
        assertThat(fs.tree()).hasSize(1);
    }

    @Test
    void directoryIsRemovedOnAnotherServer() {
        String name = fs.nameFor(TxnFs.ROOT, 1, "d");
        long ino = fs.mkdir(TxnFs.ROOT, name);
        assertThat(fs.rmdir(TxnFs.ROOT, name)).isEqualTo(Errno.OK);
        cluster.settle();
        assertThat(fs.inode(ino)).isNull();
        assertThat(fs.inode(TxnFs.ROOT).nlink()).isEqualTo(2);
        assertThat(fs.tree()).isEmpty();
    }

    @Test
    void directoryWithEntriesStays() {
        String name = fs.nameFor(TxnFs.ROOT, 1, "d");
        long ino = fs.mkdir(TxnFs.ROOT, name);
        fs.create(ino, "file");
        assertThat(fs.rmdir(TxnFs.ROOT, name)).isEqualTo(Errno.ENOTEMPTY);
        cluster.settle();
        assertThat(fs.tree()).containsExactly("/" + name + "/", "/" + name + "/file");
    }

    @Test
    void existingNameIsRefused() {
        String name = fs.nameFor(TxnFs.ROOT, 1, "d");
        fs.mkdir(TxnFs.ROOT, name);
        assertThat(fs.tryMkdir(TxnFs.ROOT, name)).isEqualTo(Errno.EEXIST);
    }
}
