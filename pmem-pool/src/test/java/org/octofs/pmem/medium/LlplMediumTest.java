package org.octofs.pmem.medium;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** llpl and libpmem on /dev/shm. */
class LlplMediumTest extends PmemMediumContract {
    @TempDir
    private Path onDisk;

    private final Path path =
            Path.of("/dev/shm/octofs-llpl-test-" + ProcessHandle.current().pid());

    @Override
    PmemMedium create() throws IOException {
        return Media.create(path, SIZE, MediumKind.AUTO, MediumOptions.defaults());
    }

    @AfterEach
    void remove() throws IOException {
        Files.deleteIfExists(path);
    }

    @Override
    void afterClose() throws IOException {
        assertThat(mappings()).as("mappings of the pool after close").isZero();
    }

    private long mappings() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains(path.toString())).count();
        }
    }

    @Test
    void autoTakesIt() throws IOException {
        assertThat(medium()).isInstanceOf(LlplMedium.class);
        assertThat(medium().describe()).startsWith("libpmem on tmpfs").contains("pages");
        assertThat(mappings()).as("one mapping only").isEqualTo(1);
    }

    @Test
    void autoTakesAPlainMappingElsewhereAndSaysWhy() throws IOException {
        try (PmemMedium other = Media.create(onDisk.resolve("pool"), SIZE, MediumKind.AUTO, MediumOptions.defaults())) {
            assertThat(other).isInstanceOf(MappedFileMedium.class);
            assertThat(other.describe()).contains("not persistent memory");
        }
    }

    @Test
    void askedForElsewhereItRefusesAndLeavesNothing() {
        Path other = onDisk.resolve("pool");
        assertThatThrownBy(() -> Media.create(other, SIZE, MediumKind.LLPL, MediumOptions.defaults()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no persistent memory");
        assertThat(other).doesNotExist();
    }

    @Test
    void loadingLeavesNoFileBehind() throws IOException {
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            assertThat(files.filter(file -> file.getFileName().toString().matches("(octofs-llpl-|libllpl).*"))
                            .filter(file -> file.toFile().lastModified()
                                    > ManagementFactory.getRuntimeMXBean().getStartTime())
                            .toList())
                    .isEmpty();
        }
    }

    @Test
    void nothingIsTouchedAfterClose() {
        PmemMedium closed = medium();
        closed.close();
        MemorySegment source = MemorySegment.ofArray(new byte[8]);
        assertThatThrownBy(() -> closed.putLong(0, 1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> closed.flush(0, 8)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> closed.copyNonTemporal(0, source, 0, 8)).isInstanceOf(IllegalStateException.class);
    }
}
