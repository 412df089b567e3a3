package org.octofs.client.dev;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.octofs.rpc.cluster.ClusterMap;

/** A cluster of server processes for the time of one command; nothing of it stays behind, not even after Ctrl-C. */
public final class TemporaryCluster implements AutoCloseable {
    private static final int SHARDS = 16;

    private final DevCluster cluster;
    private final ClusterMap map;
    private final Thread hook;

    private TemporaryCluster(DevCluster cluster, ClusterMap map) {
        this.cluster = cluster;
        this.map = map;
        this.hook = new Thread(this::removeQuietly, "temporary-cluster-removal");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /**
     * Formats and starts {@code nodes} servers with pools in memory.
     *
     * @param state an empty folder of its own; removed with the cluster
     * @param poolSize as in {@code octofs format --pool-size}
     * @param transport auto, shm, tcp or verbs
     * @throws IOException in words for the user; nothing is left running then
     */
    public static TemporaryCluster start(Path state, int nodes, String poolSize, String transport) throws IOException {
        DevCluster cluster = new DevCluster(new DevState(state, Path.of("/dev/shm")), line -> {});
        cluster.describe(nodes, SHARDS);
        TemporaryCluster temporary = new TemporaryCluster(cluster, cluster.map());
        boolean complete = false;
        try {
            // Seconds at the start, and no page faults and scattered pages in what is measured.
            cluster.formatMissing(poolSize, "collapse");
            cluster.startServers(transport);
            complete = true;
            return temporary;
        } finally {
            if (!complete) {
                temporary.close();
            }
        }
    }

    /**
     * Mounts it until it is closed; made if it is not there.
     *
     * @param options as in {@code octofs mount -o}
     */
    public void mount(Path directory, List<String> options) throws IOException {
        cluster.mount(directory, options);
    }

    /** Process id of the server of a node. */
    public long pid(int node) throws IOException {
        return cluster.pid(node);
    }

    /** Ends all servers in order; their pools stay. */
    public void stop() throws IOException {
        cluster.stop();
    }

    /** Starts them again; answers when they serve. */
    public void start(String transport) throws IOException {
        cluster.startServers(transport);
    }

    /** Its map. */
    public ClusterMap map() {
        return map;
    }

    @Override
    public void close() throws IOException {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is ending: the hook does the work.
            return;
        }
        cluster.down();
    }

    private void removeQuietly() {
        try {
            cluster.down();
        } catch (IOException e) {
            System.err.println("octofs: " + e.getMessage());
        }
    }
}
