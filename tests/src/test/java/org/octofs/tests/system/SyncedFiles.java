package org.octofs.tests.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * One writer with a folder of its own: it makes a file, fsyncs it, appends to a log, fsyncs, and replaces a third by rename,
 * over and over, and counts what has been acknowledged. {@link #check} then knows what must be there.
 *
 * <p>It writes in a process of its own: a process that starts another one closes its files in the child, which waits for the
 * file system, and so could not start the server that it waits for.
 */
final class SyncedFiles implements AutoCloseable {
    private static final int BYTES_MAX = 300_000;
    private static final int APPENDED = 5000;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Path folder;
    private final Path progress;
    private final Process process;

    /**
     * Starts writing.
     *
     * @param folder made by the writer
     * @param progress outside of the mount
     */
    SyncedFiles(Path folder, Path progress) throws IOException {
        this.folder = folder;
        this.progress = progress;
        this.process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Writer.class.getName(),
                        folder.toString())
                .redirectErrorStream(true)
                .redirectOutput(progress.toFile())
                .start();
    }

    /** Completed rounds; all of their effects were acknowledged. */
    int rounds() throws IOException {
        String text = Files.readString(progress);
        return (int) text.chars().takeWhile(c -> c == '.').count();
    }

    /** Fails if the writer has failed. */
    void assertGoesOn() throws IOException {
        assertThat(process.isAlive()).as(Files.readString(progress)).isTrue();
    }

    /** Ends the writer between two rounds; fails if a call had failed or taken longer than {@code deadline}. */
    void finish(Duration deadline) throws IOException, InterruptedException {
        process.getOutputStream().close();
        assertThat(process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS))
                .as("the writer ends")
                .isTrue();
        String said = Files.readString(progress);
        assertThat(process.exitValue()).as(said).isZero();
        long slowestMillis = Long.parseLong(said.substring(said.indexOf(' ')).strip());
        assertThat(Duration.ofMillis(slowestMillis))
                .as("slowest step in %s", folder)
                .isLessThan(deadline);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    /** The other process. It stops when its standard input ends. */
    static final class Writer {
        private static volatile boolean stop;
        private static long slowestNanos;

        private Writer() {}

        /** Prints a point for each round, then the milliseconds of the slowest step. */
        public static void main(String[] arguments) throws IOException {
            Thread.ofPlatform().daemon().start(() -> {
                try {
                    System.in.transferTo(OutputStream.nullOutputStream());
                } catch (IOException e) {
                    System.out.println(e);
                }
                stop = true;
            });
            Path folder = Files.createDirectory(Path.of(arguments[0]));
            Files.createFile(folder.resolve("log"));
            for (int i = 0; !stop; i++) {
                int round = i;
                timed(() -> writeSynced(folder.resolve("file-" + round), bytes(round), StandardOpenOption.CREATE_NEW));
                timed(() -> writeSynced(folder.resolve("log"), line(round), StandardOpenOption.APPEND));
                timed(() -> {
                    writeSynced(
                            folder.resolve("new"),
                            bytes(round),
                            StandardOpenOption.CREATE,
                            StandardOpenOption.TRUNCATE_EXISTING);
                    Files.move(folder.resolve("new"), folder.resolve("current"), StandardCopyOption.ATOMIC_MOVE);
                });
                System.out.print('.');
                System.out.flush();
            }
            System.out.println("\nslowest " + TimeUnit.NANOSECONDS.toMillis(slowestNanos));
        }

        private static void timed(Step step) throws IOException {
            long start = System.nanoTime();
            step.run();
            slowestNanos = Math.max(slowestNanos, System.nanoTime() - start);
        }
    }

    /** What a round does. */
    private interface Step {
        void run() throws IOException;
    }

    private static void writeSynced(Path file, byte[] bytes, StandardOpenOption... how) throws IOException {
        StandardOpenOption[] options = new StandardOpenOption[how.length + 1];
        System.arraycopy(how, 0, options, 1, how.length);
        options[0] = StandardOpenOption.WRITE;
        try (FileChannel channel = FileChannel.open(file, options)) {
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
            channel.force(true);
        }
    }

    private static byte[] bytes(int round) {
        Random random = new Random(round);
        byte[] bytes = new byte[1 + random.nextInt(BYTES_MAX)];
        random.nextBytes(bytes);
        return bytes;
    }

    private static byte[] line(int round) {
        byte[] line = new byte[APPENDED];
        new Random(-1 - round).nextBytes(line);
        return line;
    }

    /** Checks all that was acknowledged, as seen below another path: another mount of the same file system. */
    void check(Path mount) throws IOException {
        Path seen = mount.resolve(folder.getFileName());
        int rounds = rounds();
        for (int round = 0; round < rounds; round++) {
            assertThat(Files.readAllBytes(seen.resolve("file-" + round)))
                    .as("file-%s of %s in %s", round, rounds, seen)
                    .isEqualTo(bytes(round));
        }
        byte[] log = Files.readAllBytes(seen.resolve("log"));
        assertThat(log).as("length of the log").hasSize(rounds * APPENDED);
        for (int round = 0; round < rounds; round++) {
            assertThat(Arrays.copyOfRange(log, round * APPENDED, (round + 1) * APPENDED))
                    .as("line %s of the log", round)
                    .isEqualTo(line(round));
        }
        assertThat(Files.readAllBytes(seen.resolve("current")))
                .as("the replaced file")
                .isEqualTo(bytes(rounds - 1));
        assertThat(seen.resolve("new")).doesNotExist();
    }
}
