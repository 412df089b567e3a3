package org.octofs.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.message.ChangeReply;
import org.octofs.server.testing.TestClient;
import org.octofs.server.testing.TestServer;

/** Goal: rename moves, replaces, swaps and refuses as rename(2) says. Method: calls to a whole server of one node. */
class RenameOperationTest {
    private static final long ROOT = InodeNumber.ROOT;

    private final TestServer world = TestServer.create();
    private final TestClient client = world.connect(11);

    @AfterEach
    void close() {
        world.close();
    }

    private long find(long parent, String name) {
        return client.lookup(parent, name) == Errno.OK ? client.entry().ino() : 0;
    }

    private int nlink(long ino) {
        assertThat(client.getAttributes(ino)).isEqualTo(Errno.OK);
        return client.inode().nlink();
    }

    private long entries(long ino) {
        assertThat(client.getAttributes(ino)).isEqualTo(Errno.OK);
        return client.inode().entryCount();
    }

    @Test
    void movesWithinADirectoryAndBetweenDirectories() {
        long ino = client.newFile(ROOT, "a");
        long directory = client.newDirectory(ROOT, "d");
        assertThat(client.rename(ROOT, "a", ROOT, "b", 0)).isEqualTo(Errno.OK);
        assertThat(find(ROOT, "a")).isZero();
        assertThat(find(ROOT, "b")).isEqualTo(ino);
        assertThat(client.rename(ROOT, "b", directory, "c", 0)).isEqualTo(Errno.OK);
        assertThat(find(ROOT, "b")).isZero();
        assertThat(find(directory, "c")).isEqualTo(ino);
        assertThat(entries(ROOT)).isEqualTo(1);
        assertThat(entries(directory)).isEqualTo(1);
    }

    @Test
    void neverReplacesIfToldSo() {
        long ino = client.newFile(ROOT, "a");
        assertThat(client.rename(ROOT, "a", ROOT, "a", RenameHandler.NOREPLACE))
                .as("a name onto itself")
                .isEqualTo(Errno.EEXIST);
        assertThat(client.rename(ROOT, "a", ROOT, "a", 0)).isEqualTo(Errno.OK);
        assertThat(find(ROOT, "a")).isEqualTo(ino);
    }

    /** The version might be that of somebody else's change just before, which the caller has not seen. */
    @Test
    void whatChangesNothingIsNoNewsOfTheDirectory() {
        client.newFile(ROOT, "a");
        assertThat(client.rename(ROOT, "a", ROOT, "a", 0)).isEqualTo(Errno.OK);
        ChangeReply unchanged = new ChangeReply().wrap(client.reply());
        assertThat(unchanged.parentVersion()).isZero();
        assertThat(unchanged.targetParentVersion()).isZero();
        assertThat(client.rename(ROOT, "a", ROOT, "b", 0)).isEqualTo(Errno.OK);
        assertThat(new ChangeReply().wrap(client.reply()).parentVersion()).isPositive();
    }

    @Test
    void replacesAFile() {
        long ino = client.newFile(ROOT, "a");
        long replaced = client.newFile(ROOT, "b");
        assertThat(client.rename(ROOT, "a", ROOT, "b", 0)).isEqualTo(Errno.OK);
        assertThat(find(ROOT, "b")).isEqualTo(ino);
        assertThat(client.getAttributes(replaced)).isEqualTo(Errno.ESTALE);
        assertThat(client.list(ROOT, 4096)).containsExactly("b");
        assertThat(entries(ROOT)).isEqualTo(1);
    }

    @Test
    void movingADirectoryMovesParentAndLinkCounts() {
        long a = client.newDirectory(ROOT, "a");
        long b = client.newDirectory(ROOT, "b");
        long sub = client.newDirectory(a, "sub");
        assertThat(client.rename(a, "sub", b, "sub2", 0)).isEqualTo(Errno.OK);
        assertThat(nlink(a)).isEqualTo(2);
        assertThat(nlink(b)).isEqualTo(3);
        assertThat(client.getAttributes(sub)).isEqualTo(Errno.OK);
        assertThat(client.inode().parent()).isEqualTo(b);
    }

    @Test
    void replacesAnEmptyDirectoryOnly() {
        long a = client.newDirectory(ROOT, "a");
        long b = client.newDirectory(ROOT, "b");
        client.newFile(b, "x");
        assertThat(client.rename(ROOT, "a", ROOT, "b", 0)).isEqualTo(Errno.ENOTEMPTY);
        assertThat(client.unlink(b, "x")).isEqualTo(Errno.OK);
        assertThat(client.rename(ROOT, "a", ROOT, "b", 0)).isEqualTo(Errno.OK);
        assertThat(find(ROOT, "b")).isEqualTo(a);
        assertThat(client.getAttributes(b)).isEqualTo(Errno.ESTALE);
        assertThat(nlink(ROOT)).isEqualTo(3);
    }

