package org.octofs.tests.crash;

import java.nio.charset.StandardCharsets;
import org.octofs.rpc.protocol.AttributeMask;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.CloseRequest;
import org.octofs.rpc.protocol.message.CreateRequest;
import org.octofs.rpc.protocol.message.EntryReply;
import org.octofs.rpc.protocol.message.LinkRequest;
import org.octofs.rpc.protocol.message.LookupRequest;
import org.octofs.rpc.protocol.message.OpenRequest;
import org.octofs.rpc.protocol.message.RenameRequest;
import org.octofs.rpc.protocol.message.SetAttributesRequest;
import org.octofs.rpc.protocol.message.XattrRequest;
import org.octofs.server.namespace.Name;
import org.octofs.server.ops.CreateHandler;
import org.octofs.server.ops.MkdirHandler;

/** The calls as messages to the servers of a {@link CrashWorld}. */
final class ClusterFs implements FsCalls {
    private static final int EXCHANGE = 2;

    private final CrashWorld world;
    private final WireClient client;
    private final ClusterData data;
    /** Of a file that has lost its name. */
    private long lastOpen;

    ClusterFs(CrashWorld world) {
        this.world = world;
        this.client = world.client();
        this.data = new ClusterData(world, client);
        for (int node = 0; node < world.nodeCount(); node++) {
            client.ok(node, OpCode.NULL, _ -> 0);
        }
    }

    // ------------------------------------------------------------------------------------------------ names

    /** The name in a case of a name in a pool. */
    static String aliasOf(String name) {
        int at = name.indexOf('~');
        return at < 0 ? name : name.substring(0, at);
    }

    private byte[] bytes(long parent, String alias) {
        int at = alias.indexOf('@');
        if (at < 0) {
            return alias.getBytes(StandardCharsets.UTF_8);
        }
        int node = Integer.parseInt(alias.substring(at + 1));
        Name name = new Name();
        for (int i = 0; ; i++) {
            byte[] bytes = (alias + "~" + i).getBytes(StandardCharsets.UTF_8);
            name.set(bytes);
            if (world.map.homeOf(MkdirHandler.shardFor(parent, name, CrashWorld.SHARDS)) == node) {
                return bytes;
            }
        }
    }

    long find(String path) {
        long ino = InodeNumber.ROOT;
        for (String name : path.split("/", -1)) {
            if (!name.isEmpty()) {
                byte[] bytes = bytes(ino, name);
                long parent = ino;
                MessageBuffer reply = client.ok(world.home(parent), OpCode.LOOKUP, body -> lookup(body, parent, bytes));
                ino = new EntryReply().wrap(reply).ino();
            }
        }
        return ino;
    }

    private static int lookup(MessageBuffer body, long parent, byte[] name) {
        LookupRequest message = new LookupRequest().wrap(body);
        return message.parent(parent).name(name, 0, name.length).bodyBytes();
    }

    long parent(String path) {
        return find(path.substring(0, path.lastIndexOf('/')));
    }

    byte[] name(long parent, String path) {
        return bytes(parent, path.substring(path.lastIndexOf('/') + 1));
    }

    private void make(int opCode, String path, int mode, String target) {
        long parent = parent(path);
        byte[] name = name(parent, path);
        byte[] targetBytes = target.getBytes(StandardCharsets.UTF_8);
        client.ok(world.home(parent), opCode, body -> {
            CreateRequest message = new CreateRequest().wrap(body);
            message.parent(parent).mode(mode).uid(7).gid(8).flags(1).rdev(0);
            return message.name(name, 0, name.length)
                    .target(targetBytes, 0, targetBytes.length)
                    .bodyBytes();
        });
    }

    @Override
    public void create(String path) {
        make(OpCode.CREATE, path, FileMode.REGULAR | 0x1A4, "");
    }

    @Override
    public void mkdir(String path) {
        make(OpCode.MKDIR, path, 0x1ED, "");
    }

    @Override
    public void symlink(String path, String target) {
        make(OpCode.CREATE, path, FileMode.SYMLINK | 0x1FF, target);
    }

    @Override
    public void mknod(String path) {
        make(OpCode.CREATE, path, FileMode.FIFO | 0x1A4, "");
    }

    @Override
    public void link(String path, String newPath) {
        link(find(path), newPath);
    }

    private void link(long ino, String newPath) {
        Errno outcome = tryLink(ino, newPath);
        if (outcome != Errno.OK) {
            throw new AssertionError("link to " + newPath + " was answered " + outcome);
        }
    }

    @Override
    public void linkRefused(String directory, String newPath) {
        Errno outcome = tryLink(find(directory), newPath);
        if (outcome != Errno.EPERM) {
            throw new AssertionError("link of a directory to " + newPath + " was answered " + outcome);
        }
    }

    private Errno tryLink(long ino, String newPath) {
        long parent = parent(newPath);
        byte[] name = name(parent, newPath);
        return client.call(
                world.home(parent),
                OpCode.LINK,
                body -> new LinkRequest()
                        .wrap(body)
                        .ino(ino)
                        .parent(parent)
                        .name(name, 0, name.length)
                        .bodyBytes());
    }

    @Override
    public void unlink(String path) {
        remove(OpCode.UNLINK, path);
    }

    @Override
    public void rmdir(String path) {
        remove(OpCode.RMDIR, path);
    }

    private void remove(int opCode, String path) {
        long parent = parent(path);
        byte[] name = name(parent, path);
        client.ok(world.home(parent), opCode, body -> lookup(body, parent, name));
    }

    @Override
    public void rename(String from, String to) {
        rename(from, to, 0);
    }

    @Override
    public void exchange(String one, String other) {
        rename(one, other, EXCHANGE);
    }

