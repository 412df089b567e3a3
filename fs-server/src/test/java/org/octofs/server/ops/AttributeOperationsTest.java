package org.octofs.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.octofs.rpc.protocol.AttributeMask;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.CountersReply;
import org.octofs.rpc.protocol.message.StatfsReply;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.testing.TestClient;
import org.octofs.server.testing.TestServer;

/** Goal: attributes and extended attributes, with every errno. Method: calls to a whole server. */
class AttributeOperationsTest {
    private static final long ROOT = InodeNumber.ROOT;
    private static final byte[] VALUE = "value".getBytes(StandardCharsets.UTF_8);

    private final TestServer world = TestServer.create();
    private final TestClient client = world.connect(11);
    private final long file = client.newFile(ROOT, "f");

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void eachFieldChangesAlone() {
        assertThat(client.setAttributes(file, m -> m.valid(AttributeMask.MODE).mode(0x9C0)))
                .isEqualTo(Errno.OK);
        assertThat(client.inode().mode()).isEqualTo(FileMode.REGULAR | 0x9C0);
        client.setAttributes(file, m -> m.valid(AttributeMask.UID).uid(100));
        assertThat(client.inode().uid()).isEqualTo(100);
        assertThat(client.inode().gid()).isEqualTo(8);
        client.setAttributes(
                file, m -> m.valid(AttributeMask.ATIME).atimeSec(-5).atimeNsec(999_999_999));
        assertThat(client.inode().getLong(InodeLayout.ATIME_SEC_OFFSET)).isEqualTo(-5);
        assertThat(client.inode().getInt(InodeLayout.ATIME_NSEC_OFFSET)).isEqualTo(999_999_999);
        client.setAttributes(file, m -> m.valid(AttributeMask.MTIME).mtimeSec(6).mtimeNsec(7));
        assertThat(client.inode().getLong(InodeLayout.MTIME_SEC_OFFSET)).isEqualTo(6);
        assertThat(client.inode().getLong(InodeLayout.ATIME_SEC_OFFSET)).isEqualTo(-5);
        world.clock().advance(3_000_000_000L);
        client.setAttributes(file, m -> m.valid(AttributeMask.ATIME_NOW | AttributeMask.MTIME_NOW));
        InodeRecord inode = client.inode();
        assertThat(inode.getLong(InodeLayout.ATIME_SEC_OFFSET))
                .isEqualTo(inode.getLong(InodeLayout.CTIME_SEC_OFFSET))
                .isEqualTo(inode.getLong(InodeLayout.MTIME_SEC_OFFSET));
    }

    @Test
    void ownerChangesTakePrivilegesFromFilesOnly() {
        int mode = FileMode.SET_UID | FileMode.SET_GID | 0x1ED;
        client.setAttributes(file, m -> m.valid(AttributeMask.MODE).mode(mode));
        client.setAttributes(file, m -> m.valid(AttributeMask.UID).uid(1));
        assertThat(client.inode().mode()).isEqualTo(FileMode.REGULAR | 0x1ED);
        long directory = client.newDirectory(ROOT, "d");
        client.setAttributes(directory, m -> m.valid(AttributeMask.MODE).mode(mode));
        client.setAttributes(directory, m -> m.valid(AttributeMask.GID).gid(1));
        assertThat(client.inode().mode()).isEqualTo(FileMode.DIRECTORY | mode);
    }

    @Test
    void setattrRefusals() {
        assertThat(client.setAttributes(file, m -> m.valid(1 << 20))).isEqualTo(Errno.EINVAL);
        assertThat(client.setAttributes(file, m -> m.valid(AttributeMask.MTIME).mtimeNsec(1_000_000_000)))
                .isEqualTo(Errno.EINVAL);
        assertThat(client.setAttributes(999, m -> m.valid(0))).isEqualTo(Errno.ESTALE);
        assertThat(client.getAttributes(InodeNumber.of(50, 1))).isEqualTo(Errno.ENOT_HOME);
    }

