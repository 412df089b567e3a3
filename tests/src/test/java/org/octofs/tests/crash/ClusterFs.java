package org.octofs.tests.crash;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.octofs.rpc.protocol.AttributeMask;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.CommitExtentLayout;
import org.octofs.rpc.protocol.CommitFlags;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.CloseRequest;
import org.octofs.rpc.protocol.message.CommitRequest;
import org.octofs.rpc.protocol.message.CreateRequest;
import org.octofs.rpc.protocol.message.EntryReply;
import org.octofs.rpc.protocol.message.GrantReply;
import org.octofs.rpc.protocol.message.InodeReply;
import org.octofs.rpc.protocol.message.InodeRequest;
import org.octofs.rpc.protocol.message.LinkRequest;
import org.octofs.rpc.protocol.message.LookupRequest;
import org.octofs.rpc.protocol.message.OpenRequest;
import org.octofs.rpc.protocol.message.PersistRequest;
import org.octofs.rpc.protocol.message.RenameRequest;
import org.octofs.rpc.protocol.message.ReserveRequest;
import org.octofs.rpc.protocol.message.ReturnBlocksRequest;
import org.octofs.rpc.protocol.message.SetAttributesRequest;
import org.octofs.rpc.protocol.message.XattrRequest;
import org.octofs.server.namespace.Name;
import org.octofs.server.ops.MkdirHandler;
import org.octofs.server.store.InodeRecord;

/** The calls as messages to the servers of a {@link CrashWorld}. */
final class ClusterFs implements FsCalls {
    private static final int EXCHANGE = 2;

    private final CrashWorld world;
    private final WireClient client;
    private final List<long[]> borrowed = new ArrayList<>();
    /** Of a file that has lost its name. */
    private long lastOpen;

