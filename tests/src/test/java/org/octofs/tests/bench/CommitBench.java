package org.octofs.tests.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.ClientConfig;
import org.octofs.client.client.FsClient;
import org.octofs.client.dev.OctofsProcess;
import org.octofs.pmem.medium.MediumKind;
import org.octofs.pmem.medium.MediumOptions;
import org.octofs.pmem.pool.PmemPool;
import org.octofs.pmem.pool.PoolExpectation;
import org.octofs.rpc.cluster.ClusterFile;
import org.octofs.rpc.cluster.ClusterHello;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.cluster.ClusterNode;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricConfig;
import org.octofs.rpc.fabric.FabricFactory;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.fabric.TransportKind;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.rpc.RpcCall;
import org.octofs.rpc.rpc.RpcClient;
import org.octofs.rpc.rpc.RpcClientConfig;
import org.octofs.server.ServerClock;
import org.octofs.server.recovery.RecoveryProgress;
import org.octofs.server.server.FsServer;
import org.octofs.server.server.ServerConfig;
import org.octofs.tests.crash.TwoPhaseCommit;

/**
 * mkdir over two servers beside a two-phase commit that changes as much metadata, on the same two server processes, in turns: the row of
 * the table that {@code octofs bench table} cannot have, since the baseline is no part of the product. {@code tests/bench/commit} runs it.
 */
public final class CommitBench {
    private static final long DEADLINE_NANOS = 20_000_000_000L;
    private static final int TURNS = 20;
    private static final int NAMES = 32;
    private static final int SHARDS = 16;
    private static final int MODE = 0700;
    private static final int INODE_BYTES = 256;
    private static final int DENTRY_BYTES = 128;
    private static final double GOAL = 0.65;

    private CommitBench() {}

