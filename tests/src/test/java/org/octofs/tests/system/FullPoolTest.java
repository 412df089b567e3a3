package org.octofs.tests.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The smallest pool, filled to its end: "no space" is said in time and truly, and deleting heals. */
@Timeout(value = 4, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FullPoolTest {
    private static final int CYCLES = 20;
    private static final int PIECE = 1 << 20;

    @AutoClose
    private static SystemCluster cluster;

    @BeforeAll
    static void up() {
        cluster = SystemCluster.up(1, "64M", "auto", "");
    }

    @Test
    void whatFitsIsRightAndComesBackTwentyTimes() throws IOException {
        Path file = cluster.mount().resolve("file");
        FileStore store = Files.getFileStore(cluster.mount());
        long free = store.getUsableSpace();
        assertThat(free).as("data of a 64 MiB pool").isBetween(40L << 20, 64L << 20);
        for (int cycle = 0; cycle < CYCLES; cycle++) {
            long written = fill(file);
            assertThat(written)
                    .as("bytes that fit in cycle %s; df promised %s", cycle, free)
                    .isBetween(free * 9 / 10, free);
            assertThat(store.getUsableSpace()).as("free when full").isLessThan(free / 10);
            checkPrefix(file, written);
            assertThat(Files.size(file)).isGreaterThanOrEqualTo(written);
            Files.delete(file);
            if (cycle % 2 == 0) {
                // Else what was deleted a moment ago must do for what is written now.
                assertThat(awaitUsable(store, free))
                        .as("free after cycle %s", cycle)
                        .isEqualTo(free);
            }
        }
    }

    @Test
    void fullPoolStillServesNamesAndDeletes() throws IOException {
        Path keep = Files.writeString(cluster.mount().resolve("keep"), "kept");
        Path file = cluster.mount().resolve("filler");
        long free = Files.getFileStore(cluster.mount()).getUsableSpace();
        fill(file);
        // Names have a space of their own.
        Files.createDirectory(cluster.mount().resolve("folder"));
        Files.move(keep, cluster.mount().resolve("folder/keep"));
        assertThat(cluster.mount().resolve("folder/keep")).hasContent("kept");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(PIECE);
        }
        checkPrefix(file, PIECE);
        Files.write(cluster.mount().resolve("again"), new byte[8 * PIECE]);
        Files.delete(file);
        Files.delete(cluster.mount().resolve("again"));
        Files.delete(cluster.mount().resolve("folder/keep"));
        Files.delete(cluster.mount().resolve("folder"));
        assertThat(awaitUsable(Files.getFileStore(cluster.mount()), free)).isGreaterThanOrEqualTo(free);
    }

    /** Writes and fsyncs piece by piece until there is no space; answers how many bytes were acknowledged. */
    private static long fill(Path file) throws IOException {
        long written = 0;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            while (true) {
                try {
                    ByteBuffer piece = ByteBuffer.wrap(piece(written));
                    while (piece.hasRemaining()) {
                        channel.write(piece);
                    }
                    channel.force(true);
                } catch (IOException e) {
                    assertThat(e).hasMessageContaining("No space left on device");
                    return written;
                }
                written += PIECE;
            }
        } catch (IOException e) {
            // The close may say it once more.
            assertThat(e).hasMessageContaining("No space left on device");
            return written;
        }
    }

    private static byte[] piece(long offset) {
        byte[] piece = new byte[PIECE];
        Arrays.fill(piece, (byte) (1 + offset / PIECE));
        return piece;
    }

    private static void checkPrefix(Path file, long bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            for (long offset = 0; offset < bytes; offset += PIECE) {
                assertThat(FileBytes.read(channel, offset, PIECE))
                        .as("piece at %s", offset)
                        .isEqualTo(piece(offset));
            }
        }
    }

    /** Freed blocks rest until no reader can be at them. */
    private static long awaitUsable(FileStore store, long wanted) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        long usable = store.getUsableSpace();
        while (usable < wanted && System.nanoTime() - deadline < 0) {
            Leftovers.pause();
            usable = store.getUsableSpace();
        }
        return usable;
    }
}