    @Test
    void xattrsAreSetReplacedListedRemoved() {
        assertThat(client.xattr(OpCode.SETXATTR, file, "user.a", VALUE, 0)).isEqualTo(Errno.OK);
        assertThat(client.inode().flags() & InodeLayout.FLAG_XATTRS).isNotZero();
        assertThat(client.xattr(OpCode.SETXATTR, file, "user.b", new byte[0], 0))
                .isEqualTo(Errno.OK);
        assertThat(client.xattr(OpCode.GETXATTR, file, "user.a", new byte[0], 0))
                .isEqualTo(Errno.OK);
        assertThat(client.bytes()).isEqualTo(VALUE);
        byte[] large = new byte[SetXattrHandler.VALUE_BYTES_MAX];
        Arrays.fill(large, (byte) 3);
        assertThat(client.xattr(OpCode.SETXATTR, file, "user.a", large, SetXattrHandler.REPLACE))
                .isEqualTo(Errno.OK);
        assertThat(client.xattr(OpCode.GETXATTR, file, "user.a", new byte[0], 0))
                .isEqualTo(Errno.OK);
        assertThat(client.bytes()).isEqualTo(large);
        assertThat(client.oneInode(OpCode.LISTXATTR, file)).isEqualTo(Errno.OK);
        assertThat(new String(client.bytes(), StandardCharsets.UTF_8)).isEqualTo("user.b\0user.a\0");
        assertThat(client.xattr(OpCode.REMOVEXATTR, file, "user.a", new byte[0], 0))
                .isEqualTo(Errno.OK);
        assertThat(client.xattr(OpCode.REMOVEXATTR, file, "user.b", new byte[0], 0))
                .isEqualTo(Errno.OK);
        assertThat(client.inode().flags() & InodeLayout.FLAG_XATTRS).isZero();
        assertThat(client.oneInode(OpCode.LISTXATTR, file)).isEqualTo(Errno.OK);
        assertThat(client.bytes()).isEmpty();
    }

    @Test
    void xattrRefusals() {
        assertThat(client.xattr(OpCode.GETXATTR, file, "user.a", new byte[0], 0))
                .isEqualTo(Errno.ENODATA);
        assertThat(client.xattr(OpCode.REMOVEXATTR, file, "user.a", new byte[0], 0))
                .isEqualTo(Errno.ENODATA);
        assertThat(client.xattr(OpCode.SETXATTR, file, "user.a", VALUE, SetXattrHandler.REPLACE))
                .isEqualTo(Errno.ENODATA);
        assertThat(client.xattr(OpCode.SETXATTR, file, "user.a", VALUE, 0)).isEqualTo(Errno.OK);
        assertThat(client.xattr(OpCode.SETXATTR, file, "user.a", VALUE, SetXattrHandler.CREATE))
                .isEqualTo(Errno.EEXIST);
        assertThat(client.xattr(OpCode.SETXATTR, file, "user.a", VALUE, 3)).isEqualTo(Errno.EEXIST);
        assertThat(client.xattr(OpCode.SETXATTR, file, "user.n", VALUE, 3)).isEqualTo(Errno.ENODATA);
        assertThat(client.xattr(OpCode.SETXATTR, file, "user.n", VALUE, 4)).isEqualTo(Errno.EINVAL);
        assertThat(client.xattr(OpCode.SETXATTR, file, "x".repeat(256), VALUE, 0))
                .isEqualTo(Errno.ERANGE);
        assertThat(client.xattr(OpCode.GETXATTR, file, "", new byte[0], 0)).isEqualTo(Errno.ERANGE);
        assertThat(client.xattr(OpCode.SETXATTR, file, "a\0b", VALUE, 0)).isEqualTo(Errno.EINVAL);
        byte[] tooLarge = new byte[SetXattrHandler.VALUE_BYTES_MAX + 1];
        assertThat(client.xattr(OpCode.SETXATTR, file, "user.x", tooLarge, 0)).isEqualTo(Errno.E2BIG);
        byte[] large = new byte[SetXattrHandler.VALUE_BYTES_MAX];
        assertThat(client.xattr(OpCode.SETXATTR, file, "user.1", large, 0)).isEqualTo(Errno.OK);
        assertThat(client.xattr(OpCode.SETXATTR, file, "user.2", large, 0)).isEqualTo(Errno.OK);
        assertThat(client.xattr(OpCode.SETXATTR, file, "user.3", large, 0)).isEqualTo(Errno.ENOSPC);
        assertThat(client.xattr(OpCode.GETXATTR, 999, "user.a", new byte[0], 0)).isEqualTo(Errno.ESTALE);
        assertThat(client.oneInode(OpCode.LISTXATTR, 999)).isEqualTo(Errno.ESTALE);
    }

