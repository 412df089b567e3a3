package org.octofs.server.txn;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.ChangeReply;
import org.octofs.rpc.protocol.message.CreateRequest;
import org.octofs.rpc.protocol.message.EntryReply;
import org.octofs.rpc.protocol.message.LinkRequest;
import org.octofs.rpc.protocol.message.LookupRequest;
import org.octofs.rpc.protocol.message.RenameRequest;
import org.octofs.server.namespace.Name;
import org.octofs.server.ops.MkdirHandler;
import org.octofs.server.store.InodeRecord;

/** A client of a {@link TxnCluster}: builds requests, sends them to the right server, looks at what there is. */
final class TxnFs {
    static final long ROOT = InodeNumber.ROOT;
    static final long TIMEOUT_NANOS = 20_000_000_000L;

    private final TxnCluster cluster;

    TxnFs(TxnCluster cluster) {
        this.cluster = cluster;
    }

    int home(long ino) {
        return cluster.map.homeOf(InodeNumber.shard(ino));
    }

    // --------------------------------------------------------------------------------------------- requests

    TestRequest mkdirAsync(long parent, String name) {
        return cluster.submit(
                home(parent), OpCode.MKDIR, create(parent, name, FileMode.DIRECTORY | 0x1ED), TIMEOUT_NANOS);
    }

    TestRequest createAsync(long parent, String name) {
        return cluster.submit(
                home(parent), OpCode.CREATE, create(parent, name, FileMode.REGULAR | 0x1A4), TIMEOUT_NANOS);
    }

    TestRequest unlinkAsync(long parent, String name) {
        return cluster.submit(home(parent), OpCode.UNLINK, lookup(parent, name), TIMEOUT_NANOS);
    }

    TestRequest rmdirAsync(long parent, String name) {
        return cluster.submit(home(parent), OpCode.RMDIR, lookup(parent, name), TIMEOUT_NANOS);
    }

    TestRequest lookupAsync(long parent, String name) {
        return cluster.submit(home(parent), OpCode.LOOKUP, lookup(parent, name), TIMEOUT_NANOS);
    }

    TestRequest linkAsync(long ino, long parent, String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        byte[] body = new byte[LinkRequest.FIXED_BYTES + bytes.length];
        new LinkRequest().wrap(buffer(body)).ino(ino).parent(parent).name(bytes, 0, bytes.length);
        return cluster.submit(home(parent), OpCode.LINK, body, TIMEOUT_NANOS);
    }

    TestRequest renameAsync(long from, String name, long to, String newName, int flags) {
        byte[] source = name.getBytes(StandardCharsets.UTF_8);
        byte[] target = newName.getBytes(StandardCharsets.UTF_8);
        byte[] body = new byte[RenameRequest.FIXED_BYTES + source.length + target.length];
        new RenameRequest()
                .wrap(buffer(body))
                .sourceParent(from)
                .targetParent(to)
                .flags(flags)
                .reserved(0)
                .sourceName(source, 0, source.length)
                .targetName(target, 0, target.length);
        return cluster.submit(home(from), OpCode.RENAME, body, TIMEOUT_NANOS);
    }

    private Errno run(TestRequest request) {
        cluster.await(request);
        return Errno.of(request.errno());
    }

    long mkdir(long parent, String name) {
        return ino(mkdirAsync(parent, name));
    }

    long create(long parent, String name) {
        return ino(createAsync(parent, name));
    }

    long lookup(TestRequest request) {
        return ino(request);
    }

    private long ino(TestRequest request) {
        Errno errno = run(request);
        if (errno != Errno.OK) {
            throw new AssertionError("request " + request.opCode() + ": " + errno);
        }
        return new EntryReply().wrap(request.answer()).ino();
    }

    Errno tryMkdir(long parent, String name) {
        return run(mkdirAsync(parent, name));
    }

    Errno rmdir(long parent, String name) {
        return run(rmdirAsync(parent, name));
    }

    Errno unlink(long parent, String name) {
        return run(unlinkAsync(parent, name));
    }

    Errno link(long ino, long parent, String name) {
        return run(linkAsync(ino, parent, name));
    }

    Errno rename(long from, String name, long to, String newName, int flags) {
        return run(renameAsync(from, name, to, newName, flags));
    }

    /** The inode of a name as its directory's home answers, 0 if there is none. */
    long find(long parent, String name) {
        TestRequest request = lookupAsync(parent, name);
        Errno errno = run(request);
        if (errno == Errno.ENOENT) {
            return 0;
        }
        if (errno != Errno.OK) {
            throw new AssertionError("lookup of " + name + ": " + errno);
        }
        return new EntryReply().wrap(request.answer()).ino();
    }

    static ChangeReply change(TestRequest request) {
        return new ChangeReply().wrap(request.answer());
    }

    // --------------------------------------------------------------------------------------------- inspection

    /** The inode in its home's pool; null if there is none. */
    InodeRecord inode(long ino) {
        InodeRecord record = new InodeRecord();
        return cluster.node(home(ino)).state.inodes().find(ino, record) ? record : null;
    }

    /** A name that makes a new directory below {@code parent} land on {@code node}. */
    String nameFor(long parent, int node, String prefix) {
        Name name = new Name();
        for (int i = 0; ; i++) {
            String text = prefix + i;
            name.set(text.getBytes(StandardCharsets.UTF_8));
            int shard = MkdirHandler.shardFor(parent, name, cluster.map.shardCount());
            if (cluster.map.homeOf(shard) == node) {
                return text;
            }
        }
    }

    /** A new directory below {@code parent} whose inode is on {@code node}. */
    long mkdirOn(long parent, int node, String prefix) {
        return mkdir(parent, nameFor(parent, node, prefix));
    }

    /** Names and inodes of a directory, from its home's DRAM index and pool. */
    Map<String, Long> list(long directory) {
        Map<String, Long> entries = new TreeMap<>();
        var dentries = cluster.node(home(directory)).state.dentries();
        var memory = cluster.node(home(directory)).state.store().memory();
        for (int at = dentries.next(directory, 0); at >= 0; at = dentries.next(directory, at + 1)) {
            int reference = dentries.referenceAt(directory, at);
            byte[] name = new byte[dentries.nameLength(reference)];
            MemorySegment.copy(memory, dentries.nameOffset(reference), MemorySegment.ofArray(name), 0, name.length);
            entries.put(new String(name, StandardCharsets.UTF_8), dentries.child(reference));
        }
        return entries;
    }

    /** The whole tree as paths, directories with a slash; checks everything on the way. See {@link TreeCheck}. */
    List<String> tree() {
        return new ArrayList<>(TreeCheck.check(cluster, this).keySet());
    }

    // --------------------------------------------------------------------------------------------- inside

    private static MessageBuffer buffer(byte[] body) {
        return new MessageBuffer(MemorySegment.ofArray(body));
    }

    static byte[] create(long parent, String name, int mode) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        byte[] body = new byte[CreateRequest.FIXED_BYTES + bytes.length];
        new CreateRequest()
                .wrap(buffer(body))
                .parent(parent)
                .mode(mode)
                .uid(1000)
                .gid(100)
                .flags(1)
                .rdev(0)
                .name(bytes, 0, bytes.length)
                .target(new byte[0], 0, 0);
        return body;
    }

    static byte[] lookup(long parent, String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        byte[] body = new byte[LookupRequest.FIXED_BYTES + bytes.length];
        new LookupRequest().wrap(buffer(body)).parent(parent).name(bytes, 0, bytes.length);
        return body;
    }
}
