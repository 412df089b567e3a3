package org.octofs.tests.system;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** CPU time that a process has used, to the nanosecond: what its threads have run, of those that are alive. */
final class CpuTime {
    private CpuTime() {}

    static Duration of(long pid) throws IOException {
        long nanos = 0;
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc", Long.toString(pid), "task"))) {
            for (Path task : tasks) {
                nanos += ofThread(task);
            }
        }
        return Duration.ofNanos(nanos);
    }

    private static long ofThread(Path task) throws IOException {
        try {
            return Long.parseLong(Files.readString(task.resolve("schedstat")).split(" ", -1)[0]);
        } catch (IOException e) {
            if (Files.exists(task)) {
                throw e;
            }
            // The thread has ended meanwhile.
            return 0;
        }
    }
}
