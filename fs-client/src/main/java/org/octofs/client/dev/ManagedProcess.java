package org.octofs.client.dev;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A background process known by its pid file. The file carries the process's start time besides its pid, so that a pid
 * that the system gave to somebody else is never signalled.
 */
final class ManagedProcess {
    private static final Duration POLL = Duration.ofMillis(20);
    private static final int LOG_TAIL_LINES = 15;

    private final String name;
    private final Path pidFile;
    private final Path log;

    ManagedProcess(String name, Path pidFile, Path log) {
        this.name = name;
        this.pidFile = pidFile;
        this.log = log;
    }

    String name() {
        return name;
    }

    Path log() {
        return log;
    }

    /** Starts {@code command} in a session of its own, so that the terminal's Ctrl-C does not reach it. */
    void start(List<String> command) throws IOException {
        List<String> detached = new ArrayList<>(List.of("setsid"));
        detached.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(detached);
        builder.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.redirectErrorStream(true);
        // setsid replaces itself by the command without a fork, since a child of ours is no group leader.
        long pid = builder.start().pid();
        Files.writeString(pidFile, pid + " " + startTime(pid).orElse("0") + "\n");
    }

    boolean isAlive() throws IOException {
        return pid().isPresent();
    }

    /** Its pid if it is alive. */
    Optional<Long> pid() throws IOException {
        String[] fields;
        try {
            fields = Files.readString(pidFile).strip().split(" ", -1);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
        if (fields.length != 2 || !fields[0].matches("\\d+")) {
            throw new IOException(pidFile + " is damaged; end the process of " + name + " by hand and remove the file");
        }
        long pid = Long.parseLong(fields[0]);
        return startTime(pid).filter(fields[1]::equals).map(t -> pid);
    }

    /** Asks it to end, kills it after {@code patience}; done when it is gone. */
    void stop(Duration patience) throws IOException {
        signal("TERM");
        if (!awaitEnd(patience)) {
            kill();
        }
        Files.deleteIfExists(pidFile);
    }

    /** SIGKILL, and waits until it is gone. */
    void kill() throws IOException {
        signal("KILL");
        if (!awaitEnd(Duration.ofSeconds(20))) {
            throw new IOException(name + " (pid " + pid().orElse(0L) + ") does not end, not even by SIGKILL");
        }
    }

    /** The last lines of its log, for an error message. */
    String logTail() throws IOException {
        List<String> tail = lastLines();
        return tail.isEmpty() ? "" : "\n  " + String.join("\n  ", tail);
    }

    /** Why it ended, if it is a process of octofs. */
    String lastWords() throws IOException {
        return OctofsProcess.lastWords(lastLines(), log);
    }

    private List<String> lastLines() throws IOException {
        if (!Files.exists(log)) {
            return List.of();
        }
        List<String> lines = Files.readAllLines(log, StandardCharsets.ISO_8859_1);
        return lines.subList(Math.max(0, lines.size() - LOG_TAIL_LINES), lines.size());
    }

    private void signal(String signal) throws IOException {
        Optional<Long> pid = pid();
        if (pid.isPresent()) {
            Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(pid.get()))
                    .redirectErrorStream(true)
                    .start();
            try {
                kill.waitFor();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while ending " + name, e);
            }
        }
    }

    private boolean awaitEnd(Duration patience) throws IOException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (isAlive()) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            Pause.of(POLL);
        }
        return true;
    }

    /** Field 22 of /proc/PID/stat; empty if there is no such process or it is a zombie. See proc(5). */
    private static Optional<String> startTime(long pid) throws IOException {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
            // The command's name is in parentheses and may contain anything; the state is the first field after it.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return fields[0].equals("Z") || fields[0].equals("X") ? Optional.empty() : Optional.of(fields[19]);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            // The process went away between open and read (ESRCH).
            if (Files.exists(Path.of("/proc/" + pid))) {
                throw e;
            }
            return Optional.empty();
        }
    }
}
