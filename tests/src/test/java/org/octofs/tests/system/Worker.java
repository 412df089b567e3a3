package org.octofs.tests.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Somebody who works on a mount, step after step, whatever happens to it, and writes down (outside of it) which steps have
 * succeeded. A step that fails is tried again until it succeeds.
 *
 * <p>A bash process of its own: a process that starts others closes its files in the child, which may wait for the file system.
 */
final class Worker implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final String name;
    private final Path work;
    private final Path acknowledged;
    private final Path stop;
    private final Path log;
    private final Process process;

    /**
     * Starts working.
     *
     * @param work folder of its own in the mount; made here. Only entered later: while nothing is mounted, it does not exist
     * @param scratch outside of the mount
     * @param step bash, in that folder; {@code $i} is the number of the step, from 0. It may find traces of an earlier attempt
     *     that failed at any point
     * @param repair bash; what a user would do after a failure, may be empty
     */
    Worker(String name, Path work, Path scratch, String step, String repair) throws IOException {
        this.name = name;
        this.work = Files.createDirectory(work);
        this.acknowledged = Files.createFile(scratch.resolve(name + ".acknowledged"));
        this.stop = scratch.resolve(name + ".stop");
        this.log = scratch.resolve(name + ".log");
        String script = """
                work=$1; acknowledged=$2; stop=$3; i=0
                step() { set -e; cd "$work"; %s
                }
                repair() { set -e; cd "$work"; %s
                }
                while [ ! -e "$stop" ]; do
                  # Not as a condition of if, where set -e means nothing.
                  (step)
                  if [ $? = 0 ]; then echo "$i" >>"$acknowledged"; i=$((i + 1)); else (repair); sleep 0.1; fi
                done
                """.formatted(step, repair);
        ProcessBuilder builder = new ProcessBuilder(
                List.of("bash", "-uc", script, name, work.toString(), acknowledged.toString(), stop.toString()));
        builder.directory(scratch.toFile()).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().put("HOME", "/nonexistent");
        builder.environment().put("LC_ALL", "C.UTF-8");
        builder.environment().put("GIT_CONFIG_NOSYSTEM", "1");
        process = builder.start();
    }

    Path work() {
        return work;
    }

    /** Steps that have succeeded: 0 up to this, without it. */
    int acknowledged() throws IOException {
        return (int) Files.readString(acknowledged).lines().count();
    }

    /** Waits until it has done so many steps in all. */
    void awaitSteps(int count) throws IOException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (acknowledged() < count) {
            assertThat(System.nanoTime() - deadline)
                    .as("%s stands still: %s", name, said())
                    .isNegative();
            assertThat(process.isAlive()).as("%s goes on: %s", name, said()).isTrue();
            Leftovers.pause();
        }
    }

    /** It ends after the step that it is at, successful or not. */
    void stop() throws IOException {
        if (!Files.exists(stop)) {
            Files.createFile(stop);
        }
    }

    /** Waits for its end after {@link #stop}. */
    void awaitEnd() throws InterruptedException, IOException {
        assertThat(process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS))
                .as("%s ends: %s", name, said())
                .isTrue();
    }

    /** What its programs have printed, the end of it. */
    String said() throws IOException {
        String text = Files.readString(log, StandardCharsets.ISO_8859_1);
        return text.substring(Math.max(0, text.length() - 2000));
    }

    @Override
    public void close() {
        process.descendants().toList().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
