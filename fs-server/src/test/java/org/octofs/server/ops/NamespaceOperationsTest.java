package org.octofs.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.octofs.rpc.protocol.AttributeMask;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.testing.TestClient;
import org.octofs.server.testing.TestServer;

/** Goal: lookup, create, mkdir, unlink, rmdir and link do what POSIX says, with every errno. Method: calls to a whole server. */
class NamespaceOperationsTest {
    private static final long ROOT = InodeNumber.ROOT;
    private static final int REGULAR = FileMode.REGULAR | 0x1A4;

    private final TestServer world = TestServer.create();
    private final TestClient client = world.connect(11);

    @AfterEach
    void close() {
        world.close();
    }

    private InodeRecord attributes(long ino) {
        assertThat(client.getAttributes(ino)).isEqualTo(Errno.OK);
        return client.inode();
    }

    @Test
    void createdFileIsFoundWithItsAttributes() {
        long ino = client.newFile(ROOT, "a");
        assertThat(InodeNumber.shard(ino)).isEqualTo(InodeNumber.shard(ROOT));
        assertThat(client.lookup(ROOT, "a")).isEqualTo(Errno.OK);
        assertThat(client.entry().ino()).isEqualTo(ino);
        assertThat(client.entry().type()).isEqualTo(FileMode.REGULAR);
        assertThat(client.entry().flags()).isEqualTo(Replies.ENTRY_HAS_IMAGE);
        InodeRecord image = client.entryInode();
        assertThat(image.mode()).isEqualTo(REGULAR);
        assertThat(image.nlink()).isEqualTo(1);
        assertThat(image.uid()).isEqualTo(7);
        assertThat(image.gid()).isEqualTo(8);
        assertThat(image.sizeBytes()).isZero();
        assertThat(InodeLayout.isConsistent(image.memory(), image.base())).isTrue();
    }

    @Test
    void imageInReplyIsWhatAReaderFindsInTheSlot() {
        client.newFile(ROOT, "a");
        long slot = client.entry().slotOffset();
        assertThat(InodeLayout.isConsistent(world.medium().memory(), slot)).isTrue();
        assertThat(world.medium()
                        .memory()
                        .asSlice(slot, 256)
                        .mismatch(client.entryInode()
                                .memory()
                                .asSlice(client.entryInode().base(), 256)))
                .isEqualTo(-1);
    }

    @Test
    void everyChangeOfADirectoryMovesItsVersion() {
        long before = attributes(ROOT).version();
        client.newFile(ROOT, "a");
        long created = client.entry().parentVersion();
        assertThat(created).isEqualTo(before + 2);
        assertThat(client.lookup(ROOT, "b")).isEqualTo(Errno.ENOENT);
        assertThat(client.entry().parentVersion())
                .as("absence is known as of this version")
                .isEqualTo(created);
        assertThat(client.unlink(ROOT, "a")).isEqualTo(Errno.OK);
        assertThat(attributes(ROOT).version()).isEqualTo(created + 2);
    }

    @Test
    void entryChangesTouchTheDirectory() {
        InodeRecord before = attributes(ROOT);
        long mtime = before.getLong(InodeLayout.MTIME_SEC_OFFSET);
        world.clock().advance(5_000_000_000L);
        client.newDirectory(ROOT, "d");
        InodeRecord after = attributes(ROOT);
        assertThat(after.getLong(InodeLayout.MTIME_SEC_OFFSET)).isGreaterThanOrEqualTo(mtime + 5);
        assertThat(after.getLong(InodeLayout.CTIME_SEC_OFFSET)).isGreaterThanOrEqualTo(mtime + 5);
        assertThat(after.nlink()).isEqualTo(3);
        assertThat(after.entryCount()).isEqualTo(1);
        assertThat(client.rmdir(ROOT, "d")).isEqualTo(Errno.OK);
        assertThat(attributes(ROOT).nlink()).isEqualTo(2);
        assertThat(attributes(ROOT).entryCount()).isZero();
    }

    @Test
    void createAnswersAnExistingEntryUnlessExclusive() {
        long ino = client.newFile(ROOT, "a");
        byte[] name = {'a'};
        assertThat(client.create(OpCode.CREATE, ROOT, name, REGULAR, 0, "", 0)).isEqualTo(Errno.OK);
        assertThat(client.entry().ino()).isEqualTo(ino);
        assertThat(client.entry().flags()).isEqualTo(Replies.ENTRY_EXISTED | Replies.ENTRY_HAS_IMAGE);
        assertThat(client.create(OpCode.CREATE, ROOT, name, REGULAR, CreateHandler.FLAG_EXCLUSIVE, "", 0))
                .isEqualTo(Errno.EEXIST);
    }

