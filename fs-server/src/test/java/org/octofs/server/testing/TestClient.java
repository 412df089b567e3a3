package org.octofs.server.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.BytesReply;
import org.octofs.rpc.protocol.message.CloseRequest;
import org.octofs.rpc.protocol.message.CreateRequest;
import org.octofs.rpc.protocol.message.EntryReply;
import org.octofs.rpc.protocol.message.InodeReply;
import org.octofs.rpc.protocol.message.InodeRequest;
import org.octofs.rpc.protocol.message.LinkRequest;
import org.octofs.rpc.protocol.message.LookupRequest;
import org.octofs.rpc.protocol.message.OpenRequest;
import org.octofs.rpc.protocol.message.ReadDirectoryReply;
import org.octofs.rpc.protocol.message.ReadDirectoryRequest;
import org.octofs.rpc.protocol.message.RenameRequest;
import org.octofs.rpc.protocol.message.SetAttributesRequest;
import org.octofs.rpc.protocol.message.XattrRequest;
import org.octofs.rpc.rpc.RpcCall;
import org.octofs.rpc.rpc.RpcClient;
import org.octofs.rpc.rpc.RpcClientConfig;
import org.octofs.rpc.rpc.RpcConnectionListener;
import org.octofs.rpc.rpc.RpcException;
import org.octofs.server.store.InodeRecord;

/** Calls a {@link TestServer}; every method answers the errno, and the last reply can be looked at afterwards. */
public final class TestClient {
    private static final int REQUEST_BYTES = 128 << 10;
    private static final long PATIENCE_NANOS = 120_000_000_000L;

    private final TestServer world;
    private final Fabric fabric;
    private final RpcClient rpc;
    private MessageBuffer reply = new MessageBuffer();
    private boolean finished;
    private RpcException failure;
    private int errno;

