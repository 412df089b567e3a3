package org.octofs.tests.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.octofs.rpc.cluster.ClusterFile;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.cluster.ClusterNode;

/** What a running cluster, the mount and {@code dev} refuse: in words, with an exit code, and with nothing changed by it. */
@Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RefusalTest {
    private static final long SETTLED_NANOS = 2_000_000_000L;

    @AutoClose
    private static SystemCluster cluster;

    @BeforeAll
    static void up() {
        // What a mount tells of its leases by itself would change the pools, which are compared.
        cluster = SystemCluster.up(2, "64M", "auto", "leases=off");
    }

    private static Shell.Result mount(Path where, String... options) {
        List<String> arguments = new ArrayList<>(List.of(
                "mount",
                cluster.clusterFile().toString(),
                where.toString(),
                "--log",
                cluster.scratch().resolve("mount.log").toString()));
        arguments.addAll(List.of(options));
        return Octofs.run(arguments.toArray(String[]::new));
    }

    private static void assertNotMounted(Path where) throws IOException {
        assertThat(Leftovers.mountsBelow(cluster.scratch())).doesNotContain(where.toString());
    }

    @Test
    void mountPointsThatAreNone() throws IOException {
        Path full = Files.createDirectory(cluster.scratch().resolve("full"));
        Path file = Files.writeString(full.resolve("file"), "mine");
        assertThat(mount(full).refused().output()).contains("not empty", full.toString());
        assertThat(mount(file).refused().output()).contains("not a directory");
        Path missing = cluster.scratch().resolve("missing");
        assertThat(mount(missing).refused().output()).contains("does not exist", "mkdir");
        assertThat(missing).doesNotExist();
        assertThat(mount(cluster.mount()).refused().output()).contains("mounted already");
        assertThat(file).hasContent("mine");
        assertNotMounted(full);
        assertThat(cluster.dev("mount", full.toString()).refused().output()).contains("not empty");
        assertThat(cluster.dev("mount", file.toString()).refused().output()).contains("not a directory");
        assertNotMounted(full);
    }

    @Test
    void optionsThatAreNone() throws IOException {
        Path where = Files.createDirectory(cluster.scratch().resolve("options"));
        for (String option :
                List.of("no_such_option", "consistency=perhaps", "timeout=never", "timeout=0", "allow_other=7")) {
            String word = option.split("=", -1)[0];
            assertThat(mount(where, "-o", option).refused().output()).contains(word);
            assertNotMounted(where);
        }
        assertThat(Octofs.run("mount").refused().output()).contains("CLUSTER");
        assertThat(Octofs.run("no-such-verb").refused().output()).contains("no-such-verb");
        assertThat(Octofs.run("umount", where.toString()).refused().output()).contains("not mounted");
    }

    @Test
    void clusterThatIsNotThere() throws IOException {
        Path where = Files.createDirectory(cluster.scratch().resolve("nowhere"));
        ClusterMap map = cluster.map();
        // Nobody listens where the root directory should be at home; and a cluster that the servers are not of.
        Path wrongRoot = describe(
                "wrong-root",
                map.id(),
                List.of(new ClusterNode(0, "127.0.0.1", 1, map.node(0).pool()), map.node(1)));
        Path wrongCluster = describe("wrong-cluster", new UUID(1, 2), map.nodes());
        Path swapped = describe(
                "swapped",
                map.id(),
                List.of(
                        new ClusterNode(
                                0, "127.0.0.1", map.node(1).port(), map.node(0).pool()),
                        new ClusterNode(
                                1, "127.0.0.1", map.node(0).port(), map.node(1).pool())));
        for (Path file : List.of(
                wrongRoot,
                wrongCluster,
                swapped,
                Path.of("/no/such/file"),
                cluster.state().resolve("node-0.log"))) {
            Path log = cluster.scratch().resolve("nowhere.log");
            Shell.Result result = Octofs.run("mount", file.toString(), where.toString(), "--log", log.toString());
            assertThat(result.refused().output())
                    .as("mount of %s", file)
                    .containsAnyOf("node ", file.toString())
                    .doesNotContain("opcode", "INFO");
            if (file.equals(wrongRoot)) {
                assertThat(result.output())
                        .contains(
                                "cannot mount " + where + ": node 0 at 127.0.0.1:1 does not answer",
                                "start its server");
            }
            assertNotMounted(where);
            assertThat(Octofs.run("df", file.toString()).code())
                    .as("df of %s", file)
                    .isNotZero();
        }
        cluster.dev("status").succeeded();
    }

    private static Path describe(String name, UUID id, List<ClusterNode> nodes) throws IOException {
        Path file = cluster.scratch().resolve(name);
        ClusterFile.write(file, new ClusterMap(id, "test", 1, cluster.map().shardCount(), nodes));
        return file;
    }

    @Test
    void devCommandsThatCannotBe() {
        assertThat(cluster.dev("up", "--nodes", "2").refused().output()).contains("up already");
        assertThat(cluster.dev("kill", "--node", "7").refused().output()).contains("no node 7");
        assertThat(cluster.dev("start", "--node", "0").refused().output()).contains("runs already");
        assertThat(Octofs.run(
                                "dev",
                                "down",
                                "--state",
                                cluster.scratch().resolve("none").toString())
                        .refused()
                        .output())
                .contains("no development cluster");
        assertThat(Octofs.run(
                                "dev",
                                "up",
                                "--nodes",
                                "0",
                                "--state",
                                cluster.scratch().resolve("none").toString())
                        .refused()
                        .output())
                .contains("--nodes");
        cluster.dev("status").succeeded();
    }

    /** Before a pool is formatted or a server started. */
    @Test
    void devUpThatCannotBe() throws IOException {
        Path base = Files.createDirectory(cluster.scratch().resolve("up"));
        Path pools = Files.createDirectory(base.resolve("pools"));
        Path full = Files.createDirectory(base.resolve("full"));
        Path file = Files.writeString(full.resolve("file"), "mine");
        Path where = base.resolve("mount");
        for (List<String> wrong : List.of(
                List.of("--transport foo", "auto, shm, tcp and verbs", "dev up --help"),
                List.of("--transport loopback", "auto, shm, tcp and verbs", "dev up --help"),
                List.of("-o foo", "unknown mount option 'foo'", "dev up --help"),
                List.of("--pool-size 1K", "64", "dev up --help"),
                List.of("--pool-size abc", "'abc' is no size", "dev up --help"),
                List.of("--shards 100000", "2 to 512", "dev up --help"),
                List.of("--pools " + base.resolve("none"), base.resolve("none").toString(), "pools"),
                List.of("--mount " + full, "not empty", full.toString()),
                List.of("--mount " + file, "not a directory", file.toString()),
                List.of("--mount " + file.resolve("mount"), "not a directory", file.toString()),
                List.of(
                        "--mount " + cluster.mount(),
                        "mounted already",
                        cluster.mount().toString()))) {
            List<String> arguments = new ArrayList<>(List.of("dev", "up", "--nodes", "2", "--pool-size", "64M"));
            arguments.addAll(List.of("--state", base.resolve("state").toString(), "--pools", pools.toString()));
            arguments.addAll(List.of("--mount", where.toString()));
            String[] words = wrong.getFirst().split(" ", -1);
            // In place of the good value.
            int at = arguments.indexOf(words[0]);
            if (at >= 0) {
                arguments.set(at + 1, words[1]);
            } else {
                arguments.addAll(List.of(words));
            }
            String output =
                    Octofs.run(arguments.toArray(String[]::new)).refused().output();
            assertThat(output)
                    .as(wrong.getFirst())
                    .contains(wrong.subList(1, wrong.size()))
                    .doesNotContain("formatt", "serving", "LOOPBACK");
            assertThat(base.resolve("state")).doesNotExist();
            assertThat(pools).isEmptyDirectory();
            assertThat(where).doesNotExist();
        }
        assertThat(file).hasContent("mine");
    }

    @Test
    void memoryThatIsFull() throws IOException {
        Path pools = Files.createDirectory(cluster.scratch().resolve("pools"));
        Assumptions.assumeTrue(
                Shell.run(
                                        new ProcessBuilder(
                                                "mount", "-t", "tmpfs", "-o", "size=100m", "none", pools.toString()),
                                        "mount a small tmpfs",
                                        Leftovers.PATIENCE)
                                .code()
                        == 0,
                "cannot mount a tmpfs");
        try {
            Path state = cluster.scratch().resolve("full-state");
            Path where = cluster.scratch().resolve("full-mount");
            String output = Octofs.run(
                            "dev",
                            "up",
                            "--nodes",
                            "2",
                            "--pool-size",
                            "64M",
                            "--pools",
                            pools.toString(),
                            "--state",
                            state.toString(),
                            "--mount",
                            where.toString())
                    .refused()
                    .output();
            assertThat(output).containsIgnoringCase("space").contains(pools.toString());
            try (Stream<Path> files = Files.list(pools)) {
                assertThat(files).as("left in the full file system").isEmpty();
            }
            assertThat(state).doesNotExist();
        } finally {
            Shell.run(new ProcessBuilder("umount", pools.toString()), "umount", Leftovers.PATIENCE)
                    .succeeded();
        }
    }

    /** Everything that is not the protocol ends the connection, and only that. */
    @Test
    void garbageAtThePort() throws IOException {
        Path file = Files.writeString(cluster.mount().resolve("garbage"), "before");
        Shell.bash(cluster.scratch(), Leftovers.PATIENCE, "sync").succeeded();
        long[] before = settledChecksums();
        Random random = new Random(3);
        byte[] noise = new byte[100_000];
        random.nextBytes(noise);
        byte[] huge = ByteBuffer.allocate(64)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(Integer.MAX_VALUE)
                .putInt(-1)
                .array();
        List<byte[]> messages = List.of(
                noise,
                "GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
                new byte[100_000],
                huge,
                new byte[1],
                new byte[0]);
        List<Socket> silent = new ArrayList<>();
        try {
            for (ClusterNode node : cluster.map().nodes()) {
                for (byte[] message : messages) {
                    send(node, message);
                }
                for (int i = 0; i < 50; i++) {
                    // Those who never say anything hold nobody up.
                    Socket socket = new Socket();
                    silent.add(socket);
                    socket.connect(new InetSocketAddress(node.host(), node.port()), 5000);
                }
            }
            assertThat(checksums()).as("the pools are unchanged").isEqualTo(before);
            cluster.dev("status").succeeded();
            Files.writeString(file, "after");
            assertThat(file).hasContent("after");
            // New clients get in.
            Octofs.run("df", cluster.clusterFile().toString()).succeeded();
        } finally {
            for (Socket socket : silent) {
                socket.close();
            }
        }
    }

    private static void send(ClusterNode node, byte[] message) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(node.host(), node.port()), 5000);
            socket.setSoTimeout(30_000);
            OutputStream out = socket.getOutputStream();
            out.write(message);
            socket.shutdownOutput();
            InputStream in = socket.getInputStream();
            // Whatever it answers, it then hangs up.
            in.readAllBytes();
        } catch (SocketException e) {
            // It hung up before all was sent.
            assertThat(e).hasMessageMatching(".*(reset|Broken pipe|closed).*");
        }
    }

    /** When the mount has told what it tells later: closes, space that it gives back. */
    private static long[] settledChecksums() throws IOException {
        long[] last = checksums();
        long start = System.nanoTime();
        long since = start;
        while (System.nanoTime() - since < SETTLED_NANOS) {
            assertThat(System.nanoTime() - start).as("the pools come to rest").isLessThan(Leftovers.PATIENCE.toNanos());
            Leftovers.pause();
            long[] now = checksums();
            if (!Arrays.equals(now, last)) {
                last = now;
                since = System.nanoTime();
            }
        }
        return last;
    }

    private static long[] checksums() throws IOException {
        List<ClusterNode> nodes = cluster.map().nodes();
        long[] sums = new long[nodes.size()];
        for (int i = 0; i < sums.length; i++) {
            sums[i] = PoolChecksum.of(nodes.get(i).pool());
        }
        return sums;
    }
}