    @Test
    void createRefusesWhatIsNoFile() {
        byte[] name = {'x'};
        assertThat(client.create(OpCode.CREATE, ROOT, name, FileMode.DIRECTORY | 0x1ED, 0, "", 0))
                .isEqualTo(Errno.EINVAL);
        assertThat(client.create(OpCode.CREATE, ROOT, name, 0x1A4, 0, "", 0)).isEqualTo(Errno.EINVAL);
        long file = client.newFile(ROOT, "file");
        assertThat(client.create(file, "x")).isEqualTo(Errno.ENOTDIR);
        assertThat(client.create(999, "x")).isEqualTo(Errno.ESTALE);
        assertThat(client.create(InodeNumber.of(99, 5), "x")).isEqualTo(Errno.ENOT_HOME);
    }

    @Test
    void specialFilesKeepTypeAndDevice() {
        byte[] name = {'n'};
        assertThat(client.create(OpCode.CREATE, ROOT, name, FileMode.CHARACTER_DEVICE | 0x180, 0, "", 0x103))
                .isEqualTo(Errno.OK);
        assertThat(client.entryInode().getLong(InodeLayout.RDEV_OFFSET)).isEqualTo(0x103);
        assertThat(client.entry().type()).isEqualTo(FileMode.CHARACTER_DEVICE);
    }

    @Test
    void namesAreCheckedEverywhere() {
        byte[] tooLong = new byte[256];
        Arrays.fill(tooLong, (byte) 'x');
        byte[][] bad = {{}, {'.'}, {'.', '.'}, {'a', '/', 'b'}, {'a', 0}};
        for (int op : new int[] {OpCode.LOOKUP, OpCode.UNLINK, OpCode.RMDIR}) {
            for (byte[] name : bad) {
                assertThat(client.named(op, ROOT, name)).as("op %d", op).isEqualTo(Errno.EINVAL);
            }
            assertThat(client.named(op, ROOT, tooLong)).isEqualTo(Errno.ENAMETOOLONG);
        }
        for (int op : new int[] {OpCode.CREATE, OpCode.MKDIR}) {
            for (byte[] name : bad) {
                assertThat(client.create(op, ROOT, name, REGULAR, 0, "", 0)).isEqualTo(Errno.EINVAL);
            }
            assertThat(client.create(op, ROOT, tooLong, REGULAR, 0, "", 0)).isEqualTo(Errno.ENAMETOOLONG);
        }
        assertThat(client.list(ROOT, 4096)).isEmpty();
    }

    @Test
    void longestNamesAndStrangeBytesWork() {
        byte[] longest = new byte[255];
        for (int i = 0; i < longest.length; i++) {
            longest[i] = (byte) (i == '/' ? 1 : i + 1);
        }
        longest[46] = 1;
        assertThat(client.create(OpCode.CREATE, ROOT, longest, REGULAR, 0, "", 0))
                .isEqualTo(Errno.OK);
        long ino = client.entry().ino();
        assertThat(client.named(OpCode.LOOKUP, ROOT, longest)).isEqualTo(Errno.OK);
        assertThat(client.entry().ino()).isEqualTo(ino);
        assertThat(client.named(OpCode.UNLINK, ROOT, longest)).isEqualTo(Errno.OK);
        assertThat(client.named(OpCode.LOOKUP, ROOT, longest)).isEqualTo(Errno.ENOENT);
    }

    @Test
    void mkdirAndRmdir() {
        long directory = client.newDirectory(ROOT, "d");
        assertThat(client.entryInode().nlink()).isEqualTo(2);
        assertThat(client.entryInode().parent()).isEqualTo(ROOT);
        assertThat(client.mkdir(ROOT, "d")).isEqualTo(Errno.EEXIST);
        client.newFile(directory, "f");
        assertThat(client.rmdir(ROOT, "d")).isEqualTo(Errno.ENOTEMPTY);
        assertThat(client.rmdir(directory, "f")).isEqualTo(Errno.ENOTDIR);
        assertThat(client.unlink(ROOT, "d")).isEqualTo(Errno.EISDIR);
        assertThat(client.rmdir(ROOT, "none")).isEqualTo(Errno.ENOENT);
        assertThat(client.unlink(directory, "f")).isEqualTo(Errno.OK);
        assertThat(client.rmdir(ROOT, "d")).isEqualTo(Errno.OK);
        assertThat(client.getAttributes(directory)).isEqualTo(Errno.ESTALE);
        assertThat(client.create(directory, "x")).isEqualTo(Errno.ESTALE);
    }