    TestClient(TestServer world, Fabric fabric, long clientId, byte[] hello) {
        this.world = world;
        this.fabric = fabric;
        try {
            rpc = new RpcClient(
                    fabric,
                    RpcClientConfig.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 7400), clientId)
                            .withTransport(TransportChoice.LOOPBACK)
                            .withSlotCount(4)
                            .withConnectsInPoll(true)
                            .withHello(hello),
                    RpcConnectionListener.NONE);
            rpc.setMapEpoch(1);
        } catch (RpcException e) {
            throw new UncheckedIOException(e);
        }
    }

    int poll() {
        return rpc.poll();
    }

    /** Ends the connection as the death of the process would. */
    void close() {
        rpc.close();
        fabric.close();
    }

    /** The client of the RPC layer. */
    public RpcClient rpc() {
        return rpc;
    }

    /** Calls and waits; the reply's body is kept. */
    public Errno call(int opCode, ToIntFunction<MessageBuffer> filler) {
        begin(opCode, filler);
        world.until(() -> finished);
        return outcome();
    }

    /** Sends a call without waiting. */
    public void begin(int opCode, ToIntFunction<MessageBuffer> filler) {
        finished = false;
        failure = null;
        try {
            RpcCall call = rpc.begin(opCode, REQUEST_BYTES, world.clock().monotonicNanos() + PATIENCE_NANOS);
            call.sendAsync(filler.applyAsInt(call.request()), this::completed);
        } catch (RpcException e) {
            throw new UncheckedIOException(e);
        }
    }

    public boolean isFinished() {
        return finished;
    }

    /** The outcome of a finished call. */
    public Errno outcome() {
        if (failure != null) {
            throw new UncheckedIOException(failure);
        }
        return Errno.of(errno);
    }

    private void completed(RpcCall call, RpcException problem) {
        failure = problem;
        if (problem == null) {
            errno = call.errno();
            byte[] copy = new byte[call.reply().lengthBytes()];
            call.reply().getBytes(0, copy, 0, copy.length);
            reply = new MessageBuffer(MemorySegment.ofArray(copy));
        }
        finished = true;
        call.close();
    }

    /** Body of the last reply. */
    public MessageBuffer reply() {
        return reply;
    }

    public EntryReply entry() {
        return new EntryReply().wrap(reply);
    }

    /** The inode image in the last reply of the kind of {@link EntryReply}. */
    public InodeRecord entryInode() {
        return new InodeRecord().wrap(reply.memory(), EntryReply.IMAGE_OFFSET, 0);
    }

    /** The inode image in the last reply of the kind of {@link InodeReply}. */
    public InodeRecord inode() {
        return new InodeRecord().wrap(reply.memory(), InodeReply.IMAGE_OFFSET, 0);
    }

    public byte[] bytes() {
        return new BytesReply().wrap(reply).value();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    public Errno lookup(long parent, String name) {
        return named(OpCode.LOOKUP, parent, utf8(name));
    }

    public Errno unlink(long parent, String name) {
        return named(OpCode.UNLINK, parent, utf8(name));
    }

    public Errno rmdir(long parent, String name) {
        return named(OpCode.RMDIR, parent, utf8(name));
    }

    /** LOOKUP, UNLINK or RMDIR with any bytes for a name. */
    public Errno named(int opCode, long parent, byte[] name) {
        return call(opCode, body -> {
            LookupRequest message = new LookupRequest().wrap(body);
            return message.parent(parent).name(name, 0, name.length).bodyBytes();
        });
    }

    public Errno create(long parent, String name) {
        return create(OpCode.CREATE, parent, utf8(name), FileMode.REGULAR | 0x1A4, 0, "", 0);
    }

    public Errno mkdir(long parent, String name) {
        return create(OpCode.MKDIR, parent, utf8(name), 0x1ED, 0, "", 0);
    }

    public Errno symlink(long parent, String name, String target) {
        return create(OpCode.CREATE, parent, utf8(name), FileMode.SYMLINK | 0x1FF, 0, target, 0);
    }

    /** CREATE or MKDIR with everything said. */
    public Errno create(int opCode, long parent, byte[] name, int mode, int flags, String target, long rdev) {
        byte[] targetBytes = utf8(target);
        return call(opCode, body -> {
            CreateRequest message = new CreateRequest().wrap(body);
            message.parent(parent).mode(mode).uid(7).gid(8).flags(flags).rdev(rdev);
            return message.name(name, 0, name.length)
                    .target(targetBytes, 0, targetBytes.length)
                    .bodyBytes();
        });
    }

    /** Makes a file and answers its inode number. */
    public long newFile(long parent, String name) {
        assertThat(create(parent, name)).as("create %s", name).isEqualTo(Errno.OK);
        return entry().ino();
    }

    /** Makes a directory and answers its inode number. */
    public long newDirectory(long parent, String name) {
        assertThat(mkdir(parent, name)).as("mkdir %s", name).isEqualTo(Errno.OK);
        return entry().ino();
    }

    public Errno link(long ino, long parent, String name) {
        byte[] bytes = utf8(name);
        return call(
                OpCode.LINK,
                body -> new LinkRequest()
                        .wrap(body)
                        .ino(ino)
                        .parent(parent)
                        .name(bytes, 0, bytes.length)
                        .bodyBytes());
    }

    public Errno rename(long parent, String name, long targetParent, String targetName, int flags) {
        byte[] from = utf8(name);
        byte[] to = utf8(targetName);
        return call(
                OpCode.RENAME,
                body -> new RenameRequest()
                        .wrap(body)
                        .sourceParent(parent)
                        .targetParent(targetParent)
                        .flags(flags)
                        .reserved(0)
                        .sourceName(from, 0, from.length)
                        .targetName(to, 0, to.length)
                        .bodyBytes());
    }

    public Errno getAttributes(long ino) {
        return oneInode(OpCode.GETATTR, ino);
    }

    /** GETATTR, READLINK, LISTXATTR. */
    public Errno oneInode(int opCode, long ino) {
        return call(opCode, body -> {
            new InodeRequest().wrap(body).ino(ino);
            return InodeRequest.FIXED_BYTES;
        });
    }

    /** SETATTR with fields set by {@code change}. */
    public Errno setAttributes(long ino, Consumer<SetAttributesRequest> change) {
        return call(OpCode.SETATTR, body -> {
            body.zero(0, SetAttributesRequest.FIXED_BYTES);
            SetAttributesRequest message = new SetAttributesRequest().wrap(body).ino(ino);
            change.accept(message);
            return SetAttributesRequest.FIXED_BYTES;
        });
    }

    public Errno open(long ino) {
        return call(OpCode.OPEN, body -> {
            new OpenRequest().wrap(body).ino(ino).flags(0).reserved(0);
            return OpenRequest.FIXED_BYTES;
        });
    }

    public Errno close(long ino) {
        return call(OpCode.CLOSE, body -> {
            CloseRequest message = new CloseRequest().wrap(body).reserved(0).inodesCount(1);
            body.putU64(message.inodes(0), ino);
            return message.bodyBytes();
        });
    }

    /** GETXATTR, SETXATTR, REMOVEXATTR. */
    public Errno xattr(int opCode, long ino, String name, byte[] value, int flags) {
        byte[] bytes = utf8(name);
        return call(
                opCode,
                body -> new XattrRequest()
                        .wrap(body)
                        .ino(ino)
                        .flags(flags)
                        .reserved(0)
                        .name(bytes, 0, bytes.length)
                        .value(value, 0, value.length)
                        .bodyBytes());
    }

    /** All names of a directory, by READDIR calls of at most {@code maxBytes}. */
    public List<String> list(long ino, int maxBytes) {
        List<String> names = new ArrayList<>();
        long cookie = 0;
        boolean end = false;
        while (!end) {
            long from = cookie;
            Errno outcome = call(OpCode.READDIR, body -> {
                new ReadDirectoryRequest()
                        .wrap(body)
                        .ino(ino)
                        .cookie(from)
                        .maxBytes(maxBytes)
                        .flags(0);
                return ReadDirectoryRequest.FIXED_BYTES;
            });
            assertThat(outcome).isEqualTo(Errno.OK);
            ReadDirectoryReply listing = new ReadDirectoryReply().wrap(reply);
            int at = ReadDirectoryReply.FIXED_BYTES;
            for (int i = 0; i < listing.entryCount(); i++) {
                int nameLength = (int) reply.getU32(at + 20);
                byte[] name = new byte[nameLength];
                reply.getBytes(at + 24, name, 0, nameLength);
                names.add(new String(name, StandardCharsets.UTF_8));
                cookie = reply.getU64(at + 8);
                at += 24 + (nameLength + 7 & ~7);
            }
            assertThat(at).isEqualTo(reply.lengthBytes());
            end = listing.endReached() != 0;
        }
        return names;
    }
}
