package org.octofs.fuse.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.octofs.client.mounts.MountTable;

/** Life and end of a mount process, as a process. */
@Timeout(90)
class MountProcessTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private Path directory;
    private Process process;

    @BeforeEach
    void makeDirectory() throws IOException {
        directory = Files.createTempDirectory("octofs-mount").toRealPath();
    }

    @AfterEach
    void leaveNothing() throws IOException, InterruptedException {
        if (process != null) {
            process.destroyForcibly().waitFor();
        }
        while (isMounted()) {
            MountTable.unmount(directory, true);
        }
        Files.delete(directory);
    }

    private boolean isMounted() {
        try {
            return MountTable.find(directory).isPresent();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void mount() throws IOException {
        process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-Dlogback.configurationFile=" + System.getProperty("logback.configurationFile"),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "org.octofs.fuse.mount.MemoryMountMain",
                        directory.toString()))
                .redirectErrorStream(true)
                .start();
        // In this order: a directory of before the mount is then not taken for the mounted one.
        await(() -> Files.isDirectory(directory) && isMounted(), "mounted");
    }

    private void await(BooleanSupplier condition, String what) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("not %s in %s", what, PATIENCE).isLessThan(end);
            Thread.onSpinWait();
            assertThat(process.isAlive() || !what.equals("mounted"))
                    .as("the process ended")
                    .isTrue();
        }
    }

    private String saidUntilEnd() throws IOException, InterruptedException {
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        return said;
    }

    /** SIGTERM; Process.destroy would close the pipes as well. */
    private void askToEnd() {
        assertThat(process.toHandle().destroy()).isTrue();
    }

    private static Process shell(String command) throws IOException {
        return new ProcessBuilder("sh", "-c", command).redirectErrorStream(true).start();
    }

    @Test
    void aTermSignalUnmountsAndCloses() throws Exception {
        mount();
        Files.writeString(directory.resolve("f"), "x");
        askToEnd();
        assertThat(saidUntilEnd()).contains("closed");
        assertThat(isMounted()).isFalse();
    }

    @Test
    void aTermSignalEndsAMountInUse() throws Exception {
        mount();
        Process user = shell("cd " + directory + " && echo there && read x");
        assertThat(user.inputReader(StandardCharsets.UTF_8).readLine()).isEqualTo("there");
        askToEnd();
        assertThat(saidUntilEnd()).contains("in use").contains("closed");
        assertThat(isMounted()).isFalse();
        user.destroyForcibly().waitFor();
    }

    @Test
    void anUnmountEndsTheProcess() throws Exception {
        mount();
        MountTable.unmount(directory, false);
        assertThat(saidUntilEnd()).isEqualToIgnoringWhitespace("closed");
        assertThat(process.exitValue()).isZero();
    }

    @Test
    void aKilledProcessLeavesNoDeadMount() throws Exception {
        mount();
        process.destroyForcibly().waitFor();
        await(() -> !isMounted(), "unmounted by the watchdog");
        assertThat(Files.isDirectory(directory)).isTrue();
    }

    @Test
    void aDeadMountIsTakenAwayBeforeTheNext() throws Exception {
        mount();
        // With its watchdog, which would do it.
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor();
        assertThat(isMounted()).isTrue();
        assertThat(Files.isDirectory(directory)).as("dead").isFalse();
        mount();
        Files.writeString(directory.resolve("f"), "alive");
        assertThat(directory.resolve("f")).hasContent("alive");
    }

    @Test
    void aLivingMountIsNotMountedOver() throws Exception {
        mount();
        assertThatThrownBy(() -> MountPoint.prepare(directory, true))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("mounted already");
    }

    @Test
    void withoutTheDeviceItSaysWhatToDo() throws Exception {
        Path device = directory.resolve("fuse");
        assertThatThrownBy(() -> MountPoint.requireDevice(device)).hasMessageContaining("modprobe fuse");
        Files.createFile(device);
        MountPoint.requireDevice(device);
        Files.delete(device);
    }

    @Test
    void whatIsNoMountPointIsRefused() throws Exception {
        Path file = Files.createFile(directory.resolve("file"));
        assertThatThrownBy(() -> MountPoint.prepare(directory, false)).hasMessageContaining("not empty");
        assertThatThrownBy(() -> MountPoint.prepare(file, false)).hasMessageContaining("not a directory");
        assertThatThrownBy(() -> MountPoint.prepare(directory.resolve("none"), false))
                .hasMessageContaining("mkdir -p");
        assertThatThrownBy(() -> MountPoint.resolve(directory.resolve("none/below")))
                .hasMessageContaining("mkdir -p");
        MountPoint.prepare(directory, true);
        Files.delete(file);
        MountPoint.prepare(directory, false);
    }
}
