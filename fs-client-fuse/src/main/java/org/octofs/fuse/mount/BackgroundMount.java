package org.octofs.fuse.mount;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.octofs.client.dev.OctofsProcess;
import org.octofs.client.mounts.MountAnnouncement;

/** Starts the mount as a process of its own and waits until it is there, or it has failed and said why. */
final class BackgroundMount {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int POLL_MILLIS = 20;
    private static final int SHOWN_BYTES = 4096;

    private BackgroundMount() {}

    /** Where the mount's messages go unless the user says: a folder of the system for root, else one of the user. */
    static Path defaultLog(Path directory) {
        String name = "mount" + directory.toString().replace('/', '-') + ".log";
        if (System.getProperty("user.name", "").equals("root")) {
            return Path.of("/var/log/octofs", name);
        }
        String state = System.getenv("XDG_STATE_HOME");
        Path base = state == null || state.isBlank()
                ? Path.of(System.getProperty("user.home"), ".local", "state")
                : Path.of(state);
        return base.resolve("octofs").resolve(name);
    }

    /**
     * Starts {@code octofs arguments}, which must mount on {@code directory}.
     *
     * @return its words once it is mounted, which say by which binding and why
     * @throws IOException with the process's own words if it ends instead
     */
    static String start(Path directory, List<String> arguments, Path log) throws IOException, InterruptedException {
        Path folder = log.toAbsolutePath().getParent();
        Files.createDirectories(folder);
        Path announcement = Files.createTempFile("octofs-mount-", ".up");
        try {
            return start(directory, arguments, log, announcement);
        } finally {
            Files.deleteIfExists(announcement);
        }
    }

    private static String start(Path directory, List<String> arguments, Path log, Path announcement)
            throws IOException, InterruptedException {
        long logStart = Files.exists(log) ? Files.size(log) : 0;
        List<String> command = new ArrayList<>(List.of("setsid"));
        command.addAll(OctofsProcess.command(arguments.toArray(String[]::new)));
        command.addAll(List.of("--announce", announcement.toString()));
        Process process = new ProcessBuilder(command)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .redirectErrorStream(true)
                .start();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() - deadline < 0) {
            Optional<MountAnnouncement> mounted = MountAnnouncement.served(announcement, directory);
            if (mounted.isPresent()) {
                return mounted.get().words();
            }
            if (process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
                throw new IOException("cannot mount " + directory + ": "
                        + OctofsProcess.lastWords(since(log, logStart).lines().toList(), log));
            }
        }
        process.destroy();
        throw new IOException("cannot mount " + directory + ": not done in " + PATIENCE.toSeconds() + " s; see " + log);
    }

    private static String since(Path log, long start) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            long from = Math.max(start, file.length() - SHOWN_BYTES);
            file.seek(from);
            byte[] bytes = new byte[(int) (file.length() - from)];
            file.readFully(bytes);
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }
}
