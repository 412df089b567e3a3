package org.octofs.server.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.server.store.InodeRecord;

/** A file system in words: every name with what an inode says that an operation changes, but for times and numbers. */
public final class TreeDump {
    private TreeDump() {}

    /** All that can be reached from the root, in the order of the listings. */
    public static String of(TestClient client) {
        StringBuilder text = new StringBuilder();
        directory(client, InodeNumber.ROOT, "", text);
        return text.toString();
    }

    private static void directory(TestClient client, long ino, String path, StringBuilder text) {
        assertThat(client.getAttributes(ino)).isEqualTo(Errno.OK);
        inode(client.inode(), path + "/", text);
        xattrs(client, ino, text);
        for (String name : client.list(ino, 4096)) {
            assertThat(client.lookup(ino, name)).isEqualTo(Errno.OK);
            long child = client.entry().ino();
            if (client.entry().type() == FileMode.DIRECTORY) {
                directory(client, child, path + "/" + name, text);
            } else {
                inode(client.entryInode(), path + "/" + name, text);
                if (client.entryInode().isSymlink()) {
                    assertThat(client.oneInode(OpCode.READLINK, child)).isEqualTo(Errno.OK);
                    text.append("  -> ")
                            .append(new String(client.bytes(), StandardCharsets.UTF_8))
                            .append('\n');
                }
                xattrs(client, child, text);
            }
        }
    }

    private static void inode(InodeRecord inode, String path, StringBuilder text) {
        text.append(path)
                .append(" mode ")
                .append(Integer.toOctalString(inode.mode()))
                .append(" nlink ")
                .append(inode.nlink())
                .append(" entries ")
                .append(inode.entryCount())
                .append('\n');
    }

    private static void xattrs(TestClient client, long ino, StringBuilder text) {
        assertThat(client.oneInode(OpCode.LISTXATTR, ino)).isEqualTo(Errno.OK);
        if (client.bytes().length > 0) {
            text.append("  xattrs ")
                    .append(new String(client.bytes(), StandardCharsets.UTF_8).replace('\0', ' '))
                    .append('\n');
        }
    }
}
