package org.octofs.client.dev;

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
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import org.octofs.rpc.cluster.ClusterFile;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.cluster.ClusterNode;

/**
 * Starts, stops and hurts a cluster on this machine: one server process per node, any number of mount processes. All it
 * knows is in its {@link DevState} folder, so that every invocation of the command line finds the cluster again.
 */
final class DevCluster {
    /** A server listens as soon as it has recovered; this bounds how long that may take. */
    private static final Duration START_PATIENCE = Duration.ofMinutes(2);

    private static final Duration STOP_PATIENCE = Duration.ofSeconds(30);
    private static final Duration POLL = Duration.ofMillis(5);
    private static final int CONNECT_MILLIS = 500;

    private final DevState state;
    private final Consumer<String> say;
    private final DevMounts mounts;

    DevCluster(DevState state, Consumer<String> say) {
        this.state = state;
        this.say = say;
        this.mounts = new DevMounts(state, say);
    }

    ClusterMap map() throws IOException {
        if (!state.exists()) {
            throw new IOException("no development cluster in " + state.folder() + "; start one with 'octofs dev up'");
        }
        return ClusterFile.read(state.clusterFile());
    }

    boolean anythingRuns() throws IOException {
        if (!state.exists()) {
            return false;
        }
        for (ClusterNode node : map().nodes()) {
            if (state.node(node.id()).isAlive()) {
                return true;
            }
        }
        for (int index : state.mounts()) {
            if (state.mount(index).isAlive()) {
                return true;
            }
        }
        return false;
    }

    /** Writes the cluster file of a new cluster of {@code nodes} nodes on free loopback ports. */
    void describe(int nodes, int shards) throws IOException {
        state.create();
        List<ClusterNode> list = new ArrayList<>();
        List<ServerSocket> held = new ArrayList<>();
        try {
            for (int i = 0; i < nodes; i++) {
                ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                held.add(socket);
                list.add(new ClusterNode(i, "127.0.0.1", socket.getLocalPort(), state.pool(i)));
            }
        } finally {
            for (ServerSocket socket : held) {
                socket.close();
            }
        }
        ClusterFile.write(state.clusterFile(), new ClusterMap(UUID.randomUUID(), "dev", 1, shards, list));
    }

    /**
     * Formats the pools that do not exist.
     *
     * @param hugePages as in {@code octofs format --huge-pages}
     */
    void formatMissing(String poolSize, String hugePages) throws IOException {
        for (ClusterNode node : map().nodes()) {
            if (Files.exists(node.pool())) {
                continue;
            }
            List<String> command = OctofsProcess.command(
                    "format",
                    state.clusterFile().toString(),
                    "--node",
                    Integer.toString(node.id()),
                    "--pool-size",
                    poolSize,
                    "--huge-pages",
                    hugePages);
            try {
                int code = new ProcessBuilder(command).inheritIO().start().waitFor();
                if (code != 0) {
                    throw new IOException(
                            "formatting the pool of node " + node.id() + " failed (exit code " + code + ")");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while formatting", e);
            }
        }
    }

    /** Starts the servers that do not run and waits until each answers. */
    void startServers(String transport) throws IOException {
        List<ClusterNode> started = new ArrayList<>();
        for (ClusterNode node : map().nodes()) {
            if (!state.node(node.id()).isAlive()) {
                launch(node, transport);
                started.add(node);
            }
        }
        for (ClusterNode node : started) {
            awaitServing(node);
        }
    }

    /** Starts one server and waits until it answers. */
    void startServer(int nodeId, String transport) throws IOException {
        ClusterNode node = node(nodeId);
        ManagedProcess process = state.node(nodeId);
        if (process.isAlive()) {
            throw new IOException(
                    "node " + nodeId + " runs already (pid " + process.pid().orElse(0L) + ")");
        }
        launch(node, transport);
        awaitServing(node);
    }

    long pid(int nodeId) throws IOException {
        return state.node(nodeId).pid().orElseThrow(() -> new IOException("node " + nodeId + " does not run"));
    }

    void killServer(int nodeId) throws IOException {
        node(nodeId);
        ManagedProcess process = state.node(nodeId);
        Optional<Long> pid = process.pid();
        if (pid.isEmpty()) {
            throw new IOException("node " + nodeId + " does not run");
        }
        process.kill();
        say.accept("node " + nodeId + ": killed (pid " + pid.get() + ")");
    }

    /** Mounts at {@code directory}, which is made if it is not there; answers once the mount works. */
    void mount(Path directory, List<String> mountOptions) throws IOException {
        mounts.mount(directory, mountOptions);
    }

    /** Ends mounts, then servers, and removes pools, logs and the state folder. */
    void down() throws IOException {
        stop();
        state.remove(map().nodeCount());
        say.accept("stopped and removed");
    }

    /** Ends mounts, then servers; pools and state stay. */
    void stop() throws IOException {
        ClusterMap map = map();
        mounts.unmountAll();
        for (ClusterNode node : map.nodes()) {
            state.node(node.id()).stop(STOP_PATIENCE);
        }
    }

    /** One line per process. */
    List<String> status() throws IOException {
        List<String> lines = new ArrayList<>();
        for (ClusterNode node : map().nodes()) {
            Optional<Long> pid = state.node(node.id()).pid();
            String life = pid.map(p -> (answers(node) ? "serving" : "starting") + ", pid " + p)
                    .orElse("down");
            lines.add("node %d  %s  %s  %s".formatted(node.id(), node.address(), node.pool(), life));
        }
        lines.addAll(mounts.status());
        return lines;
    }

    boolean allServing() throws IOException {
        return map().nodes().stream().allMatch(DevCluster::answers);
    }

    private void launch(ClusterNode node, String transport) throws IOException {
        state.node(node.id())
                .start(OctofsProcess.command(
                        "server",
                        state.clusterFile().toString(),
                        "--node",
                        Integer.toString(node.id()),
                        "--transport",
                        transport));
    }

    private void awaitServing(ClusterNode node) throws IOException {
        ManagedProcess process = state.node(node.id());
        long deadline = System.nanoTime() + START_PATIENCE.toNanos();
        while (!answers(node)) {
            if (!process.isAlive()) {
                throw new IOException("node " + node.id() + " did not start; it said:" + process.logTail());
            }
            if (System.nanoTime() - deadline > 0) {
                throw new IOException("node " + node.id() + " does not serve after " + START_PATIENCE.toSeconds()
                        + " s; its log is " + process.log());
            }
            Pause.of(POLL);
        }
        say.accept("node " + node.id() + ": serving at " + node.address() + " (pid "
                + process.pid().orElse(0L) + ")");
    }

    private ClusterNode node(int nodeId) throws IOException {
        ClusterMap map = map();
        if (nodeId < 0 || nodeId >= map.nodeCount()) {
            throw new IOException("there is no node " + nodeId + "; the nodes are 0 to " + (map.nodeCount() - 1));
        }
        return map.node(nodeId);
    }

    /** A server listens only while it serves. */
    private static boolean answers(ClusterNode node) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(node.host(), node.port()), CONNECT_MILLIS);
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
