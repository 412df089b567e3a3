package org.octofs.tests.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What mount options do, by each binding, for root and for a user; and which binding is taken. */
@Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MountOptionsTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    /** "nobody": fusermount wants a user that has a name. */
    private static final int USER = 65534;

    private static final Path DEVICE = Path.of("/dev/fuse");

    @AutoClose
    private static SystemCluster cluster;

    private Path where;

    @BeforeAll
    static void up() throws IOException {
        cluster = SystemCluster.up(2, "64M", "auto", "allow_other");
        Path programs = Files.createDirectory(cluster.mount().resolve("programs"));
        Shell.bash(programs, PATIENCE, """
                cp /usr/bin/id id; cp id set-uid; chown 4244 set-uid; chmod 4755 set-uid
                mknod null c 1 3; chmod 666 null; echo content >file; touch -a -d 2001-01-01 file
                """).succeeded();
    }

    @BeforeEach
    void makeMountPoint() throws IOException {
        where = Files.createTempDirectory(cluster.scratch(), "mount");
        for (Path folder : List.of(where, cluster.scratch())) {
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }

    @AfterEach
    void unmount() throws IOException {
        if (Files.exists(where) && Leftovers.mountsBelow(cluster.scratch()).contains(where.toString())) {
            Octofs.run("umount", where.toString()).succeeded();
        }
    }

    private List<String> mountCommand(Path clusterFile, Path log, String options) {
        List<String> command =
                new ArrayList<>(List.of("mount", clusterFile.toString(), where.toString(), "--log", log.toString()));
        if (!options.isEmpty()) {
            command.addAll(List.of("-o", options));
        }
        return command;
    }

    /** Mounts as root; answers what it says. */
    private String mount(String options) {
        List<String> command =
                mountCommand(cluster.clusterFile(), cluster.scratch().resolve("log"), options);
        return Octofs.run(command.toArray(String[]::new)).succeeded().output();
    }

    private String tableLine() throws IOException {
        return Files.readAllLines(Path.of("/proc/mounts")).stream()
                .filter(line -> line.contains(" " + where + " "))
                .findFirst()
                .orElseThrow();
    }

    private String bash(String script) {
        return Shell.bash(where.resolve("programs"), PATIENCE, script)
                .succeeded()
                .line();
    }

    @Test
    void theKernelsProtocolIsTheDefaultAndTheMountSaysWhy() throws IOException {
        assertThat(mount("")).contains(where + " is mounted by binding kernel", "default");
        assertThat(tableLine()).startsWith("dev " + where + " fuse.octofs rw,nosuid,nodev,relatime");
        assertThat(where.resolve("programs/file")).hasContent("content\n");
        assertThat(Octofs.run("umount", where.toString()).succeeded().code()).isZero();
        assertThat(mount("binding=jnr")).contains(where + " is mounted by binding jnr", "as asked for");
    }

    @ParameterizedTest
    @ValueSource(strings = {"kernel", "jnr"})
    void flagsAreTheKernels(String binding) throws IOException {
        mount("allow_other,nosuid,nodev,noexec,noatime,default_permissions,max_read=65536,fsname=a name,binding="
                + binding);
        assertThat(tableLine())
                .startsWith("a\\040name " + where + " fuse.octofs rw,nosuid,nodev,noexec,noatime,")
                .contains("default_permissions", "allow_other", "max_read=65536");
        bash("""
                not ./id; not cat null; test "$(cat file)" = content
                test "$(stat -c %x file | cut -c1-10)" = 2001-01-01
                """);
    }

    @ParameterizedTest
    @ValueSource(strings = {"kernel", "jnr"})
    void whatIsForbiddenAboveWorksWithoutTheFlags(String binding) throws IOException {
        mount("allow_other,binding=" + binding);
        assertThat(tableLine()).contains(" fuse.octofs rw,relatime,");
        assertThat(bash("setpriv --reuid=4243 --regid=4243 --clear-groups ./set-uid -u"))
                .isEqualTo("4244");
        bash(
                "echo x >null; touch -a -d 2001-01-01 file; cat file; test \"$(stat -c %x file | cut -c1-10)\" != 2001-01-01");
        bash("touch -a -d 2001-01-01 file");
    }

    @ParameterizedTest
    @ValueSource(strings = {"kernel", "jnr"})
    void readOnlyIsReadOnlyAndPrivateIsPrivate(String binding) throws IOException {
        mount("ro,binding=" + binding);
        assertThat(tableLine()).contains(" fuse.octofs ro,nosuid,nodev,relatime");
        assertThat(Shell.bash(where, PATIENCE, "touch new").refused().output()).contains("Read-only file system");
        assertThat(Shell.bash(where, PATIENCE, "rm programs/file").refused().output())
                .contains("Read-only file system");
        assertThat(bash("./id -u")).isEqualTo("0");
        assertThat(Shell.bash(Path.of("/"), PATIENCE, "setpriv --reuid=4243 --regid=4243 --clear-groups ls " + where)
                        .refused()
                        .output())
                .contains("Permission denied");
    }

    @Test
    void whatIsNotHonouredIsRefusedInWords() {
        for (String option : List.of("strictatime", "sync", "context=x", "max_read=1", "user_xattr", "remount")) {
            List<String> command =
                    mountCommand(cluster.clusterFile(), cluster.scratch().resolve("log"), option);
            assertThat(Octofs.run(command.toArray(String[]::new)).refused().output())
                    .contains(option.split("=", -1)[0]);
        }
    }

    /** By fusermount, with what a user may: reaching the servers by tcp, since the pools are closed to him. */
    @ParameterizedTest
    @ValueSource(strings = {"", "binding=kernel", "binding=jnr"})
    void aUserMountsForHimself(String options) throws IOException {
        Set<PosixFilePermission> before = Files.getPosixFilePermissions(DEVICE);
        try (Visit user = new Visit()) {
            chmodDevice("rw-------");
            assertThat(user.octofs(user.mountCommand(options)).refused().output())
                    .contains("may not open /dev/fuse", "chmod 666");
            // As the packages of libfuse leave it.
            chmodDevice("rw-rw-rw-");
            Shell.requirePrograms("fusermount");
            assertThat(user.octofs(user.mountCommand(options)).succeeded().output())
                    .contains("is mounted by binding " + (options.endsWith("jnr") ? "jnr" : "kernel"));
            assertThat(tableLine()).contains("nosuid,nodev", "user_id=" + USER);
            user.bash("cat programs/file; not mkdir mine; not touch programs/new");
            Files.createDirectory(cluster.mount().resolve("of-user"));
            Shell.run(new ProcessBuilder("chown", USER + ":" + USER, cluster.mount() + "/of-user"), "chown", PATIENCE)
                    .succeeded();
            user.bash("echo mine >of-user/file; test $(stat -c %u of-user/file) = " + USER);
            assertThat(cluster.mount().resolve("of-user/file")).hasContent("mine\n");
            assertThat(Shell.run(new ProcessBuilder("ls", where.toString()), "ls", PATIENCE)
                            .refused()
                            .output())
                    .as("root is another user")
                    .contains("Permission denied");
            user.octofs(List.of("umount", where.toString())).succeeded();
            assertThat(Leftovers.mountsBelow(cluster.scratch())).doesNotContain(where.toString());
            user.bash("not ls " + where + "/programs");
            assertThat(user.octofs(user.mountCommand("suid")).refused().output())
                    .contains("only root may mount with 'suid'");
        } finally {
            Files.setPosixFilePermissions(DEVICE, before);
            Shell.bash(cluster.mount(), PATIENCE, "rm -rf of-user").succeeded();
        }
    }

    private static void chmodDevice(String permissions) throws IOException {
        Files.setPosixFilePermissions(DEVICE, PosixFilePermissions.fromString(permissions));
    }

    /** Another user, with a home and a cluster file of his own. */
    private final class Visit implements AutoCloseable {
        private final Path home;
        private final Path clusterFile;

        Visit() throws IOException {
            home = Files.createTempDirectory("octofs-user-");
            clusterFile = Files.copy(cluster.clusterFile(), home.resolve("cluster"));
            Files.setPosixFilePermissions(clusterFile, PosixFilePermissions.fromString("rw-r--r--"));
            // The jars may be in a folder that he cannot reach.
            Shell.run(new ProcessBuilder("cp", "-r", Octofs.LIB.toString(), home + "/lib"), "cp", PATIENCE)
                    .succeeded();
            Shell.run(
                            new ProcessBuilder("chown", "-R", USER + ":" + USER, home.toString(), where.toString()),
                            "chown",
                            PATIENCE)
                    .succeeded();
        }

        private List<String> mountCommand(String options) {
            return MountOptionsTest.this.mountCommand(clusterFile, home.resolve("log"), options);
        }

        private Shell.Result run(List<String> command) {
            List<String> all = new ArrayList<>(
                    List.of("setpriv", "--reuid=" + USER, "--regid=" + USER, "--clear-groups", "env", "HOME=" + home));
            all.addAll(command);
            ProcessBuilder builder = new ProcessBuilder(all).directory(home.toFile());
            return Shell.run(builder, String.join(" ", command), PATIENCE);
        }

        Shell.Result octofs(List<String> arguments) {
            return run(Octofs.process(arguments).command().stream()
                    .map(word -> word.replace(Octofs.LIB.toString(), home + "/lib"))
                    .toList());
        }

        void bash(String script) {
            run(List.of("bash", "-euc", Shell.PRELUDE + "cd " + where + "\n" + script))
                    .succeeded();
        }

        @Override
        public void close() throws IOException {
            Shell.run(new ProcessBuilder("rm", "-rf", home.toString()), "rm", PATIENCE)
                    .succeeded();
        }
    }
}
