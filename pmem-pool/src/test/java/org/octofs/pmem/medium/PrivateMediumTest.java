package org.octofs.pmem.medium;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.octofs.pmem.PoolBusyException;

/** What is stored in a private view stays there; a server and a view exclude each other, views do not. */
class PrivateMediumTest {
    private static final int SIZE = 256 << 10;

    @TempDir
    private Path directory;

    private Path file;

    @BeforeEach
    void create() throws IOException {
        file = directory.resolve("pool");
        try (PmemMedium medium = Media.create(file, SIZE, MediumKind.MAPPED, MediumOptions.defaults())) {
            medium.putLong(4096, 42);
            medium.persist(4096, 8);
        }
    }

    private PmemMedium view() throws IOException {
        return Media.open(file, MediumKind.AUTO, OpenMode.PRIVATE);
    }

    private static long word(PmemMedium medium) {
        return medium.memory().get(ValueLayout.JAVA_LONG, 4096);
    }

    @Test
    void whatIsStoredIsSeenThereAndNowhereElse() throws IOException {
        byte[] before = Files.readAllBytes(file);
        try (PmemMedium one = view();
                PmemMedium other = view()) {
            assertThat(word(one)).isEqualTo(42);
            one.putLong(4096, 7);
            one.fill(8192, 100, (byte) 1);
            one.copyNonTemporal(9000, one.memory(), 4096, 8);
            one.persist(0, SIZE);
            assertThat(word(one)).isEqualTo(7);
            assertThat(word(other)).isEqualTo(42);
            assertThat(one.sizeBytes()).isEqualTo(SIZE);
        }
        assertThat(Files.readAllBytes(file)).isEqualTo(before);
    }

    @Test
    void aFileThatMayOnlyBeReadIsEnough() throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--r--r--"));
        try (PmemMedium medium = view()) {
            medium.putLong(4096, 7);
            assertThat(word(medium)).isEqualTo(7);
        }
    }

    @Test
    void aServerAndAViewExcludeEachOther() throws IOException {
        try (PmemMedium server = Media.open(file, MediumKind.MAPPED, OpenMode.SERVE)) {
            assertThat(word(server)).isEqualTo(42);
            assertThatThrownBy(this::view).isInstanceOf(PoolBusyException.class);
        }
        try (PmemMedium medium = view()) {
            assertThat(word(medium)).isEqualTo(42);
            assertThatThrownBy(() -> Media.open(file, MediumKind.MAPPED, OpenMode.SERVE))
                    .isInstanceOf(PoolBusyException.class);
        }
    }

    @Test
    void memoryIsGoneWhenItIsClosed() throws IOException {
        PmemMedium medium = view();
        medium.close();
        medium.close();
        assertThatThrownBy(() -> word(medium)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aCopyIsApartFromItsOriginal() {
        RecordingMedium original = new RecordingMedium(SIZE);
        original.putLong(4096, 42);
        try (PrivateMedium copy = PrivateMedium.copyOf(original)) {
            copy.putLong(4096, 7);
            assertThat(word(original)).isEqualTo(42);
            assertThat(word(copy)).isEqualTo(7);
        }
        assertThat(original.isClosed()).isFalse();
    }
}