    @Test
    void pagesOfXattrsComeBack() {
        int before = world.server().state().store().freePageCount();
        for (int i = 0; i < 50; i++) {
            assertThat(client.xattr(OpCode.SETXATTR, file, "user.a", new byte[20_000 + i], 0))
                    .isEqualTo(Errno.OK);
        }
        assertThat(client.unlink(ROOT, "f")).isEqualTo(Errno.OK);
        assertThat(world.server().state().store().freePageCount()).isEqualTo(before);
    }

    @Test
    void statfsCountsInodes() {
        client.call(OpCode.STATFS, _ -> 0);
        StatfsReply reply = new StatfsReply().wrap(client.reply());
        long free = reply.freeInodes();
        assertThat(reply.totalInodes()).isEqualTo(free + 2);
        for (int i = 0; i < 64; i++) {
            client.newFile(ROOT, "n" + i);
        }
        client.call(OpCode.STATFS, _ -> 0);
        assertThat(new StatfsReply().wrap(client.reply()).freeInodes()).isLessThanOrEqualTo(free - 64 + 16);
    }

    @Test
    void countersCountWhatAnOperationCosts() {
        client.newFile(ROOT, "warm");
        client.call(OpCode.COUNTERS, _ -> 0);
        CountersReply before = new CountersReply().wrap(client.reply());
        long fences = before.fences();
        long requests = before.requests();
        long metadata = before.metadataBytes();
        for (int i = 0; i < 64; i++) {
            client.newFile(ROOT, "counted" + i);
        }
        client.call(OpCode.COUNTERS, _ -> 0);
        CountersReply after = new CountersReply().wrap(client.reply());
        assertThat(after.fences() - fences)
                .isEqualTo(world.medium().counters().fences() - fences)
                .isPositive();
        // The second COUNTERS counts itself.
        assertThat(after.requests() - requests).isEqualTo(65);
        assertThat(after.metadataBytes()).isGreaterThanOrEqualTo(metadata + 48 * 384);
        assertThat(after.workerCpuNanos()).isPositive();
    }

    @Test
    void unknownOperationsAreRefused() {
        assertThat(client.call(200, _ -> 0)).isEqualTo(Errno.ENOSYS);
        assertThat(client.call(60_000, _ -> 0)).isEqualTo(Errno.ENOSYS);
        assertThat(client.call(OpCode.NULL, _ -> 0)).isEqualTo(Errno.OK);
    }

    @Test
    void bodiesThatAreTooShortAreRefused() {
        for (int op = OpCode.LOOKUP; op <= OpCode.CLOSE; op++) {
            assertThat(client.call(op, _ -> 3)).as("op %d", op).isEqualTo(Errno.EPROTO);
        }
        for (int op = OpCode.GETXATTR; op <= OpCode.REMOVEXATTR; op++) {
            assertThat(client.call(op, _ -> 3)).as("op %d", op).isEqualTo(Errno.EPROTO);
        }
        assertThat(client.lookup(ROOT, "f")).isEqualTo(Errno.OK);
    }

