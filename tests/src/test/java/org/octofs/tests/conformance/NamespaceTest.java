package org.octofs.tests.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.octofs.client.client.AttributeChange;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.ClientCounter;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.FsException;
import org.octofs.client.client.OpenDirectory;
import org.octofs.client.client.OpenFile;
import org.octofs.client.client.OpenFlags;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.tests.support.LocalCluster;

/** Names and attributes over two servers, seen by the client that makes them and by another. */
class NamespaceTest {
    private static final long ROOT = 1;

    @AutoClose
    private LocalCluster cluster;

    private FsClient client;
    private final Attributes out = new Attributes();

    @BeforeEach
    void start() throws IOException {
        cluster = LocalCluster.start(2, LocalCluster.Transport.LOOPBACK);
        client = cluster.client();
    }

    static byte[] name(String text) {
        return text.getBytes(UTF_8);
    }

    private static void failsWith(Errno errno, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        FsException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }

    private long mkdir(long parent, String name) throws FsException {
        client.mkdir(parent, name(name), 0755, 1, 2, out);
        return out.ino();
    }

    private long createFile(long parent, String name) throws FsException {
        client.release(client.create(parent, name(name), 0644, 1, 2, OpenFlags.RDWR, out));
        return out.ino();
    }

    private List<String> list(FsClient by, long directory) throws FsException {
        List<String> names = new ArrayList<>();
        OpenDirectory open = by.openDirectory(directory);
        by.readDirectory(open, 0, (ino, type, memory, offset, length, next) -> {
            names.add(new String(memory.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE), UTF_8));
            return true;
        });
        by.releaseDirectory(open);
        return names;
    }

    @Test
    void aRenameThatChangesNothingLeavesBothNames() throws Exception {
        long ino = createFile(ROOT, "a");
        client.link(ino, ROOT, name("b"), out);
        client.rename(ROOT, name("a"), ROOT, name("a"), 0);
        client.rename(ROOT, name("a"), ROOT, name("b"), 0);
        client.lookup(ROOT, name("a"), out);
        assertThat(out.ino()).isEqualTo(ino);
        client.lookup(ROOT, name("b"), out);
        assertThat(out.ino()).isEqualTo(ino);
        failsWith(Errno.EEXIST, () -> client.rename(ROOT, name("a"), ROOT, name("a"), 1));
    }

    @Test
    void aDirectoryCannotBeOpenedAsAFile() throws Exception {
        long directory = mkdir(ROOT, "d");
        failsWith(Errno.EISDIR, () -> client.open(directory, OpenFlags.RDONLY));
    }

    @Test
    void whatHasNoDataIsNotOpenedAndHasAttributesToSetAllTheSame() throws Exception {
        client.symlink(ROOT, name("link"), name("target"), 1, 2, out);
        long link = out.ino();
        client.mknod(ROOT, name("fifo"), FileMode.FIFO | 0600, 0, 1, 2, out);
        long fifo = out.ino();
        failsWith(Errno.ELOOP, () -> client.open(link, OpenFlags.RDONLY));
        failsWith(Errno.ENXIO, () -> client.open(fifo, OpenFlags.RDONLY));
        failsWith(Errno.ENXIO, () -> client.create(ROOT, name("fifo"), 0600, 1, 2, OpenFlags.RDWR, out));
        failsWith(Errno.ELOOP, () -> client.create(ROOT, name("link"), 0600, 1, 2, OpenFlags.RDWR, out));

        for (long ino : new long[] {link, fifo}) {
            client.setAttributes(ino, new AttributeChange().uid(7).modificationTime(5, 6), out);
            client.getAttributes(ino, out);
            assertThat(out.uid()).isEqualTo(7);
            assertThat(out.modificationSeconds()).isEqualTo(5);
        }
    }

    @Test
    void aNewFileIsFoundWithItsAttributes() throws Exception {
        long ino = createFile(ROOT, "a");

        client.lookup(ROOT, name("a"), out);

        assertThat(out.ino()).isEqualTo(ino);
        assertThat(out.mode()).isEqualTo(0100644);
        assertThat(out.uid()).isEqualTo(1);
        assertThat(out.linkCount()).isEqualTo(1);
        assertThat(out.sizeBytes()).isZero();
    }

    @Test
    void creatingAFileTakesOneRpcAndStatingItNone() throws Exception {
        createFile(ROOT, "warm");
        long before = client.counters().get(ClientCounter.RPCS);

        OpenFile file = client.create(ROOT, name("a"), 0644, 1, 2, OpenFlags.RDWR, out);

        assertThat(client.counters().get(ClientCounter.RPCS) - before).isEqualTo(1);
        client.lookup(ROOT, name("a"), out);
        client.getAttributes(out.ino(), out);
        assertThat(client.counters().get(ClientCounter.RPCS) - before).isEqualTo(1);
        client.release(file);
    }

    @Test
    void makingADirectoryTakesOneRpc() throws Exception {
        createFile(ROOT, "warm");
        long before = client.counters().get(ClientCounter.RPCS);

        mkdir(ROOT, "d");

        assertThat(client.counters().rpcs(OpCode.MKDIR)).isEqualTo(1);
        assertThat(client.counters().get(ClientCounter.RPCS) - before).isEqualTo(1);
    }

    @Test
    void anAbsentNameIsRememberedUntilTheDirectoryChanges() throws Exception {
        failsWith(Errno.ENOENT, () -> client.lookup(ROOT, name("a"), out));
        long before = client.counters().get(ClientCounter.RPCS);
        failsWith(Errno.ENOENT, () -> client.lookup(ROOT, name("a"), out));
        assertThat(client.counters().get(ClientCounter.RPCS)).isEqualTo(before);

        FsClient other = cluster.client();
        other.release(other.create(ROOT, name("a"), 0600, 0, 0, OpenFlags.RDWR, new Attributes()));

        client.lookup(ROOT, name("a"), out);
        assertThat(out.mode()).isEqualTo(0100600);
    }

    @Test
    void changesOfOthersAreSeenAtOnce() throws Exception {
        FsClient other = cluster.client();
        long ino = createFile(ROOT, "a");
        other.lookup(ROOT, name("a"), out);
        other.getAttributes(ino, out);

        client.setAttributes(ino, new AttributeChange().mode(0400).uid(77), out);
        other.getAttributes(ino, out);
        assertThat(out.mode()).isEqualTo(0100400);
        assertThat(out.uid()).isEqualTo(77);

        client.unlink(ROOT, name("a"));
        failsWith(Errno.ENOENT, () -> other.lookup(ROOT, name("a"), out));
        failsWith(Errno.ENOENT, () -> client.lookup(ROOT, name("a"), out));
    }

    @Test
    void timesAreSetToTheNanosecond() throws Exception {
        long ino = createFile(ROOT, "a");

        client.setAttributes(
                ino, new AttributeChange().accessTime(-5, 999_999_999).modificationTime(7, 1), out);

        client.getAttributes(ino, out);
        assertThat(out.accessSeconds()).isEqualTo(-5);
        assertThat(out.accessNanos()).isEqualTo(999_999_999);
        assertThat(out.modificationSeconds()).isEqualTo(7);
        assertThat(out.modificationNanos()).isEqualTo(1);
    }

    @Test
    void directoriesNestAndKnowTheirParents() throws Exception {
        long a = mkdir(ROOT, "a");
        long b = mkdir(a, "b");
        long c = mkdir(b, "c");

        client.lookup(c, name(".."), out);
        assertThat(out.ino()).isEqualTo(b);
        client.lookup(ROOT, name(".."), out);
        assertThat(out.ino()).isEqualTo(ROOT);
        client.lookup(c, name("."), out);
        assertThat(out.ino()).isEqualTo(c);
        client.getAttributes(a, out);
        assertThat(out.linkCount()).isEqualTo(3);
        failsWith(Errno.ENOTEMPTY, () -> client.rmdir(a, name("b")));
        client.rmdir(b, name("c"));
        client.rmdir(a, name("b"));
        client.getAttributes(a, out);
        assertThat(out.linkCount()).isEqualTo(2);
        assertThat(list(client, a)).isEmpty();
    }

    @Test
    void aBigDirectoryIsListedOnceAndCompletely() throws Exception {
        long d = mkdir(ROOT, "d");
        TreeSet<String> expected = new TreeSet<>();
        for (int i = 0; i < 3000; i++) {
            createFile(d, "file-with-a-name-" + i);
            expected.add("file-with-a-name-" + i);
        }

        List<String> names = list(cluster.client(), d);

        assertThat(names).hasSize(3000);
        assertThat(new TreeSet<>(names)).isEqualTo(expected);
    }

    @Test
    void aListingGoesOnWhereTheSinkWasFull() throws Exception {
        long d = mkdir(ROOT, "d");
        for (int i = 0; i < 10; i++) {
            createFile(d, "f" + i);
        }
        OpenDirectory open = client.openDirectory(d);
        List<Long> seen = new ArrayList<>();
        long[] cookie = {0};
        for (int round = 0; round < 5; round++) {
            int[] room = {3};
            client.readDirectory(open, cookie[0], (ino, type, memory, offset, length, next) -> {
                if (room[0]-- == 0) {
                    return false;
                }
                seen.add(ino);
                cookie[0] = next;
                return true;
            });
        }

        assertThat(seen).hasSize(10).doesNotHaveDuplicates();
    }

    @Test
    void linksShareTheInode() throws Exception {
        long d = mkdir(ROOT, "d");
        long ino = createFile(ROOT, "a");

        client.link(ino, d, name("b"), out);

        assertThat(out.ino()).isEqualTo(ino);
        assertThat(out.linkCount()).isEqualTo(2);
        client.unlink(ROOT, name("a"));
        client.lookup(d, name("b"), out);
        assertThat(out.ino()).isEqualTo(ino);
        assertThat(out.linkCount()).isEqualTo(1);
        failsWith(Errno.EPERM, () -> client.link(d, ROOT, name("hard"), out));
    }

    @Test
    void symlinksKeepShortAndLongTargets() throws Exception {
        for (int length : new int[] {1, 96, 97, 4095}) {
            byte[] target = name("x".repeat(length));
            client.symlink(ROOT, name("s" + length), target, 1, 2, out);
            assertThat(out.isSymlink()).isTrue();
            assertThat(out.sizeBytes()).isEqualTo(length);
            assertThat(client.readlink(out.ino())).isEqualTo(target);
        }
        long file = createFile(ROOT, "a");
        failsWith(Errno.EINVAL, () -> client.readlink(file));
    }

    @Test
    void renameMovesAndReplaces() throws Exception {
        long d = mkdir(ROOT, "d");
        long a = createFile(ROOT, "a");
        client.mknod(d, name("b"), 0100600, 0, 0, 0, out);
        long b = out.ino();
        client.lookup(ROOT, name("a"), out);
        client.lookup(d, name("b"), out);

        client.rename(ROOT, name("a"), d, name("b"), 0);

        failsWith(Errno.ENOENT, () -> client.lookup(ROOT, name("a"), out));
        client.lookup(d, name("b"), out);
        assertThat(out.ino()).isEqualTo(a);
        failsWith(Errno.ESTALE, () -> client.getAttributes(b, out));
        client.rename(d, name("b"), d, name("c"), 0);
        assertThat(list(client, d)).containsExactly("c");
    }

    @Test
    void renameFlagsAreKept() throws Exception {
        long a = createFile(ROOT, "a");
        long b = createFile(ROOT, "b");
        failsWith(Errno.EEXIST, () -> client.rename(ROOT, name("a"), ROOT, name("b"), 1));

        client.rename(ROOT, name("a"), ROOT, name("b"), 2);

        client.lookup(ROOT, name("a"), out);
        assertThat(out.ino()).isEqualTo(b);
        client.lookup(ROOT, name("b"), out);
        assertThat(out.ino()).isEqualTo(a);
    }

    @Test
    void aDirectoryDoesNotMoveIntoItself() throws Exception {
        long a = mkdir(ROOT, "a");
        long b = mkdir(a, "b");
        failsWith(Errno.EINVAL, () -> client.rename(ROOT, name("a"), b, name("c"), 0));
        client.rename(a, name("b"), ROOT, name("b"), 0);
        client.lookup(b, name(".."), out);
        assertThat(out.ino()).isEqualTo(ROOT);
    }

    @Test
    void badNamesAreRefused() {
        failsWith(Errno.ENAMETOOLONG, () -> client.lookup(ROOT, new byte[256], out));
        failsWith(Errno.ENAMETOOLONG, () -> mkdir(ROOT, "n".repeat(256)));
        failsWith(Errno.EINVAL, () -> mkdir(ROOT, "a/b"));
        failsWith(Errno.EEXIST, () -> mkdir(ROOT, "."));
        failsWith(Errno.EISDIR, () -> client.unlink(ROOT, name("..")));
    }

    @Test
    void extendedAttributesAreKept() throws Exception {
        long ino = createFile(ROOT, "a");
        failsWith(Errno.ENODATA, () -> client.getXattr(ino, name("user.x")));
        client.setXattr(ino, name("user.x"), name("value"), 0);
        client.setXattr(ino, name("user.y"), new byte[0], 1);

        assertThat(client.getXattr(ino, name("user.x"))).isEqualTo(name("value"));
        assertThat(new String(client.listXattr(ino), UTF_8)).isEqualTo("user.x\0user.y\0");
        failsWith(Errno.EEXIST, () -> client.setXattr(ino, name("user.x"), new byte[1], 1));
        client.removeXattr(ino, name("user.x"));
        failsWith(Errno.ENODATA, () -> client.removeXattr(ino, name("user.x")));
        failsWith(Errno.ENODATA, () -> client.setXattr(ino, name("user.x"), new byte[1], 2));
    }

    @Test
    void exclusiveCreateHasOneWinner() throws Exception {
        FsClient other = cluster.client();
        int flags = OpenFlags.RDWR | OpenFlags.EXCL;
        client.release(client.create(ROOT, name("a"), 0644, 1, 2, flags, out));
        failsWith(Errno.EEXIST, () -> other.create(ROOT, name("a"), 0644, 1, 2, flags, out));
        other.release(other.create(ROOT, name("a"), 0644, 1, 2, OpenFlags.RDWR, out));
        failsWith(Errno.EEXIST, () -> client.mknod(ROOT, name("a"), 0010644, 0, 0, 0, out));
    }
}