    /** {@code [SECONDS [RUNS]]}, or what a server's process is told. */
    @SuppressWarnings("SystemOut") // the table is what it is for
    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0 && arguments[0].equals("serve")) {
            serve(ClusterFile.read(Path.of(arguments[1])), Integer.parseInt(arguments[2]), arguments[3]);
            return;
        }
        long nanos = (long) (1e9 * (arguments.length > 0 ? Double.parseDouble(arguments[0]) : 1));
        int runs = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 3;
        System.out.printf("%-40s %10s %14s %8s %8s %6s%n", "", "mkdir us", "two-phase us", "ratio", "goal", "held");
        boolean held = true;
        for (TransportChoice transport : List.of(TransportChoice.SHM, TransportChoice.TCP)) {
            double[] ours = new double[runs];
            double[] theirs = new double[runs];
            double[] ratios = new double[runs];
            measure(transport, nanos, ours, theirs);
            Arrays.setAll(ratios, i -> ours[i] / theirs[i]);
            double ratio = median(ratios);
            held &= ratio <= GOAL;
            System.out.printf(
                    Locale.ROOT,
                    "%-40s %10.2f %14.2f %8.2f %8s %6s%n",
                    transport.name().toLowerCase(Locale.ROOT) + ": mkdir beside two-phase commit",
                    median(ours),
                    median(theirs),
                    ratio,
                    "<= " + GOAL,
                    ratio <= GOAL ? "yes" : "no");
        }
        System.exit(held ? 0 : 1);
    }

    // ---------------------------------------------------------------------------------------------------- the servers

    private static FabricConfig fabricConfig(String name) {
        return FabricConfig.defaults(
                name,
                System::nanoTime,
                new SecureRandom()::nextLong,
                Thread.ofPlatform().daemon().name("fabric-", 0).factory());
    }

    /** As {@code octofs server} does, with a protocol more. Ends with its standard input. */
    @SuppressWarnings("SystemOut") // the parent reads it
    private static void serve(ClusterMap map, int nodeId, String transport) throws Exception {
        TransportChoice choice = TransportChoice.valueOf(transport);
        FabricConfig fabricConfig =
                fabricConfig("server " + nodeId).withTransports(EnumSet.of(TransportKind.valueOf(transport)));
        ServerConfig config =
                ServerConfig.of(map, nodeId, new SecureRandom().nextLong()).withPeerTransport(choice);
        PmemPool pool = PmemPool.open(
                map.node(nodeId).pool(),
                MediumKind.AUTO,
                new PoolExpectation(map.id(), nodeId, map.nodeCount(), map.shardCount()),
                MediumOptions.defaults());
        try (Fabric fabric = FabricFactory.create(fabricConfig);
                FsServer server = new FsServer(config, pool, fabric, ServerClock.system(), RecoveryProgress.NONE)) {
            TwoPhaseCommit.install(server);
            Thread.ofPlatform().daemon().name("input").start(CommitBench::endWithInput);
            System.out.println("serves");
            server.run(() -> false);
        }
    }

    private static void endWithInput() {
        try {
            System.in.transferTo(java.io.OutputStream.nullOutputStream());
        } catch (IOException e) {
            // It has ended, one way or the other.
        }
        Runtime.getRuntime().halt(0);
    }

    private static ClusterMap format(Path folder) throws Exception {
        List<ClusterNode> nodes = new ArrayList<>();
        List<ServerSocket> held = new ArrayList<>();
        for (int node = 0; node < 2; node++) {
            held.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            nodes.add(new ClusterNode(node, "127.0.0.1", held.get(node).getLocalPort(), folder.resolve("pool" + node)));
        }
        for (ServerSocket socket : held) {
            socket.close();
        }
        ClusterMap map = new ClusterMap(UUID.randomUUID(), "bench", 1, SHARDS, nodes);
        Path file = folder.resolve("cluster.json");
        ClusterFile.write(file, map);
        for (int node = 0; node < 2; node++) {
            int code = new ProcessBuilder(OctofsProcess.command(
                            "format", file.toString(), "--node", Integer.toString(node), "--pool-size", "256M"))
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start()
                    .waitFor();
            if (code != 0) {
                throw new IOException("formatting failed with exit code " + code);
            }
        }
        return map;
    }

    private static Process start(Path folder, int node, TransportChoice transport) throws IOException {
        List<String> command = new ArrayList<>(OctofsProcess.command());
        command.set(command.size() - 1, CommitBench.class.getName());
        command.addAll(
                List.of("serve", folder.resolve("cluster.json").toString(), Integer.toString(node), transport.name()));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader out = process.inputReader();
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            if (line.equals("serves")) {
                return process;
            }
        }
        throw new IOException("the server of node " + node + " did not start");
    }

    // ------------------------------------------------------------------------------------------------- what is
    // measured

    private static void measure(TransportChoice transport, long nanos, double[] ours, double[] theirs)
            throws Exception {
        Path folder = Files.createTempDirectory(Path.of("/dev/shm"), "octofs-commit");
        List<Process> servers = new ArrayList<>();
        try {
            ClusterMap map = format(folder);
            for (int node = 0; node < 2; node++) {
                servers.add(start(folder, node, transport));
            }
            int home = map.homeOf(InodeNumber.shard(InodeNumber.ROOT));
            ClusterNode coordinator = map.node(home);
            RpcClientConfig rpcConfig = RpcClientConfig.of(
                            new InetSocketAddress(coordinator.host(), coordinator.port()),
                            (new SecureRandom().nextLong() & Long.MAX_VALUE) | 1)
                    .withTransport(transport)
                    .withHello(ClusterHello.client(map.id()).encode());
            ClientConfig config = ClientConfig.builder()
                    .name("commit bench")
                    .transport(transport)
                    .build();
            try (FsClient client = FsClient.connect(map, config);
                    Fabric fabric = FabricFactory.create(fabricConfig("commit bench"));
                    RpcClient rpc = new RpcClient(fabric, rpcConfig)) {
                rpc.setMapEpoch(map.epoch());
                rpc.awaitConnected(fabric.nanoTime() + DEADLINE_NANOS);
                List<byte[]> names = namesElsewhere(client, map, home);
                List<TwoPhaseCommit.Part> other = List.of(new TwoPhaseCommit.Part(1 - home, 1, INODE_BYTES));
                Operation mkdir = new Operation(names, client, rpc, fabric, other);
                stretch(mkdir, true, 2 * nanos, new ArrayList<>());
                stretch(mkdir, false, 2 * nanos, new ArrayList<>());
                for (int run = 0; run < ours.length; run++) {
                    List<Long> own = new ArrayList<>();
                    List<Long> baseline = new ArrayList<>();
                    for (int turn = 0; turn < TURNS; turn++) {
                        stretch(mkdir, true, nanos / TURNS, own);
                        stretch(mkdir, false, nanos / TURNS, baseline);
                    }
                    ours[run] = medianMicros(own);
                    theirs[run] = medianMicros(baseline);
                }
            }
        } finally {
            for (Process server : servers) {
                server.destroy();
                if (!server.waitFor(5, TimeUnit.SECONDS)) {
                    server.destroyForcibly().waitFor();
                }
            }
            try (var files = Files.newDirectoryStream(folder)) {
                for (Path file : files) {
                    Files.delete(file);
                }
            }
            Files.delete(folder);
        }
    }

    /** The two that are compared, by one caller. */
    private record Operation(
            List<byte[]> names, FsClient client, RpcClient rpc, Fabric fabric, List<TwoPhaseCommit.Part> other) {
        private static final Attributes ATTRIBUTES = new Attributes();

        void mkdir(long index) throws IOException {
            client.mkdir(InodeNumber.ROOT, names.get((int) (index % NAMES)), MODE, 0, 0, ATTRIBUTES);
        }

        void rmdir(long index) throws IOException {
            client.rmdir(InodeNumber.ROOT, names.get((int) (index % NAMES)));
        }

        void twoPhases() throws IOException {
            try (RpcCall call = rpc.begin(TwoPhaseCommit.BEGIN, 64, fabric.nanoTime() + DEADLINE_NANOS)) {
                call.send(TwoPhaseCommit.request(call.request(), INODE_BYTES + DENTRY_BYTES, other));
                int status = call.await();
                if (status != 0) {
                    throw new IOException("two-phase commit was answered with errno " + status);
                }
            }
        }
    }

    private static void stretch(Operation operation, boolean ours, long nanos, List<Long> into) throws IOException {
        long begin = System.nanoTime();
        long index = 0;
        long end;
        do {
            long before = System.nanoTime();
            if (ours) {
                operation.mkdir(index);
            } else {
                operation.twoPhases();
            }
            end = System.nanoTime();
            into.add(end - before);
            if (ours) {
                operation.rmdir(index);
            }
            index++;
        } while (end - begin < nanos);
    }

    /** Names of directories whose home is the other server. */
    private static List<byte[]> namesElsewhere(FsClient client, ClusterMap map, int home) throws IOException {
        Attributes attributes = new Attributes();
        List<byte[]> names = new ArrayList<>();
        for (int i = 0; names.size() < NAMES; i++) {
            byte[] name = ("d" + i).getBytes(StandardCharsets.US_ASCII);
            client.mkdir(InodeNumber.ROOT, name, MODE, 0, 0, attributes);
            if (map.homeOf(InodeNumber.shard(attributes.ino())) != home) {
                names.add(name);
            }
            client.rmdir(InodeNumber.ROOT, name);
        }
        return names;
    }

    private static double medianMicros(List<Long> nanos) {
        return median(nanos.stream().mapToDouble(n -> n / 1e3).toArray());
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
