package org.octofs.tests.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.octofs.pmem.medium.MediumKind;
import org.octofs.pmem.medium.MediumOptions;
import org.octofs.pmem.pool.FormatRequest;
import org.octofs.pmem.pool.GeometryOptions;
import org.octofs.pmem.pool.PoolFormatter;
import org.octofs.pmem.pool.PoolIdentity;
import org.octofs.rpc.cluster.ClusterFile;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.cluster.ClusterNode;

/**
 * Servers only, each a process of its own, for clients in this one: a restart costs the start of one JVM. Closing ends them and
 * removes everything.
 */
final class ServerFleet implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int SHARDS = 16;

    private final Path folder;
    private final ClusterMap map;
    private final Process[] processes;

    /** Formats pools and starts all servers; they serve when it returns. */
    ServerFleet(int nodes, long poolBytes) throws IOException {
        Octofs.requireUsable();
        folder = Files.createTempDirectory(Path.of("/dev/shm"), "octofs-fleet-");
        List<ClusterNode> list = new ArrayList<>();
        for (int node = 0; node < nodes; node++) {
            list.add(new ClusterNode(node, "127.0.0.1", freePort(), folder.resolve("node" + node + ".pool")));
        }
        map = new ClusterMap(UUID.randomUUID(), "fleet", 1, SHARDS, list);
        processes = new Process[nodes];
        boolean success = false;
        try {
            ClusterFile.write(clusterFile(), map);
            for (int node = 0; node < nodes; node++) {
                PoolFormatter.format(new FormatRequest(
                        map.node(node).pool(),
                        poolBytes,
                        MediumKind.MAPPED,
                        new PoolIdentity(map.id(), node, nodes, SHARDS),
                        GeometryOptions.defaults(),
                        MediumOptions.defaults().withPrefault(false),
                        System.currentTimeMillis(),
                        false));
                start(node);
            }
            for (int node = 0; node < nodes; node++) {
                awaitServing(node);
            }
            success = true;
        } finally {
            if (!success) {
                close();
            }
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    Path clusterFile() {
        return folder.resolve("cluster.properties");
    }

    private Path log(int node) {
        return folder.resolve("node" + node + ".log");
    }

    ClusterMap map() {
        return map;
    }

    /** SIGKILL. */
    void kill(int node) {
        processes[node].destroyForcibly().onExit().join();
    }

    /** Starts a server that is not running; does not wait until it serves. */
    void start(int node) throws IOException {
        processes[node] = Octofs.process(List.of("server", clusterFile().toString(), "--node", "" + node))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log(node).toFile()))
                .start();
    }

    /** Waits until a server accepts connections. */
    void awaitServing(int node) throws IOException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!answers(map.node(node).port())) {
            assertThat(processes[node].isAlive())
                    .as("server %s runs: %s", node, Files.readString(log(node)))
                    .isTrue();
            assertThat(System.nanoTime() - deadline)
                    .as("server %s serves", node)
                    .isNegative();
            Leftovers.pause();
        }
    }

    private static boolean answers(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** What {@code octofs fsck} says about the pools of servers that were killed; fails unless it finds nothing wrong. */
    String checkPools() {
        return Octofs.run("fsck", "--data", clusterFile().toString())
                .succeeded()
                .output();
    }

    @Override
    public void close() {
        for (Process process : processes) {
            if (process != null) {
                process.destroyForcibly().onExit().join();
            }
        }
        Shell.run(new ProcessBuilder("rm", "-rf", folder.toString()), "rm", PATIENCE);
    }
}