    @Test
    void replacingADirectoryElsewhereCountsItsLossToo() {
        long p = client.newDirectory(ROOT, "p");
        long q = client.newDirectory(ROOT, "q");
        client.newDirectory(p, "x");
        client.newDirectory(q, "y");
        assertThat(client.rename(p, "x", q, "y", 0)).isEqualTo(Errno.OK);
        assertThat(nlink(p)).isEqualTo(2);
        assertThat(nlink(q)).isEqualTo(3);
    }

    @Test
    void typesMustAgree() {
        client.newFile(ROOT, "f");
        client.newDirectory(ROOT, "d");
        assertThat(client.rename(ROOT, "f", ROOT, "d", 0)).isEqualTo(Errno.EISDIR);
        assertThat(client.rename(ROOT, "d", ROOT, "f", 0)).isEqualTo(Errno.ENOTDIR);
    }

    @Test
    void aDirectoryDoesNotMoveIntoItself() {
        long a = client.newDirectory(ROOT, "a");
        long b = client.newDirectory(a, "b");
        long c = client.newDirectory(b, "c");
        assertThat(client.rename(ROOT, "a", a, "x", 0)).isEqualTo(Errno.EINVAL);
        assertThat(client.rename(ROOT, "a", c, "x", 0)).isEqualTo(Errno.EINVAL);
        assertThat(client.rename(b, "c", ROOT, "a", 0)).as("onto an ancestor").isEqualTo(Errno.ENOTEMPTY);
        assertThat(client.rename(b, "c", ROOT, "a", RenameHandler.EXCHANGE))
                .as("swap with an ancestor")
                .isEqualTo(Errno.EINVAL);
    }

    @Test
    void bothNamesOfOneFileStay() {
        long ino = client.newFile(ROOT, "a");
        assertThat(client.link(ino, ROOT, "b")).isEqualTo(Errno.OK);
        assertThat(client.rename(ROOT, "a", ROOT, "b", 0)).isEqualTo(Errno.OK);
        assertThat(client.rename(ROOT, "a", ROOT, "a", 0)).isEqualTo(Errno.OK);
        assertThat(client.list(ROOT, 4096)).containsExactly("a", "b");
        assertThat(nlink(ino)).isEqualTo(2);
    }

    @Test
    void noReplaceAndExchange() {
        long a = client.newFile(ROOT, "a");
        long directory = client.newDirectory(ROOT, "p");
        long d = client.newDirectory(directory, "d");
        assertThat(client.rename(ROOT, "a", directory, "d", RenameHandler.NOREPLACE))
                .isEqualTo(Errno.EEXIST);
        assertThat(client.rename(ROOT, "a", directory, "none", RenameHandler.EXCHANGE))
                .isEqualTo(Errno.ENOENT);
        assertThat(client.rename(ROOT, "a", directory, "d", RenameHandler.EXCHANGE))
                .isEqualTo(Errno.OK);
        assertThat(find(ROOT, "a")).isEqualTo(d);
        assertThat(find(directory, "d")).isEqualTo(a);
        assertThat(nlink(ROOT)).isEqualTo(4);
        assertThat(nlink(directory)).isEqualTo(2);
        assertThat(client.getAttributes(d)).isEqualTo(Errno.OK);
        assertThat(client.inode().parent()).isEqualTo(ROOT);
        assertThat(client.rename(ROOT, "a", ROOT, "b", 3)).isEqualTo(Errno.EINVAL);
        assertThat(client.rename(ROOT, "a", ROOT, "b", 4)).isEqualTo(Errno.EINVAL);
        assertThat(client.rename(directory, "d", ROOT, "e", RenameHandler.NOREPLACE))
                .isEqualTo(Errno.OK);
    }

    @Test
    void refusals() {
        long file = client.newFile(ROOT, "f");
        assertThat(client.rename(ROOT, "none", ROOT, "b", 0)).isEqualTo(Errno.ENOENT);
        assertThat(client.rename(file, "x", ROOT, "b", 0)).isEqualTo(Errno.ENOTDIR);
        assertThat(client.rename(ROOT, "f", file, "b", 0)).isEqualTo(Errno.ENOTDIR);
        assertThat(client.rename(ROOT, "f", 999, "b", 0)).isEqualTo(Errno.ESTALE);
        assertThat(client.rename(ROOT, ".", ROOT, "b", 0)).isEqualTo(Errno.EINVAL);
        assertThat(client.rename(ROOT, "f", ROOT, "..", 0)).isEqualTo(Errno.EINVAL);
        assertThat(client.rename(ROOT, "f", ROOT, "x".repeat(256), 0)).isEqualTo(Errno.ENAMETOOLONG);
    }
}
