package org.octofs.tests.crash;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.InodeReply;
import org.octofs.rpc.protocol.message.InodeRequest;
import org.octofs.rpc.protocol.message.LeaseKind;
import org.octofs.rpc.protocol.message.LeaseRequest;
import org.octofs.rpc.protocol.message.LockRequest;
import org.octofs.rpc.protocol.message.MapRequest;
import org.octofs.rpc.protocol.message.ReadDirectoryRequest;
import org.octofs.rpc.protocol.message.RecallsRequest;
import org.octofs.rpc.protocol.message.XattrRequest;
import org.octofs.server.lease.FileLocks;
import org.octofs.server.store.InodeRecord;

/** Calls that change nothing that outlives a server: reads, file locks, and what a client tells a restarted server. */
final class ClusterReads {
    private static final int LISTING_BYTES = 4096;

    private final CrashWorld world;
    private final WireClient client;

    ClusterReads(CrashWorld world, WireClient client) {
        this.world = world;
        this.client = client;
    }

    /** Without the flag BEGIN nothing is granted, and nothing kept from it: LeaseTest looks at the rest, over crashes too. */
    private void leases(int home, long ino) {
        Errno recalls = client.call(
                home,
                OpCode.RECALLS,
                body -> new RecallsRequest()
                        .wrap(body)
                        .flags(0)
                        .waitMillis(0)
                        .droppedCount(0)
                        .bodyBytes());
        Errno lease = client.call(home, OpCode.LEASE, body -> {
            new LeaseRequest().wrap(body).ino(ino).kind(LeaseKind.ATTRIBUTES).reserved(0);
            return LeaseRequest.FIXED_BYTES;
        });
        if (recalls != Errno.ESTALE || lease != Errno.ESTALE) {
            throw new AssertionError("leases of a client that has not begun: " + recalls + ", " + lease);
        }
    }

    /** Everything that can be read of an inode, and of its node. */
    void all(long ino) {
        int home = world.home(ino);
        client.ok(home, OpCode.STATFS, _ -> 0);
        client.ok(home, OpCode.COUNTERS, _ -> 0);
        leases(home, ino);
        MessageBuffer reply = client.ok(home, OpCode.GETATTR, body -> inode(body, ino));
        int mode = new InodeRecord()
                .wrap(reply.memory(), InodeReply.IMAGE_OFFSET, 0)
                .mode();
        client.ok(home, OpCode.LISTXATTR, body -> inode(body, ino));
        byte[] name = "user.none".getBytes(StandardCharsets.UTF_8);
        client.call(
                home,
                OpCode.GETXATTR,
                body -> new XattrRequest()
                        .wrap(body)
                        .ino(ino)
                        .flags(0)
                        .reserved(0)
                        .name(name, 0, name.length)
                        .value(name, 0, 0)
                        .bodyBytes());
        if (FileMode.isSymlink(mode)) {
            client.ok(home, OpCode.READLINK, body -> inode(body, ino));
        } else if (FileMode.isDirectory(mode)) {
            client.ok(home, OpCode.READDIR, body -> {
                new ReadDirectoryRequest()
                        .wrap(body)
                        .ino(ino)
                        .cookie(0)
                        .maxBytes(LISTING_BYTES)
                        .flags(0);
                return ReadDirectoryRequest.FIXED_BYTES;
            });
        } else {
            client.ok(home, OpCode.MAP, body -> {
                new MapRequest().wrap(body).ino(ino).firstBlock(0).blockCount(9).reserved(0);
                return MapRequest.FIXED_BYTES;
            });
        }
    }

    private static int inode(MessageBuffer body, long ino) {
        new InodeRequest().wrap(body).ino(ino);
        return InodeRequest.FIXED_BYTES;
    }

    /** Locks the file for writing. */
    void lock(long ino) {
        client.ok(
                world.home(ino),
                OpCode.LOCK,
                body -> new LockRequest()
                        .wrap(body)
                        .ino(ino)
                        .owner(1)
                        .start(0)
                        .end(Long.MAX_VALUE)
                        .type(FileLocks.WRITE_LOCK)
                        .flags(0)
                        .pid(1)
                        .reserved(0)
                        .bodyBytes());
    }

    /** Tells every server that nothing is open or locked. */
    void reclaim() {
        for (int node = 0; node < world.nodeCount(); node++) {
            client.reclaim(node, Map.of());
        }
    }
}
