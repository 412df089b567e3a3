package org.octofs.tests.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.octofs.rpc.cluster.ClusterFile;
import org.octofs.rpc.cluster.ClusterMap;

/**
 * A cluster of processes on this machine, brought up by {@code octofs dev up}, in a folder of its own. Closing takes it down
 * and fails if something is left; whatever is left is then removed all the same.
 *
 * <p>Threading: any thread, one at a time.
 */
final class SystemCluster implements AutoCloseable {
    private final Path base;
    private final Path state;
    private final Path mount;
    private final Path mount2;
    private final Path scratch;
    private final String transport;
    private final String mountOptions;
    private final List<Path> pools = new ArrayList<>();
    private final Thread hook = new Thread(this::removeAtEnd, "system-cluster-removal");
    private boolean closed;

    private SystemCluster(String transport, String mountOptions) {
        this.transport = transport;
        this.mountOptions = mountOptions;
        try {
            String parent = System.getenv("OCTOFS_STATE_DIR");
            base = parent == null || parent.isEmpty()
                    ? Files.createTempDirectory("octofs-system-")
                    : Files.createTempDirectory(Files.createDirectories(Path.of(parent)), "octofs-system-");
            // Other users have to reach the mount.
            Files.setPosixFilePermissions(base, PosixFilePermissions.fromString("rwx--x--x"));
            state = base.resolve("state");
            mount = base.resolve("mount");
            mount2 = base.resolve("mount2");
            scratch = Files.createDirectory(base.resolve("scratch"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /**
     * Formats, starts and mounts; skips the test where that cannot be.
     *
     * @param poolSize per node, as {@code 256M}
     * @param transport auto, shm, tcp or verbs
     * @param mountOptions as after {@code -o}, may be empty
     */
    static SystemCluster up(int nodes, String poolSize, String transport, String mountOptions) {
        Octofs.requireUsable();
        SystemCluster cluster = new SystemCluster(transport, mountOptions);
        boolean complete = false;
        try {
            List<String> arguments = new ArrayList<>(List.of(
                    "up", "--nodes", Integer.toString(nodes), "--pool-size", poolSize, "--transport", transport));
            cluster.addMountOptions(arguments);
            arguments.addAll(List.of("--mount", cluster.mount.toString()));
            cluster.dev(arguments.toArray(String[]::new)).succeeded();
            cluster.map().nodes().forEach(node -> cluster.pools.add(node.pool()));
            complete = true;
            return cluster;
        } finally {
            if (!complete) {
                cluster.close();
            }
        }
    }

    /** Where it is mounted. */
    Path mount() {
        return mount;
    }

    /** Where {@link #addMount2} mounts. */
    Path mount2() {
        return mount2;
    }

    /** A folder outside of the mounts; goes with the cluster. */
    Path scratch() {
        return scratch;
    }

    Path state() {
        return state;
    }

    Path clusterFile() {
        return state.resolve("cluster.properties");
    }

    ClusterMap map() {
        try {
            return ClusterFile.read(clusterFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Mounts a second time, by another process. */
    Path addMount2() {
        mountAt(mount2);
        return mount2;
    }

    /** Mounts by another process, also where a mount was before. */
    void mountAt(Path where) {
        List<String> arguments = new ArrayList<>(List.of("mount", "--transport", transport));
        addMountOptions(arguments);
        arguments.add(where.toString());
        dev(arguments.toArray(String[]::new)).succeeded();
    }

    /** SIGKILL of a server. */
    void kill(int node) {
        dev("kill", "--node", Integer.toString(node)).succeeded();
    }

    /** Starts a server again; it serves when this returns. */
    void start(int node) {
        dev("start", "--node", Integer.toString(node), "--transport", transport).succeeded();
    }

    /** SIGKILL of a server at this very moment. */
    void killNow(int node) {
        killPid(serverPid(node));
    }

    /** SIGKILL of a mount, counted in the order in which they were made. Its watchdog takes the dead mount away. */
    void killMountNow(int index) {
        killPid(mountPid(index));
    }

    /** SIGKILL of all mounts that {@code dev} knows. */
    void killMountsNow() throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(state, "mount-*.pid")) {
            for (Path file : files) {
                killPid(pid(file.getFileName().toString().replace(".pid", "")));
            }
        }
    }

    private static void killPid(long pid) {
        ProcessHandle.of(pid).ifPresent(process -> {
            process.destroyForcibly();
            process.onExit().join();
        });
    }

    /** What {@code octofs fsck} says about the stopped servers' pools, data included; fails unless it finds nothing wrong. */
    String checkPools() {
        return Octofs.run("fsck", "--data", "--state", state.toString())
                .succeeded()
                .output();
    }

    /** {@code octofs dev arguments} for this cluster. */
    Shell.Result dev(String... arguments) {
        List<String> all = new ArrayList<>(List.of("dev"));
        all.addAll(List.of(arguments));
        all.addAll(List.of("--state", state.toString()));
        return Octofs.run(all.toArray(String[]::new));
    }

    /** Process of a server. */
    long serverPid(int node) {
        return pid("node-" + node);
    }

    /** Process of a mount, counted in the order in which they were made. */
    long mountPid(int index) {
        return pid("mount-" + index);
    }

    private long pid(String name) {
        try {
            return Long.parseLong(
                    Files.readString(state.resolve(name + ".pid")).strip().split(" ", -1)[0]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void addMountOptions(List<String> arguments) {
        if (!mountOptions.isEmpty()) {
            arguments.addAll(List.of("-o", mountOptions));
        }
    }

    /** Takes it down and looks for what is left. */
    void down() {
        if (!closed) {
            closed = true;
            Runtime.getRuntime().removeShutdownHook(hook);
            remove();
        }
    }

    @Override
    public void close() {
        down();
    }

    private void remove() {
        List<String> left = new ArrayList<>();
        try {
            if (Files.exists(clusterFile())) {
                keepLogs();
                Shell.Result down = dev("down");
                if (down.code() != 0) {
                    left.add("'dev down' ended with " + down.code() + ": " + down.output());
                }
            }
            left.addAll(Leftovers.remove(base, pools));
            if (Files.exists(state, LinkOption.NOFOLLOW_LINKS)) {
                left.add("the state folder");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            removeBase();
        }
        assertThat(left).as("left by the cluster").isEmpty();
    }

    private void keepLogs() throws IOException {
        Path kept = Files.createDirectories(
                Path.of("target", "system-logs", base.getFileName().toString()));
        try (DirectoryStream<Path> logs = Files.newDirectoryStream(state, "*.log")) {
            for (Path log : logs) {
                Files.copy(log, kept.resolve(log.getFileName()));
            }
        }
    }

    /** If the JVM is ended in the middle of a test. */
    private void removeAtEnd() {
        if (Files.exists(clusterFile())) {
            dev("down");
        }
        removeBase();
    }

    /** Below it nothing is mounted any more; if something is, it is left alone. */
    private void removeBase() {
        Shell.run(new ProcessBuilder("rm", "-rf", "--one-file-system", base.toString()), "rm", Leftovers.PATIENCE);
    }
}
