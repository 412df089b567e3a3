package org.octofs.fuse.memory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.octofs.client.mounts.MountTable;
import org.octofs.fuse.fuse.FuseBinding;
import org.octofs.fuse.fuse.FuseOperations;
import org.octofs.fuse.fuse.MountParameters;

/** A mount for one test: on a new directory, served by own threads, and gone after {@link #close} whatever happened. */
public final class MountedMemory implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Path directory;
    private final FuseBinding binding;
    private final Thread server;
    private final List<Process> started = new CopyOnWriteArrayList<>();

    public MountedMemory(Supplier<FuseBinding> bindings, FuseOperations operations, int threads) throws IOException {
        directory = Files.createTempDirectory("octofs-mount").toRealPath();
        binding = bindings.get();
        MountParameters usual = MountParameters.of(directory, "memory");
        try {
            binding.mount(
                    new MountParameters(
                            directory,
                            "memory",
                            false,
                            true,
                            usual.flags(),
                            usual.maxReadBytes(),
                            usual.maxWriteBytes(),
                            threads,
                            false),
                    operations);
        } catch (IOException e) {
            Files.delete(directory);
            throw e;
        }
        server = Thread.ofPlatform().daemon().name("test-mount").start(() -> {
            try {
                binding.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    public Path directory() {
        return directory;
    }

    public FuseBinding binding() {
        return binding;
    }

    /** Waits until the mount has ended by itself; false if it does not. */
    public boolean awaitEnd() throws InterruptedException {
        return server.join(PATIENCE);
    }

    /** Runs a shell command in the mounted directory; answers what it prints, with its exit code if that is not 0. */
    public String shell(String command) throws IOException, InterruptedException {
        Process process = start(command);
        try (var output = process.getInputStream()) {
            String said = new String(output.readAllBytes(), StandardCharsets.ISO_8859_1).strip();
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new IOException("not done in " + PATIENCE + ": " + command);
            }
            return process.exitValue() == 0 ? said : (said + " [exit " + process.exitValue() + "]").strip();
        } finally {
            process.destroyForcibly();
        }
    }

    /** Starts one without waiting. */
    public Process start(String command) throws IOException {
        Process process = new ProcessBuilder("bash", "-c", "cd '" + directory + "' && " + command)
                .redirectErrorStream(true)
                .start();
        started.add(process);
        return process;
    }

    private boolean endsInTime() {
        try {
            return awaitEnd();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        started.forEach(Process::destroyForcibly);
        try {
            if (MountTable.find(directory).isPresent()) {
                binding.unmount(true);
            }
            if (!endsInTime()) {
                throw new IllegalStateException(directory + " is unmounted, but its threads do not end");
            }
            binding.close();
        } finally {
            Files.delete(directory);
        }
    }
}
