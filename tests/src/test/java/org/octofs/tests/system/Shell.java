package org.octofs.tests.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs other programs; none outlives its deadline. */
final class Shell {
    private static final int SHOWN_CHARS = 3000;

    private Shell() {}

    /** How a program ended. */
    record Result(String what, int code, String output) {
        /** Fails the test unless the exit code is 0. */
        Result succeeded() {
            assertThat(code).as("%s%n%s", what, tail()).isZero();
            return this;
        }

        /** Fails the test unless it ended by itself with another exit code than 0, in words for the user. */
        Result refused() {
            // From 128 on it is a signal.
            assertThat(code).as("%s%n%s", what, tail()).isBetween(1, 127);
            assertThat(output).as(what).isNotBlank().doesNotContain("\tat ").doesNotContain("Exception");
            return this;
        }

        String line() {
            return output.strip();
        }

        private String tail() {
            return output.length() <= SHOWN_CHARS ? output : output.substring(output.length() - SHOWN_CHARS);
        }
    }

    /** Fails the test if one of these is not installed. */
    static void requirePrograms(String... names) {
        for (String name : names) {
            boolean found = Stream.of(System.getenv("PATH").split(":", -1))
                    .anyMatch(folder -> Files.isExecutable(Path.of(folder, name)));
            assertThat(found).as("%s is installed", name).isTrue();
        }
    }

    /**
     * Begins every script: {@code not COMMAND} must fail. Bash does not stop at {@code ! COMMAND}, whatever comes of it.
     */
    static final String PRELUDE = "not() { if \"$@\"; then echo \"this must fail: $*\"; return 1; fi; }\n";

    /** Runs a script with bash, which stops at the first failure. {@code $1}, {@code $2} ... are the arguments. */
    static Result bash(Path directory, Duration patience, String script, Object... arguments) {
        ProcessBuilder builder = new ProcessBuilder(Stream.concat(
                        Stream.of("bash", "-euc", PRELUDE + script, "script"),
                        Stream.of(arguments).map(Object::toString))
                .toList());
        builder.directory(directory.toFile());
        // No settings of whoever runs the tests.
        builder.environment().put("HOME", "/nonexistent");
        builder.environment().put("LC_ALL", "C.UTF-8");
        builder.environment().put("GIT_CONFIG_NOSYSTEM", "1");
        builder.environment().keySet().removeAll(List.of("MAKEFLAGS", "CFLAGS", "RSYNC_RSH"));
        return run(builder, script, patience);
    }

    /** Runs a program with nothing to read; its errors are part of the output. */
    static Result run(ProcessBuilder builder, String what, Duration patience) {
        try {
            // To a file: a child that stays in the background does not keep the reader waiting.
            Path output = Files.createTempFile("octofs-system-", ".out");
            try {
                builder.redirectErrorStream(true);
                builder.redirectOutput(output.toFile());
                builder.redirectInput(Path.of("/dev/null").toFile());
                Process process = builder.start();
                boolean done = process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS);
                if (!done) {
                    endTree(process);
                }
                String text = Files.readString(output, StandardCharsets.ISO_8859_1);
                if (!done) {
                    throw new AssertionError("not done in " + patience.toSeconds() + " s: " + what + "\n" + text);
                }
                return new Result(what, process.exitValue(), text);
            } finally {
                Files.deleteIfExists(output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted: " + what, e);
        }
    }

    private static void endTree(Process process) {
        process.descendants().toList().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
