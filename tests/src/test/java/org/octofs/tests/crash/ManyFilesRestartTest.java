package org.octofs.tests.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.octofs.pmem.pool.GeometryOptions;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.server.store.MetaStore;
import org.octofs.server.testing.TestClient;
import org.octofs.server.testing.TestServer;
import org.octofs.tests.support.TestJvm;

/**
 * Goal: a start with very many files takes at most three times as long as reading their metadata once, and they take little memory.
 * Method: a pool with a million files in a file on /dev/shm; a process of its own reads the metadata, starts a server, and says how
 * long both took; the median of three such processes counts. Compared are processor times, since other processes must not decide,
 * of the start that of its longest chain, see {@link RestartMain}.
 */
class ManyFilesRestartTest {
    private static final int FILES = Integer.getInteger("octofs.files", 1_000_000);
    private static final int FILES_PER_DIRECTORY = 5_000;
    private static final long PIECE_BYTES = 64L << 20;
    private static final double MILLION = 1e6;
    private static final int RUNS = 3;
    private static final double RATIO_MAX = 3.0;

    @Test
    @Tag("slow")
    @SuppressWarnings("SystemOut") // the figures are what the test is for
    void aStartTakesAtMostThreeTimesAsLongAsReadingTheMetadata() throws IOException {
        Path file = Files.createTempFile(Path.of("/dev/shm"), "octofs-files-", ".pool");
        try {
            long[] metadata = write(file);
            Map<String, Long> said = Stream.generate(() -> run(file, metadata))
                    .limit(RUNS)
                    .sorted(Comparator.comparingDouble(ManyFilesRestartTest::ratio))
                    .toList()
                    .get(RUNS / 2);
            System.out.printf(
                    "%,d files, %,d bytes of metadata: read once in %.0f ms (processor %.0f ms), start %.0f ms (processor %.0f ms,"
                            + " in a second thread %.0f ms): %.2f times reading; heap %d bytes per file%n",
                    FILES,
                    metadata[1],
                    said.get("readWall") / MILLION,
                    said.get("readCpu") / MILLION,
                    said.get("startWall") / MILLION,
                    said.get("startCpu") / MILLION,
                    said.get("helperCpu") / MILLION,
                    ratio(said),
                    said.get("heap") / FILES);
            assertThat(said.get("inodes")).isGreaterThan(FILES);
            assertThat(said.get("heap") / FILES).isLessThanOrEqualTo(300);
            assertThat(ratio(said)).as("start by reading once").isLessThanOrEqualTo(RATIO_MAX);
        } finally {
            Files.deleteIfExists(file);
        }
    }

    private static double ratio(Map<String, Long> said) {
        return said.get("startCpu") / (double) said.get("readCpu");
    }

    /** Makes the pool; answers offset and bytes of the metadata pages in use. */
    private static long[] write(Path file) throws IOException {
        // Half of it is for metadata; below a GiB, which the tests' JVM may have.
        long poolBytes = (64L << 20) + FILES * 880L / 4096 * 4096;
        try (TestServer world =
                TestServer.create(poolBytes, new GeometryOptions(2, 1 << 20, 4 << 20, 256 << 10, true))) {
            TestClient client = world.connect(11);
            MetaStore store = world.server().state().store();
            int freeBefore = store.freePageCount();
            long directory = 0;
            for (int i = 0; i < FILES; i++) {
                if (i % FILES_PER_DIRECTORY == 0) {
                    directory = client.newDirectory(InodeNumber.ROOT, "directory-" + i);
                }
                client.newFile(directory, "some-file-name-" + i);
            }
            long[] metadata = {store.pageOffset(0), (freeBefore - store.freePageCount()) * 4096L};
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                for (long at = 0; at < poolBytes; at += PIECE_BYTES) {
                    channel.write(
                            world.medium()
                                    .memory()
                                    .asSlice(at, Math.min(PIECE_BYTES, poolBytes - at))
                                    .asByteBuffer(),
                            at);
                }
            }
            return metadata;
        }
    }

    private static Map<String, Long> run(Path file, long[] metadata) {
        try {
            return start(file, metadata);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Map<String, Long> start(Path file, long[] metadata) throws IOException {
        Process process = TestJvm.of(
                        RestartMain.class,
                        List.of(),
                        file.toString(),
                        Long.toString(metadata[0]),
                        Long.toString(metadata[1]))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        Map<String, Long> said = new HashMap<>();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.onExit().join().exitValue()).as(output).isZero();
        for (String line : output.lines().toList()) {
            int at = line.indexOf('=');
            if (at > 0 && !line.contains(" ")) {
                said.put(line.substring(0, at), Long.parseLong(line.substring(at + 1)));
            }
        }
        return said;
    }
}
