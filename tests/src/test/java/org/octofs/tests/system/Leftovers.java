package org.octofs.tests.system;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Finds and removes what a cluster should have taken away itself. */
final class Leftovers {
    static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int POLL_MILLIS = 20;

    private Leftovers() {}

    /** Removes mounts below {@code base}, processes that name it, and pools; says in words what there was. */
    static List<String> remove(Path base, List<Path> pools) throws IOException {
        List<String> left = new ArrayList<>();
        for (String where : mountsBelow(base)) {
            left.add("a mount at " + where);
            Shell.run(new ProcessBuilder("umount", "-l", where), "umount", PATIENCE);
        }
        // A mount's watchdog ends a moment after it.
        for (long pid : awaitNone(base)) {
            left.add("process " + pid + ": " + commandLine(pid));
            ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
        }
        for (Path pool : pools) {
            if (Files.deleteIfExists(pool)) {
                left.add("the pool " + pool);
            }
        }
        return left;
    }

    /** Mount points below a folder, dead ones too. */
    static List<String> mountsBelow(Path base) throws IOException {
        List<String> found = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of("/proc/self/mountinfo"), StandardCharsets.ISO_8859_1)) {
            String where = line.split(" ", -1)[4];
            if (where.startsWith(base + "/")) {
                found.add(where);
            }
        }
        return found;
    }

    /** Other processes that have {@code path} in their command line. */
    static List<Long> processesNaming(Path path) throws IOException {
        List<Long> found = new ArrayList<>();
        long self = ProcessHandle.current().pid();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path entry : entries) {
                long pid = Long.parseLong(entry.getFileName().toString());
                if (pid != self && commandLine(pid).contains(path.toString())) {
                    found.add(pid);
                }
            }
        }
        return found;
    }

    private static List<Long> awaitNone(Path base) throws IOException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        List<Long> left = processesNaming(base);
        while (!left.isEmpty() && System.nanoTime() - deadline < 0) {
            pause();
            left = processesNaming(base);
        }
        return left;
    }

    static void pause() {
        try {
            Thread.sleep(POLL_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    /** With blanks between the arguments; empty if there is no such process. */
    static String commandLine(long pid) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(pid), "cmdline"), StandardCharsets.ISO_8859_1)
                    .replace('\0', ' ');
        } catch (IOException e) {
            // Gone meanwhile.
            return "";
        }
    }
}