    @Test
    void readsMoveTheAccessTimeByTheRuleOfRelatime() {
        long day = 24 * 3600 * 1_000_000_000L;
        client.setAttributes(file, m -> m.valid(AttributeMask.MTIME).mtimeSec(5).mtimeNsec(0));
        world.clock().advance(1_000_000_000L);
        client.setAttributes(file, m -> m.valid(AttributeMask.ACCESSED));
        InodeRecord inode = client.inode();
        long accessed = inode.getLong(InodeLayout.ATIME_SEC_OFFSET);
        assertThat(accessed).isEqualTo(inode.getLong(InodeLayout.CTIME_SEC_OFFSET) + 1);
        world.clock().advance(1_000_000_000L);
        client.setAttributes(file, m -> m.valid(AttributeMask.ACCESSED));
        assertThat(client.inode().getLong(InodeLayout.ATIME_SEC_OFFSET)).isEqualTo(accessed);
        world.clock().advance(day);
        client.setAttributes(file, m -> m.valid(AttributeMask.ACCESSED));
        assertThat(client.inode().getLong(InodeLayout.ATIME_SEC_OFFSET)).isGreaterThan(accessed);
        assertThat(client.setAttributes(file, m -> m.valid(AttributeMask.ACCESSED | AttributeMask.MODE)))
                .isEqualTo(Errno.EINVAL);
    }

    /** Entries of an access control list: tag, permissions, id; see {@code AccessControlList}. */
    private static byte[] list(int... words) {
        ByteBuffer list = ByteBuffer.allocate(4 + words.length / 3 * 8).order(ByteOrder.LITTLE_ENDIAN);
        list.putInt(2);
        for (int i = 0; i < words.length; i += 3) {
            list.putShort((short) words[i]).putShort((short) words[i + 1]).putInt(words[i + 2]);
        }
        return list.array();
    }

    @Test
    void accessControlListAndModeFollowEachOther() {
        String name = "system.posix_acl_access";
        byte[] list = list(1, 6, -1, 2, 7, 100, 4, 4, -1, 16, 5, -1, 32, 0, -1);
        assertThat(client.xattr(OpCode.SETXATTR, file, name, list, 0)).isEqualTo(Errno.OK);
        assertThat(client.inode().mode()).isEqualTo(FileMode.REGULAR | 0650);
        client.setAttributes(file, m -> m.valid(AttributeMask.MODE).mode(0721));
        assertThat(client.xattr(OpCode.GETXATTR, file, name, new byte[0], 0)).isEqualTo(Errno.OK);
        assertThat(client.bytes()).isEqualTo(list(1, 7, -1, 2, 7, 100, 4, 4, -1, 16, 2, -1, 32, 1, -1));
        byte[] onlyMode = list(1, 7, -1, 4, 5, -1, 32, 4, -1);
        assertThat(client.xattr(OpCode.SETXATTR, file, name, onlyMode, 0)).isEqualTo(Errno.OK);
        assertThat(client.inode().mode()).isEqualTo(FileMode.REGULAR | 0754);
        assertThat(client.xattr(OpCode.GETXATTR, file, name, new byte[0], 0)).isEqualTo(Errno.ENODATA);
    }

    @Test
    void badAccessControlListsAreRefused() {
        String name = "system.posix_acl_access";
        byte[] withoutMask = list(1, 6, -1, 2, 7, 100, 4, 4, -1, 32, 0, -1);
        byte[] outOfOrder = list(4, 4, -1, 1, 6, -1, 32, 0, -1);
        for (byte[] bad :
                new byte[][] {{}, {2, 0, 0, 0}, withoutMask, outOfOrder, list(1, 9, -1, 4, 4, -1, 32, 0, -1)}) {
            assertThat(client.xattr(OpCode.SETXATTR, file, name, bad, 0)).isEqualTo(Errno.EINVAL);
        }
        byte[] good = list(1, 6, -1, 4, 4, -1, 32, 0, -1);
        assertThat(client.xattr(OpCode.SETXATTR, file, "system.posix_acl_default", good, 0))
                .isEqualTo(Errno.EACCES);
    }
}
