package org.octofs.pmem.medium;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A plain mapping of a file on disk, where a flush is msync. */
class MappedFileMediumTest extends PmemMediumContract {
    @TempDir
    private Path directory;

    @Override
    PmemMedium create() throws IOException {
        return Media.create(directory.resolve("pool"), SIZE, MediumKind.MAPPED, MediumOptions.defaults());
    }

    @Test
    void saysWhatItIs() {
        assertThat(medium().describe()).startsWith("mapped file on ").contains("msync");
    }
}
