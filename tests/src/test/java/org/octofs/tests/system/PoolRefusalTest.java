package org.octofs.tests.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.octofs.pmem.layout.SuperblockLayout;
import org.octofs.rpc.cluster.ClusterFile;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.cluster.ClusterNode;

/** A server and the formatter refuse pools that are not theirs, in words and with an exit code, and change nothing on them. */
@Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PoolRefusalTest {
    private Path folder;
    private Path pool;
    private ClusterMap map;
    private Path clusterFile;

    @BeforeEach
    void format() throws IOException {
        Octofs.requireUsable();
        Path memory = Path.of("/dev/shm");
        folder = Files.isDirectory(memory)
                ? Files.createTempDirectory(memory, "octofs-system-")
                : Files.createTempDirectory("octofs-system-");
        pool = folder.resolve("pool");
        map = new ClusterMap(
                UUID.fromString("0d9c0b6e-6f6e-4c39-a3c5-0c5d0a7f6a11"),
                "test",
                1,
                4,
                List.of(new ClusterNode(0, "127.0.0.1", freePort(), pool)));
        clusterFile = write("cluster", map);
        Octofs.run("format", clusterFile.toString(), "--node", "0", "--pool-size", "64M")
                .succeeded();
    }

    @AfterEach
    void remove() {
        if (folder != null) {
            Shell.run(new ProcessBuilder("rm", "-rf", folder.toString()), "rm", Leftovers.PATIENCE)
                    .succeeded();
        }
    }

    private Path write(String name, ClusterMap described) throws IOException {
        Path file = folder.resolve(name);
        ClusterFile.write(file, described);
        return file;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private Shell.Result serve(Path file) {
        return Octofs.run("server", file.toString(), "--node", "0");
    }

    private void assertRefused(Path file, String... words) throws IOException {
        long before = checksum();
        assertThat(serve(file).refused().output()).contains(words);
        assertThat(checksum()).as("the pool is unchanged").isEqualTo(before);
    }

    private long checksum() throws IOException {
        return PoolChecksum.of(pool);
    }

    @Test
    void poolOfAnotherCluster() throws IOException {
        ClusterMap other = new ClusterMap(UUID.randomUUID(), "other", 1, 4, map.nodes());
        assertRefused(write("other", other), "cluster", pool.toString());
    }

    @Test
    void poolOfAnotherNode() throws IOException {
        ClusterMap other = new ClusterMap(
                map.id(),
                "test",
                1,
                4,
                List.of(
                        new ClusterNode(0, "127.0.0.1", freePort(), folder.resolve("none")),
                        new ClusterNode(1, "127.0.0.1", freePort(), pool)));
        long before = checksum();
        Shell.Result result = Octofs.run("server", write("other", other).toString(), "--node", "1")
                .refused();
        assertThat(result.output()).contains("node", pool.toString());
        assertThat(checksum()).isEqualTo(before);
    }

    @Test
    void poolOfAnotherVersion() throws IOException {
        patch(SuperblockLayout.VERSION_OFFSET, SuperblockLayout.VERSION + 1);
        assertRefused(clusterFile, "version");
    }

    @Test
    void poolWithFeatureOfTheFuture() throws IOException {
        patch(SuperblockLayout.INCOMPATIBLE_FEATURES_OFFSET + 4, 1 << 20);
        assertRefused(clusterFile, "feature");
    }

    /** Puts 4 bytes into both superblocks, with the right checksum. */
    private void patch(int offset, int value) throws IOException {
        try (FileChannel file = FileChannel.open(pool, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            for (long block : new long[] {SuperblockLayout.PRIMARY_OFFSET, SuperblockLayout.BACKUP_OFFSET}) {
                ByteBuffer bytes =
                        ByteBuffer.allocate(SuperblockLayout.SIZE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
                assertThat(file.read(bytes, block)).isEqualTo(SuperblockLayout.SIZE_BYTES);
                bytes.putInt(offset, value);
                CRC32C crc = new CRC32C();
                crc.update(
                        bytes.array(),
                        SuperblockLayout.VERSION_OFFSET,
                        SuperblockLayout.SIZE_BYTES - SuperblockLayout.VERSION_OFFSET);
                bytes.putInt(SuperblockLayout.CHECKSUM_OFFSET, (int) crc.getValue());
                file.write(bytes.clear(), block);
            }
        }
    }

    @Test
    void truncatedPool() throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(pool.toFile(), "rw")) {
            file.setLength(file.length() - (4 << 20));
        }
        assertRefused(clusterFile, "truncated", pool.toString());
    }

    @Test
    void emptyPool() throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(pool.toFile(), "rw")) {
            file.setLength(0);
        }
        assertRefused(clusterFile, pool.toString());
    }

    @Test
    void fileThatIsNoPool() throws IOException {
        byte[] text = "not a pool\n".repeat(8 << 20).getBytes(StandardCharsets.US_ASCII);
        Files.write(pool, text);
        assertRefused(clusterFile, pool.toString());
    }

    @Test
    void missingPool() throws IOException {
        Files.delete(pool);
        assertThat(serve(clusterFile).refused().output()).contains("octofs format");
        assertThat(pool).doesNotExist();
    }

    @Test
    void secondServerOnOnePool() throws IOException {
        ClusterNode node = map.node(0);
        // Another address, so that it is the pool that keeps them apart.
        ClusterMap beside =
                new ClusterMap(map.id(), "test", 1, 4, List.of(new ClusterNode(0, "127.0.0.1", freePort(), pool)));
        try (ServerProcess server = ServerProcess.start(clusterFile, 0, node.port(), folder.resolve("log"))) {
            assertRefused(write("beside", beside), pool.toString());
            // The same server twice meets the address first, or the pool; either will do.
            assertRefused(clusterFile, "octofs");
            long before = checksum();
            assertThat(Octofs.run("format", clusterFile.toString(), "--node", "0", "--pool-size", "64M", "--force")
                            .refused()
                            .output())
                    .contains(pool.toString());
            assertThat(checksum()).isEqualTo(before);
            assertThat(server.isAlive()).isTrue();
        }
    }

    @Test
    void addressOfAnotherMachineOrInUse() throws IOException {
        // TEST-NET-1: nobody has it.
        ClusterMap elsewhere =
                new ClusterMap(map.id(), "test", 1, 4, List.of(new ClusterNode(0, "192.0.2.1", 7400, pool)));
        assertThat(serve(write("elsewhere", elsewhere)).refused().output()).contains("192.0.2.1:7400");
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            ClusterMap used = new ClusterMap(
                    map.id(), "test", 1, 4, List.of(new ClusterNode(0, "127.0.0.1", taken.getLocalPort(), pool)));
            assertThat(serve(write("used", used)).refused().output()).contains("127.0.0.1:" + taken.getLocalPort());
        }
    }

    @Test
    void formatLeavesExistingPoolAlone() throws IOException {
        long before = checksum();
        assertThat(Octofs.run("format", clusterFile.toString(), "--node", "0", "--pool-size", "64M")
                        .refused()
                        .output())
                .contains("--force");
        assertThat(Octofs.run("format", clusterFile.toString(), "--node", "5", "--pool-size", "64M")
                        .refused()
                        .output())
                .contains("no node 5");
        assertThat(checksum()).isEqualTo(before);
        Files.delete(pool);
        for (String size : List.of("1M", "0", "-64M", "many", "9000000T")) {
            Octofs.run("format", clusterFile.toString(), "--node", "0", "--pool-size", size)
                    .refused();
            assertThat(pool).as("--pool-size %s", size).doesNotExist();
        }
    }
}