    private void rename(String from, String to, int flags) {
        long parent = parent(from);
        long target = parent(to);
        byte[] name = name(parent, from);
        byte[] newName = name(target, to);
        client.ok(
                world.home(parent),
                OpCode.RENAME,
                body -> new RenameRequest()
                        .wrap(body)
                        .sourceParent(parent)
                        .targetParent(target)
                        .flags(flags)
                        .reserved(0)
                        .sourceName(name, 0, name.length)
                        .targetName(newName, 0, newName.length)
                        .bodyBytes());
    }

    // ------------------------------------------------------------------------------------------------ attributes

    @Override
    public void chmod(String path, int permissions) {
        long ino = find(path);
        client.ok(world.home(ino), OpCode.SETATTR, body -> {
            body.zero(0, SetAttributesRequest.FIXED_BYTES);
            new SetAttributesRequest()
                    .wrap(body)
                    .ino(ino)
                    .valid(AttributeMask.MODE)
                    .mode(permissions);
            return SetAttributesRequest.FIXED_BYTES;
        });
    }

    @Override
    public void setXattr(String path, String name, int valueBytes) {
        xattr(OpCode.SETXATTR, path, name, Blocks.bytes(valueBytes));
    }

    @Override
    public void removeXattr(String path, String name) {
        xattr(OpCode.REMOVEXATTR, path, name, new byte[0]);
    }

    private void xattr(int opCode, String path, String name, byte[] value) {
        long ino = find(path);
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        client.ok(
                world.home(ino),
                opCode,
                body -> new XattrRequest()
                        .wrap(body)
                        .ino(ino)
                        .flags(0)
                        .reserved(0)
                        .name(bytes, 0, bytes.length)
                        .value(value, 0, value.length)
                        .bodyBytes());
    }

    @Override
    public void open(String path) {
        long ino = find(path);
        lastOpen = ino;
        client.ok(world.home(ino), OpCode.OPEN, body -> {
            new OpenRequest().wrap(body).ino(ino).flags(0).reserved(0);
            return OpenRequest.FIXED_BYTES;
        });
        client.holds(ino, 1);
    }

    @Override
    public void close(String path) {
        client.ok(world.home(lastOpen), OpCode.CLOSE, body -> {
            CloseRequest message = new CloseRequest().wrap(body).reserved(0).inodesCount(1);
            body.putU64(message.inodes(0), lastOpen);
            return message.bodyBytes();
        });
        client.holds(lastOpen, -1);
    }

    @Override
    public void restart() {
        world.settle();
        world.restart();
    }

    @Override
    public void goodbye() {
        for (int node = 0; node < world.nodeCount(); node++) {
            client.call(node, OpCode.GOODBYE, _ -> 0);
        }
        for (int node = 0; node < world.nodeCount(); node++) {
            client.ok(node, OpCode.NULL, _ -> 0);
        }
    }

    @Override
    public void createUnnamed(String directory) {
        long parent = find(directory);
        MessageBuffer reply = client.ok(world.home(parent), OpCode.CREATE, body -> {
            CreateRequest message = new CreateRequest().wrap(body);
            message.parent(parent).mode(FileMode.REGULAR | 0x1A4).uid(7).gid(8).rdev(0);
            message.flags(CreateHandler.FLAG_OPEN | CreateHandler.FLAG_UNNAMED | CreateHandler.FLAG_LINKABLE);
            return message.name(new byte[0], 0, 0).target(new byte[0], 0, 0).bodyBytes();
        });
        lastOpen = new EntryReply().wrap(reply).ino();
        client.holds(lastOpen, 1);
    }

    @Override
    public void writeUnnamed(long firstBlock, int blockCount, int seed) {
        data.write(lastOpen, firstBlock, blockCount, seed);
    }

    @Override
    public void nameIt(String path) {
        link(lastOpen, path);
    }

    @Override
    public void setList(String path, String name, byte[] list) {
        xattr(OpCode.SETXATTR, path, name, list);
    }

    @Override
    public void read(String path) {
        new ClusterReads(world, client).all(find(path));
    }

    @Override
    public void lock(String path) {
        new ClusterReads(world, client).lock(find(path));
    }

    @Override
    public void reclaim() {
        new ClusterReads(world, client).reclaim();
    }

    // ------------------------------------------------------------------------------------------------ data

    @Override
    public void reserve(String path, long firstBlock, int blockCount) {
        data.reserve(find(path), firstBlock, blockCount);
    }

    @Override
    public void giveBack(String path) {
        data.giveBack(find(path));
    }

    @Override
    public void write(String path, long firstBlock, int blockCount, int seed) {
        data.write(find(path), firstBlock, blockCount, seed);
    }

    @Override
    public void copy(String from, String path, long firstBlock, int blockCount) {
        data.copy(find(from), find(path), firstBlock, blockCount);
    }

    @Override
    public void overwrite(String path, long block, int seed) {
        data.overwrite(find(path), block, seed);
    }

    @Override
    public void append(String path, int blockCount, int seed) {
        data.append(find(path), blockCount, seed);
    }

    @Override
    public void truncate(String path, long sizeBytes) {
        data.truncate(find(path), sizeBytes);
    }

    @Override
    public void extend(String path, long sizeBytes) {
        data.extend(find(path), sizeBytes);
    }

    @Override
    public void punch(String path, long firstBlock, long blockCount) {
        data.punch(find(path), firstBlock, blockCount);
    }

    @Override
    public void zero(String path, long firstBlock, int blockCount) {
        data.zero(find(path), firstBlock, blockCount);
    }

    @Override
    public void allocate(String path, long firstBlock, int blockCount) {
        data.allocate(find(path), firstBlock, blockCount);
    }
}
