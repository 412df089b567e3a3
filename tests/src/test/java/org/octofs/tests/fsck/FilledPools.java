package org.octofs.tests.fsck;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.ClientConfig;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.FsException;
import org.octofs.client.client.OpenFile;
import org.octofs.client.client.OpenFlags;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.tests.support.LocalCluster;

/**
 * The pools of three servers after real operations of every kind and a {@code kill -9} of all servers: files small and large,
 * attributes, hard and symbolic links, directories on all servers, a file that is unlinked and open, lent blocks, a session.
 * Made once; each test damages a copy.
 */
final class FilledPools implements AutoCloseable {
    static final long ROOT = InodeNumber.ROOT;
    static final int NODES = 3;
    static final int BIG_BYTES = 9 << 20;
    private static final long POOL_BYTES = 64L << 20;
    private static final int COPY_BYTES = 64 << 10;

    private final Path folder;
    private final Map<String, Long> inos = new HashMap<>();
    private int copies;

    /** Builds them. */
    FilledPools() throws IOException {
        folder = Files.createTempDirectory(Path.of("/dev/shm"), "octofs-fsck-");
        boolean success = false;
        try (LocalCluster cluster = LocalCluster.start(NODES, LocalCluster.Transport.LOOPBACK, POOL_BYTES)) {
            fill(cluster.client(ClientConfig.builder().operationDeadline(Duration.ofSeconds(2))));
            cluster.crashServers();
            for (int node = 0; node < NODES; node++) {
                copySparsely(cluster.map().node(node).pool(), folder.resolve("node" + node));
            }
            success = true;
        } finally {
            if (!success) {
                close();
            }
        }
    }

    private void fill(FsClient client) throws FsException {
        Attributes out = new Attributes();
        file(client, ROOT, "plain", 10_000);
        file(client, ROOT, "big", BIG_BYTES);
        for (int i = 0; i < 6; i++) {
            client.mkdir(ROOT, name("dir" + i), 0755, 1, 2, out);
            inos.put("dir" + i, out.ino());
            long directory = out.ino();
            for (int j = 0; j < 5; j++) {
                file(client, directory, "f" + i + j, 100 + 5000 * j);
            }
            client.mkdir(directory, name("sub" + i), 0755, 1, 2, out);
            inos.put("sub" + i, out.ino());
            file(client, out.ino(), "deep" + i, 3);
        }
        client.link(inos.get("plain"), inos.get("dir1"), name("hard"), out);
        client.link(inos.get("plain"), inos.get("dir2"), name("hard"), out);
        client.rename(inos.get("dir3"), name("f30"), inos.get("dir4"), name("moved"), 0);
        client.setXattr(inos.get("plain"), name("user.small"), name("value"), 0);
        client.setXattr(inos.get("dir1"), name("user.large"), new byte[9000], 0);
        client.symlink(ROOT, name("short"), name("plain"), 1, 2, out);
        inos.put("short", out.ino());
        client.symlink(ROOT, name("long"), name("x".repeat(300)), 1, 2, out);
        inos.put("long", out.ino());
        file(client, ROOT, "n".repeat(200), 1);
        client.mknod(ROOT, name("pipe"), 0010644, 0, 1, 2, out);
        OpenFile open = client.create(ROOT, name("unlinked"), 0644, 1, 2, OpenFlags.RDWR, out);
        inos.put("unlinked", out.ino());
        write(client, open, 5000, 7);
        client.unlink(ROOT, name("unlinked"));
    }

    private void file(FsClient client, long parent, String name, int bytes) throws FsException {
        OpenFile file = client.create(parent, name(name), 0644, 1, 2, OpenFlags.RDWR, new Attributes());
        inos.put(name, file.ino());
        write(client, file, bytes, name.hashCode());
        client.release(file);
    }

    private static void write(FsClient client, OpenFile file, int bytes, long seed) throws FsException {
        try (Arena arena = Arena.ofConfined()) {
            byte[] content = new byte[bytes];
            new Random(seed).nextBytes(content);
            MemorySegment source = arena.allocate(bytes);
            MemorySegment.copy(content, 0, source, ValueLayout.JAVA_BYTE, 0, bytes);
            client.write(file, 0, source, 0, bytes);
            client.fsync(file, false);
        }
    }

    static byte[] name(String text) {
        return text.getBytes(UTF_8);
    }

    /** Number of the inode that was made with this name. */
    long ino(String name) {
        return inos.get(name);
    }

    /** Node that holds an inode. */
    int home(String name) {
        return InodeNumber.shard(ino(name)) % NODES;
    }

    /** Copies of the pools, by node. They go with the fixture. */
    List<Path> copy() {
        List<Path> paths = new ArrayList<>();
        try {
            copies++;
            for (int node = 0; node < NODES; node++) {
                Path to = folder.resolve("copy" + copies + "-" + node);
                copySparsely(folder.resolve("node" + node), to);
                paths.add(to);
            }
            return paths;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Copies what is not zero: a tenth of the pool, and nothing else is ever touched. */
    private static void copySparsely(Path from, Path to) throws IOException {
        try (FileChannel source = FileChannel.open(from, StandardOpenOption.READ);
                FileChannel target = FileChannel.open(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            ByteBuffer piece = ByteBuffer.allocateDirect(COPY_BYTES);
            ByteBuffer zeros = ByteBuffer.allocateDirect(COPY_BYTES);
            for (long at = 0; at < source.size(); at += COPY_BYTES) {
                source.read(piece.clear(), at);
                piece.flip();
                if (!piece.equals(zeros) || at + COPY_BYTES >= source.size()) {
                    target.write(piece, at);
                }
            }
        }
    }

    @Override
    public void close() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
