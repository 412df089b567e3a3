package org.octofs.fuse.mount;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.octofs.fuse.fuse.MountTable;

/** Starts the mount as a process of its own and waits until it is there, or it has failed and said why. */
final class BackgroundMount {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int POLL_MILLIS = 20;
    private static final int SHOWN_BYTES = 4096;

    /** In lines of the log that tell of no trouble. */
    private static final String USUAL = " INFO  [";

    /** The log may be set to say less than that. */
    private static final int WORDS_POLLS = 50;

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
        long logStart = Files.exists(log) ? Files.size(log) : 0;
        List<String> command = new ArrayList<>(List.of(
                "setsid",
                Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add("org.octofs.client.cli.Octofs");
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .redirectErrorStream(true)
                .start();
        long attempts = PATIENCE.toMillis() / POLL_MILLIS;
        int patienceForWords = WORDS_POLLS;
        for (long i = 0; i < attempts; i++) {
            Optional<String> mounted = words(log, logStart);
            // It is in the mount table a moment before it serves and says so.
            if (isMounted(directory) && (mounted.isPresent() || --patienceForWords == 0)) {
                return mounted.orElse(directory + " is mounted; log: " + log);
            }
            if (process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
                throw new IOException("cannot mount " + directory + ":\n"
                        + since(log, logStart)
                                .lines()
                                .filter(line -> !line.contains(USUAL))
                                .collect(Collectors.joining("\n")));
            }
        }
        process.destroy();
        throw new IOException("cannot mount " + directory + ": not done in " + PATIENCE.toSeconds() + " s; see " + log);
    }

    private static Optional<String> words(Path log, long start) throws IOException {
        return Files.exists(log)
                ? since(log, start)
                        .lines()
                        .filter(line -> line.contains(MountProcess.MOUNTED))
                        .map(line -> line.substring(line.lastIndexOf(" /", line.indexOf(MountProcess.MOUNTED)) + 1))
                        .findFirst()
                : Optional.empty();
    }

    private static boolean isMounted(Path directory) throws IOException {
        return MountTable.find(directory).filter(MountTable.Entry::isOctoFs).isPresent();
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