    @Test
    void newDirectoriesSpreadOverShards() {
        Set<Integer> shards = new HashSet<>();
        for (int i = 0; i < 40; i++) {
            shards.add(InodeNumber.shard(client.newDirectory(ROOT, "d" + i)));
        }
        assertThat(shards).containsExactlyInAnyOrder(0, 1, 2, 3);
    }

    @Test
    void setgidDirectoriesPassOnGroupAndBit() {
        byte[] name = {'s'};
        assertThat(client.create(OpCode.MKDIR, ROOT, name, 0x1ED | FileMode.SET_GID, 0, "", 0))
                .isEqualTo(Errno.OK);
        long directory = client.entry().ino();
        client.setAttributes(directory, m -> m.valid(AttributeMask.GID).gid(77));
        client.newDirectory(directory, "sub");
        assertThat(client.entryInode().gid()).isEqualTo(77);
        assertThat(client.entryInode().mode() & FileMode.SET_GID).isNotZero();
        client.newFile(directory, "file");
        assertThat(client.entryInode().gid()).isEqualTo(77);
        assertThat(client.entryInode().mode() & FileMode.SET_GID).isZero();
    }

    @Test
    void unlinkFreesAndReusesTheSlotWithALargerVersion() {
        long first = client.newFile(ROOT, "a");
        long slot = client.entry().slotOffset();
        long version = client.entryInode().version();
        assertThat(client.unlink(ROOT, "a")).isEqualTo(Errno.OK);
        assertThat(client.unlink(ROOT, "a")).isEqualTo(Errno.ENOENT);
        assertThat(client.getAttributes(first)).isEqualTo(Errno.ESTALE);
        long second = client.newFile(ROOT, "b");
        assertThat(second).as("numbers are never used again").isNotEqualTo(first);
        assertThat(client.entry().slotOffset()).isEqualTo(slot);
        assertThat(client.entryInode().version()).isGreaterThan(version);
    }

    @Test
    void linksCountAndEnd() {
        long ino = client.newFile(ROOT, "a");
        long directory = client.newDirectory(ROOT, "d");
        assertThat(client.link(ino, directory, "b")).isEqualTo(Errno.OK);
        assertThat(client.entryInode().nlink()).isEqualTo(2);
        assertThat(client.link(ino, directory, "b")).isEqualTo(Errno.EEXIST);
        assertThat(client.link(directory, ROOT, "x")).isEqualTo(Errno.EPERM);
        assertThat(client.link(999, ROOT, "x")).isEqualTo(Errno.ESTALE);
        assertThat(client.link(ino, ino, "x")).isEqualTo(Errno.ENOTDIR);
        assertThat(client.unlink(ROOT, "a")).isEqualTo(Errno.OK);
        assertThat(attributes(ino).nlink()).isEqualTo(1);
        assertThat(client.unlink(directory, "b")).isEqualTo(Errno.OK);
        assertThat(client.getAttributes(ino)).isEqualTo(Errno.ESTALE);
    }

    @Test
    void symlinksKeepShortAndLongTargets() {
        for (int length : new int[] {1, 96, 97, 4079, 4081, 4095}) {
            String target = "t".repeat(length);
            assertThat(client.symlink(ROOT, "s" + length, target)).isEqualTo(Errno.OK);
            assertThat(client.entryInode().sizeBytes()).isEqualTo(length);
            assertThat(client.oneInode(OpCode.READLINK, client.entry().ino())).isEqualTo(Errno.OK);
            assertThat(new String(client.bytes(), StandardCharsets.UTF_8)).isEqualTo(target);
        }
        int free = world.server().state().store().freePageCount();
        assertThat(client.unlink(ROOT, "s4095")).isEqualTo(Errno.OK);
        assertThat(world.server().state().store().freePageCount()).isEqualTo(free + 2);
        assertThat(client.symlink(ROOT, "x", "")).isEqualTo(Errno.ENOENT);
        assertThat(client.symlink(ROOT, "x", "t".repeat(4096))).isEqualTo(Errno.ENAMETOOLONG);
        assertThat(client.oneInode(OpCode.READLINK, client.newFile(ROOT, "f"))).isEqualTo(Errno.EINVAL);
        assertThat(client.oneInode(OpCode.READLINK, 999)).isEqualTo(Errno.ESTALE);
    }
}
