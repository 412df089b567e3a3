package org.octofs.tests.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Processes that wait for a server that is away can be killed, and what they waited for does not stay behind. */
@Timeout(value = 4, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KilledCallerTest {
    /** Far less than the time-out of a call. */
    private static final Duration AT_ONCE = Duration.ofSeconds(10);

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final long POLL_MILLIS = 20;

    private final List<Process> processes = new ArrayList<>();
    private SystemCluster cluster;
    private Path mount;

    @BeforeEach
    void up() {
        Shell.requirePrograms("bash", "cat", "ls", "mkdir", "stat", "touch");
        cluster = SystemCluster.up(1, "64M", "auto", "binding=kernel");
        mount = cluster.mount();
    }

    @AfterEach
    void down() {
        processes.forEach(Process::destroyForcibly);
        if (cluster != null) {
            cluster.close();
        }
    }

    @Test
    void whoWaitsForAServerEndsAtOnceWhenKilled() throws Exception {
        Files.writeString(mount.resolve("file"), "content\n");
        Files.createDirectory(mount.resolve("folder"));
        Process writer = start("exec 3>> $1/file; echo more >&3; echo ready; read x");
        assertThat(writer.inputReader().readLine()).isEqualTo("ready");
        cluster.kill(0);
        List<Process> waiting = List.of(
                start("exec cat $1/file"),
                start("exec stat $1/file"),
                start("exec ls $1/folder"),
                start("exec touch $1/new"),
                start("exec mkdir $1/new-folder"));
        for (Process process : waiting) {
            awaitWaiting(process);
            process.destroyForcibly();
        }
        writer.destroyForcibly();
        for (Process process : waiting) {
            assertThat(process.waitFor(AT_ONCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
        assertThat(writer.waitFor(AT_ONCE.toSeconds(), TimeUnit.SECONDS))
                .as("its close waits too")
                .isTrue();
        cluster.start(0);
        await("what was written is there", () -> content("file").equals("content\nmore\n"));
    }

    private Process start(String script) throws IOException {
        Process process = new ProcessBuilder("bash", "-c", script, "-", mount.toString())
                .redirectErrorStream(true)
                .start();
        processes.add(process);
        return process;
    }

    /** Until it waits for an answer of the mount, and has been seen to. */
    private static void awaitWaiting(Process process) throws Exception {
        Path channel = Path.of("/proc", Long.toString(process.pid()), "wchan");
        await("process " + process.pid() + " waits for the mount", () -> {
            try {
                return Files.readString(channel).contains("request_wait_answer");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private static void await(String what, BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(end);
            Thread.sleep(POLL_MILLIS);
        }
    }

    private String content(String name) {
        try {
            return Files.readString(mount.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
