package org.octofs.pmem.medium;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.octofs.pmem.NoRoomForPoolException;
import org.octofs.pmem.PoolBusyException;

/** Files of pools on /dev/shm: who may open them, who is kept out, and what failure leaves behind (nothing). */
class PoolFileTest {
    private static final long SIZE = 4 << 20;
    private static final MediumOptions OPTIONS = MediumOptions.defaults();

    private final Path path =
            Path.of("/dev/shm/octofs-file-test-" + ProcessHandle.current().pid());

    @AfterEach
    void remove() throws IOException {
        Files.deleteIfExists(path);
    }

    private PmemMedium create() throws IOException {
        return Media.create(path, SIZE, MediumKind.AUTO, OPTIONS);
    }

    @Test
    void contentsOutliveTheMedium() throws IOException {
        for (MediumKind kind : MediumKind.values()) {
            Files.deleteIfExists(path);
            try (PmemMedium medium = Media.create(path, SIZE, kind, OPTIONS)) {
                medium.putLong(4096, 42);
                medium.persist(4096, 8);
            }
            try (PmemMedium medium = Media.open(path, MediumKind.MAPPED, OpenMode.SERVE)) {
                assertThat(medium.memory().get(ValueLayout.JAVA_LONG, 4096))
                        .as("written by %s", kind)
                        .isEqualTo(42);
            }
        }
    }

    @Test
    void spaceIsAllocatedAndOnlyTheOwnerMayOpenIt() throws IOException {
        create().close();
        PosixFileAttributes attributes = Files.readAttributes(path, PosixFileAttributes.class);
        assertThat(attributes.size()).isEqualTo(SIZE);
        Process stat = new ProcessBuilder("stat", "-c", "%b %B", path.toString()).start();
        String[] blocks = stat.inputReader().readLine().split(" ", -1);
        assertThat(Long.parseLong(blocks[0]) * Long.parseLong(blocks[1]))
                .as("bytes allocated")
                .isGreaterThanOrEqualTo(SIZE);
        assertThat(PosixFilePermissions.toString(attributes.permissions())).isEqualTo("rw-------");
    }

    @Test
    void aGroupMayBeGivenAccess() throws IOException {
        String group = Files.readAttributes(path.getParent(), PosixFileAttributes.class)
                .group()
                .getName();
        Media.create(path, SIZE, MediumKind.AUTO, OPTIONS.withGroup(group)).close();
        PosixFileAttributes attributes = Files.readAttributes(path, PosixFileAttributes.class);
        assertThat(attributes.group().getName()).isEqualTo(group);
        assertThat(PosixFilePermissions.toString(attributes.permissions())).isEqualTo("rw-rw----");
    }

    @Test
    void anUnknownGroupLeavesNothingBehind() {
        assertThatThrownBy(() -> Media.create(path, SIZE, MediumKind.AUTO, OPTIONS.withGroup("no-such-group")))
                .isInstanceOf(IOException.class);
        assertThat(path).doesNotExist();
    }

    @Test
    void progressGoesUpToTheEndTwice() throws IOException {
        List<Long> seen = new ArrayList<>();
        long size = 160L << 20;
        Media.create(path, size, MediumKind.AUTO, OPTIONS.withProgress((done, total) -> {
                    assertThat(total).isEqualTo(size);
                    seen.add(done);
                }))
                .close();
        List<Long> slices = List.of(64L << 20, 128L << 20, size);
        assertThat(seen.subList(0, 3)).as("allocation").isEqualTo(slices);
        assertThat(seen.subList(3, seen.size())).as("pre-faulting").isEqualTo(slices);
    }

    @Test
    void morePoolThanRoomIsRefusedWithFiguresAndLeavesNothing() throws IOException {
        long tooMuch = Files.getFileStore(path.getParent()).getTotalSpace() + (1L << 30);
        assertThatThrownBy(() -> Media.create(path, tooMuch, MediumKind.AUTO, OPTIONS))
                .isInstanceOfSatisfying(
                        NoRoomForPoolException.class,
                        e -> assertThat(e.missingBytes()).isGreaterThanOrEqualTo(1L << 30))
                .hasMessageContaining(path.toString())
                .hasMessageContaining("missing");
        assertThat(path).doesNotExist();
    }