    ClusterFs(CrashWorld world) {
        this.world = world;
        this.client = world.client();
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

    private long find(String path) {
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

    private long parent(String path) {
        return find(path.substring(0, path.lastIndexOf('/')));
    }

    private byte[] name(long parent, String path) {
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
        long ino = find(path);
        long parent = parent(newPath);
        byte[] name = name(parent, newPath);
        client.ok(
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
    }

    @Override
    public void close(String path) {
        client.ok(world.home(lastOpen), OpCode.CLOSE, body -> {
            CloseRequest message = new CloseRequest().wrap(body).reserved(0).inodesCount(1);
            body.putU64(message.inodes(0), lastOpen);
            return message.bodyBytes();
        });
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

    // ------------------------------------------------------------------------------------------------ data

    private List<long[]> borrow(long ino, long firstBlock, int blockCount) {
        List<long[]> grants = new ArrayList<>();
        long have = 0;
        while (have < blockCount) {
            long at = firstBlock + have;
            int wanted = (int) (blockCount - have);
            MessageBuffer body = client.ok(
                    world.home(ino),
                    OpCode.RESERVE,
                    request -> new ReserveRequest()
                            .wrap(request)
                            .ino(ino)
                            .firstBlock(at)
                            .blockCount(wanted)
                            .reserved(0)
                            .bodyBytes());
            GrantReply reply = new GrantReply().wrap(body);
            for (int i = 0; i < reply.grantsCount(); i++) {
                long location = body.getU64(reply.grants(i));
                long count = Math.min(body.getU32(reply.grants(i) + Long.BYTES), blockCount - have);
                if (count > 0) {
                    grants.add(new long[] {location, count});
                    have += count;
                }
            }
        }
        return grants;
    }

    @Override
    public void reserve(String path, long firstBlock, int blockCount) {
        borrowed.addAll(borrow(find(path), firstBlock, blockCount));
    }

    @Override
    public void giveBack(String path) {
        long ino = find(path);
        client.ok(world.home(ino), OpCode.RETURN_BLOCKS, body -> {
            ReturnBlocksRequest request = new ReturnBlocksRequest().wrap(body);
            request.ino(ino).grantsCount(borrowed.size());
            for (int i = 0; i < borrowed.size(); i++) {
                int at = request.grants(i);
                body.putU64(at, borrowed.get(i)[0]);
                body.putU32(at + Long.BYTES, borrowed.get(i)[1]);
                body.putU32(at + Long.BYTES + Integer.BYTES, 0);
            }
            return request.bodyBytes();
        });
        borrowed.clear();
    }

    @Override
    public void write(String path, long firstBlock, int blockCount, int seed) {
        write(find(path), firstBlock, blockCount, seed, 0);
    }

    private void write(long ino, long firstBlock, int blockCount, int seed, int flags) {
        List<long[]> grants = borrow(ino, firstBlock, blockCount);
        push(grants, firstBlock, seed);
        List<long[]> extents = new ArrayList<>();
        long block = firstBlock;
        for (long[] grant : grants) {
            extents.add(new long[] {block, grant[0], grant[1], 0});
            block += grant[1];
        }
        commit(ino, extents, seed, (firstBlock + blockCount) * Blocks.BYTES, firstBlock * Blocks.BYTES, flags);
    }

    /** Pushes and persists, again from the start if a node was restarted in between: what it had may be lost. */
    private void push(List<long[]> grants, long firstBlock, int seed) {
        long before;
        do {
            before = incarnations();
            long block = firstBlock;
            for (long[] grant : grants) {
                MemorySegment data = Arena.ofAuto().allocate(grant[1] * Blocks.BYTES, 64);
                for (int i = 0; i < grant[1]; i++) {
                    MemorySegment.copy(
                            MemorySegment.ofArray(Blocks.of(seed, block + i)),
                            0,
                            data,
                            (long) i * Blocks.BYTES,
                            Blocks.BYTES);
                }
                int node = BlockLocation.node(grant[0]);
                long offset = BlockLocation.poolOffset(grant[0]);
                client.push(node, offset, data);
                client.ok(node, OpCode.PERSIST, body -> {
                    PersistRequest request =
                            new PersistRequest().wrap(body).reserved(0).rangesCount(1);
                    body.putU64(request.ranges(0), offset);
                    body.putU64(request.ranges(0) + Long.BYTES, data.byteSize());
                    return request.bodyBytes();
                });
                block += grant[1];
            }
        } while (incarnations() != before);
    }

    private long incarnations() {
        long sum = 0;
        for (int node = 0; node < world.nodeCount(); node++) {
            MessageBuffer body = client.ok(node, OpCode.REGIONS, _ -> 0);
            sum += new org.octofs.rpc.protocol.message.RegionsReply().wrap(body).incarnation();
        }
        return sum;
    }

    @Override
    public void append(String path, int blockCount, int seed) {
        long ino = find(path);
        MessageBuffer reply = client.ok(world.home(ino), OpCode.GETATTR, body -> {
            new InodeRequest().wrap(body).ino(ino);
            return InodeRequest.FIXED_BYTES;
        });
        long size = new InodeRecord()
                .wrap(reply.memory(), InodeReply.IMAGE_OFFSET, 0)
                .sizeBytes();
        write(ino, size / Blocks.BYTES, blockCount, seed, CommitFlags.APPEND);
    }

    @Override
    public void truncate(String path, long sizeBytes) {
        commit(find(path), List.of(), 0, sizeBytes, 0, CommitFlags.SET_SIZE);
    }

    @Override
    public void punch(String path, long firstBlock, long blockCount) {
        commit(find(path), List.<long[]>of(new long[] {firstBlock, 0, blockCount, 0}), 0, 0, 0, CommitFlags.KEEP_SIZE);
    }

    @Override
    public void allocate(String path, long firstBlock, int blockCount) {
        long ino = find(path);
        List<long[]> extents = new ArrayList<>();
        long block = firstBlock;
        for (long[] grant : borrow(ino, firstBlock, blockCount)) {
            extents.add(new long[] {block, grant[0], grant[1], CommitExtentLayout.FLAG_UNWRITTEN});
            block += grant[1];
        }
        commit(ino, extents, 0, 0, 0, CommitFlags.KEEP_SIZE | CommitFlags.KEEP_MTIME);
    }

    /** Extents are {file block, location, count, flags}. */
    private void commit(long ino, List<long[]> extents, int seed, long size, long expectedSize, int flags) {
        int checksums = 0;
        for (long[] extent : extents) {
            checksums += hasChecksums(extent) ? (int) extent[2] : 0;
        }
        int count = checksums;
        client.ok(world.home(ino), OpCode.COMMIT, body -> {
            CommitRequest message = new CommitRequest()
                    .wrap(body)
                    .ino(ino)
                    .sizeBytes(size)
                    .expectedSizeBytes(expectedSize)
                    .mtimeSec(1234)
                    .mtimeNsec(5)
                    .flags(flags)
                    .wantBlocks(0)
                    .extentsCount(extents.size())
                    .checksumsCount(count);
            int checksumAt = message.checksumsOffset();
            for (int i = 0; i < extents.size(); i++) {
                long[] extent = extents.get(i);
                int at = message.extents(i);
                body.putU64(at + CommitExtentLayout.FILE_BLOCK_OFFSET, extent[0]);
                body.putU64(at + CommitExtentLayout.LOCATION_OFFSET, extent[1]);
                body.putU64(at + CommitExtentLayout.EXPECTED_LOCATION_OFFSET, 0);
                body.putU32(at + CommitExtentLayout.BLOCK_COUNT_OFFSET, extent[2]);
                body.putU32(at + CommitExtentLayout.FLAGS_OFFSET, extent[3]);
                for (int block = 0; hasChecksums(extent) && block < extent[2]; block++) {
                    body.putU32(checksumAt, Blocks.checksum(Blocks.of(seed, extent[0] + block)) & 0xFFFF_FFFFL);
                    checksumAt += Integer.BYTES;
                }
            }
            return CommitRequest.FIXED_BYTES + extents.size() * CommitExtentLayout.SIZE_BYTES + count * Integer.BYTES;
        });
    }

    private static boolean hasChecksums(long[] extent) {
        return extent[1] != 0 && (extent[3] & CommitExtentLayout.FLAG_UNWRITTEN) == 0;
    }
}
