package org.octofs.tests.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.octofs.tests.conformance.CaseTable;
import org.octofs.tests.posix.Posix;
import org.octofs.tests.posix.SyscallPosix;

/**
 * Goal: through the kernel every call answers as on a local file system. Method: the tables of cases by system calls, on a mount by
 * each binding, and on a memory file system, so that the tables are right; random programs on a mount and there, side by side.
 */
class MountConformanceTest {
    private static final List<String> TABLES = List.of("names", "files", "users");

    private static Supplier<Posix> freshFolders(Path folder) {
        int[] number = new int[1];
        return () -> {
            try {
                return new SyscallPosix(Files.createDirectory(folder.resolve("case" + number[0]++)));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }

    private static List<String> failures(Path folder, String table, Predicate<CaseTable.Case> carried) {
        return CaseTable.failures(CaseTable.read(table).stream().filter(carried).toList(), freshFolders(folder));
    }

    @ParameterizedTest
    @ValueSource(strings = {"names", "files", "users"})
    void theTablesAreTrueOfAMemoryFileSystem(String table) throws IOException {
        Path folder = Files.createTempDirectory(Path.of("/dev/shm"), "octofs-conformance-");
        try {
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
            assertThat(failures(folder, table, one -> true)).isEmpty();
        } finally {
            Shell.run(new ProcessBuilder("rm", "-rf", folder.toString()), "rm", Duration.ofMinutes(1));
        }
    }

    /** The same by each binding. */
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    @Timeout(value = 3, unit = TimeUnit.MINUTES)
    abstract static class ByBinding {
        private final String binding;
        private final Predicate<CaseTable.Case> carried;

        @AutoClose
        private SystemCluster cluster;

        ByBinding(String binding, Predicate<CaseTable.Case> carried) {
            this.binding = binding;
            this.carried = carried;
        }

        @BeforeAll
        void up() {
            cluster = SystemCluster.up(2, "128M", "auto", "allow_other,binding=" + binding);
        }

        @Test
        void answersAsTheTablesSay() throws IOException {
            for (String table : TABLES) {
                Path folder = Files.createDirectory(cluster.mount().resolve(table));
                assertThat(failures(folder, table, carried)).as(table).isEmpty();
            }
        }
    }

    @Nested
    class ByKernel extends ByBinding {
        ByKernel() {
            super("kernel", one -> true);
        }
    }

    /** Without what libfuse 2 has no request for, see docs/posix.md. */
    @Nested
    class ByJnr extends ByBinding {
        ByJnr() {
            super("jnr", one -> !one.text().matches(".*(noreplace|exchange|TMPFILE|hole|both|chmod a 2766).*"));
        }
    }
}