    @Test
    void whatIsThereIsNotOverwritten() throws IOException {
        Files.writeString(path, "precious");
        assertThatThrownBy(this::create).isInstanceOf(FileAlreadyExistsException.class);
        assertThat(path).hasContent("precious");
    }

    @Test
    void missingEmptyAndOddFilesAreRefused() throws IOException {
        assertThatThrownBy(() -> Media.open(path, MediumKind.AUTO, OpenMode.SERVE))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("format");
        assertThatThrownBy(() -> Media.open(path.getParent(), MediumKind.AUTO, OpenMode.SERVE))
                .hasMessageContaining("not a regular file");
        Files.createFile(path);
        assertThatThrownBy(() -> Media.open(path, MediumKind.AUTO, OpenMode.SERVE))
                .hasMessageContaining("empty");
    }

    @Test
    void oneServesAndNobodyElse() throws IOException {
        try (PmemMedium serving = create()) {
            assertThat(serving.path()).isEqualTo(path);
            for (OpenMode mode : OpenMode.values()) {
                assertThatThrownBy(() -> Media.open(path, MediumKind.AUTO, mode))
                        .isInstanceOf(PoolBusyException.class)
                        .hasMessageContaining(path.toString())
                        .hasMessageContaining(
                                Long.toString(ProcessHandle.current().pid()));
            }
        }
        try (PmemMedium first = Media.open(path, MediumKind.AUTO, OpenMode.CHECK);
                PmemMedium second = Media.open(path, MediumKind.AUTO, OpenMode.CHECK)) {
            assertThat(first.memory().isReadOnly() && second.memory().isReadOnly())
                    .isTrue();
            assertThatThrownBy(() -> Media.open(path, MediumKind.AUTO, OpenMode.SERVE))
                    .isInstanceOf(PoolBusyException.class);
        }
    }

    /** The lock must not hang on the file being open once: closing any other descriptor of it drops a lock of fcntl's kind. */
    @Test
    void theLockOutlivesOtherUsesOfTheFileInThisProcess() throws IOException {
        try (PmemMedium serving = create()) {
            assertThat(Files.readAllBytes(serving.path())).hasSize((int) SIZE);
            assertThatThrownBy(() -> Media.open(path, MediumKind.AUTO, OpenMode.SERVE))
                    .isInstanceOf(PoolBusyException.class);
        }
    }

    @Test
    void aKilledProcessHoldsNothing() throws IOException, InterruptedException {
        create().close();
        Process holder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-Xmx64m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Holder.class.getName(),
                        path.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            assertThat(holder.inputReader().readLine()).isEqualTo("holding");
            assertThatThrownBy(() -> Media.open(path, MediumKind.AUTO, OpenMode.SERVE))
                    .isInstanceOf(PoolBusyException.class)
                    .hasMessageContaining("process " + holder.pid());
        } finally {
            holder.destroyForcibly();
        }
        assertThat(holder.waitFor(30, TimeUnit.SECONDS)).isTrue();
        Media.open(path, MediumKind.AUTO, OpenMode.SERVE).close();
        try (var files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            assertThat(files.filter(file -> file.getFileName().toString().startsWith("libllpl")))
                    .as("libraries that the killed process left")
                    .isEmpty();
        }
    }

    /** The process that is killed: opens the pool, says so, waits for its end. */
    static final class Holder {
        private Holder() {}

        public static void main(String[] args) throws IOException {
            try (PmemMedium medium = Media.open(Path.of(args[0]), MediumKind.AUTO, OpenMode.SERVE)) {
                System.out.println(medium.sizeBytes() == SIZE ? "holding" : "wrong size");
                System.out.flush();
                // Ends with the parent at the latest.
                int end = System.in.read();
                System.out.println("end of input: " + end);
            }
        }
    }
}
