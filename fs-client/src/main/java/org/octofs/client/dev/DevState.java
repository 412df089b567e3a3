package org.octofs.client.dev;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.octofs.rpc.cluster.ClusterChoice;

/**
 * The folder that describes one development cluster: its cluster file, the pid files and logs of its processes, and
 * where its mounts are. Two clusters with different folders never touch each other: pool names carry a hash of the path.
 */
final class DevState {
    private static final String MADE = "made";

    private final Path folder;
    private final Path poolFolder;

    DevState(Path folder, Path poolFolder) {
        this.folder = folder.toAbsolutePath().normalize();
        this.poolFolder = poolFolder;
    }

    /** The folder if none is given: $OCTOFS_STATE_DIR/dev, else one in the temporary directory for this user. */
    static Path defaultFolder() {
        String parent = System.getenv("OCTOFS_STATE_DIR");
        if (parent != null && !parent.isEmpty()) {
            return Path.of(parent, "dev");
        }
        return Path.of(System.getProperty("java.io.tmpdir"), "octofs-dev-" + System.getProperty("user.name"));
    }

    Path folder() {
        return folder;
    }

    boolean exists() {
        return Files.exists(clusterFile());
    }

    void create() throws IOException {
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
    }

    Path clusterFile() {
        return folder.resolve(ClusterChoice.DEV_CLUSTER_FILE);
    }

    Path pool(int node) {
        CRC32C hash = new CRC32C();
        hash.update(folder.toString().getBytes(StandardCharsets.UTF_8));
        return poolFolder.resolve("octofs-dev-%08x-%d.pool".formatted(hash.getValue(), node));
    }

    ManagedProcess node(int node) {
        return new ManagedProcess("node " + node, folder.resolve("node-" + node + ".pid"), nodeLog(node));
    }

    Path nodeLog(int node) {
        return folder.resolve("node-" + node + ".log");
    }

    ManagedProcess mount(int index) {
        return new ManagedProcess("mount " + index, mountPid(index), mountLog(index));
    }

    /** Where the mount of this index is, or was last. */
    Path mountDirectory(int index) throws IOException {
        return Path.of(Files.readAllLines(mountFile(index)).getFirst());
    }

    /** Whether the mount point was made for the mount, and goes with it. */
    boolean isMountPointOurs(int index) throws IOException {
        return Files.readAllLines(mountFile(index)).contains(MADE);
    }

    void recordMount(int index, Path directory, boolean made) throws IOException {
        Files.writeString(mountFile(index), directory + "\n" + (made ? MADE + "\n" : ""));
    }

    /** Once it has ended; its log stays. */
    void forgetMount(int index) throws IOException {
        Files.deleteIfExists(mountFile(index));
        Files.deleteIfExists(mountAnnouncement(index));
    }

    /** Everything about a mount whose process is dead. */
    void removeMount(int index) throws IOException {
        forgetMount(index);
        Files.deleteIfExists(mountPid(index));
        Files.deleteIfExists(mountLog(index));
    }

    /** Where its process says what it has mounted, once it has. */
    Path mountAnnouncement(int index) {
        return folder.resolve("mount-" + index + ".up");
    }

    /** Indexes of the recorded mounts, in order. */
    List<Integer> mounts() throws IOException {
        List<Integer> found = new ArrayList<>();
        if (Files.isDirectory(folder)) {
            try (Stream<Path> files = Files.list(folder)) {
                files.map(f -> f.getFileName().toString())
                        .filter(n -> n.matches("mount-\\d+\\.dir"))
                        .map(n -> Integer.valueOf(n.substring("mount-".length(), n.length() - ".dir".length())))
                        .sorted()
                        .forEach(found::add);
            }
        }
        return found;
    }

    /** Removes everything this state wrote, pools included. */
    void remove(int nodes) throws IOException {
        for (int node = 0; node < nodes; node++) {
            Files.deleteIfExists(pool(node));
        }
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                if (file.getFileName()
                        .toString()
                        .matches("(node|mount)-\\d+\\.(pid|log|dir|up|up\\.new)|cluster\\.properties")) {
                    Files.delete(file);
                }
            }
        }
        try (Stream<Path> rest = Files.list(folder)) {
            if (rest.findAny().isPresent()) {
                return;
            }
        }
        Files.delete(folder);
    }

    private Path mountPid(int index) {
        return folder.resolve("mount-" + index + ".pid");
    }

    private Path mountLog(int index) {
        return folder.resolve("mount-" + index + ".log");
    }

    private Path mountFile(int index) {
        return folder.resolve("mount-" + index + ".dir");
    }
}
