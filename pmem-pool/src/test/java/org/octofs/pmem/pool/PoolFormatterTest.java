package org.octofs.pmem.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.octofs.pmem.NoRoomForPoolException;
import org.octofs.pmem.PoolBusyException;
import org.octofs.pmem.PoolMismatchException;
import org.octofs.pmem.log.LogRecord;
import org.octofs.pmem.log.ReplayVisitor;
import org.octofs.pmem.medium.MediumKind;
import org.octofs.pmem.medium.MediumOptions;

/** Pool files from format to check, on /dev/shm. */
class PoolFormatterTest {
    private static final long SIZE = 64 << 20;
    private static final PoolIdentity IDENTITY = new PoolIdentity(new UUID(3, 4), 1, 2, 8);

    private final Path path =
            Path.of("/dev/shm/octofs-format-test-" + ProcessHandle.current().pid());

    @AfterEach
    void remove() throws IOException {
        Files.deleteIfExists(path);
    }

    private FormatRequest request(long size, boolean replace) {
        return new FormatRequest(
                path,
                size,
                MediumKind.AUTO,
                IDENTITY,
                GeometryOptions.defaults(),
                MediumOptions.defaults().withPrefault(false),
                99,
                replace);
    }

    private PmemPool open() throws IOException {
        return PmemPool.open(
                path,
                MediumKind.AUTO,
                new PoolExpectation(IDENTITY.clusterId(), IDENTITY.nodeId()),
                MediumOptions.defaults());
    }

    @Test
    void formatServeCheckServe() throws IOException {
        PoolFormatter.format(request(SIZE, false));
        assertThat(PoolCheck.check(path)).isEmpty();
        try (PmemPool pool = open()) {
            assertThatThrownBy(() -> PoolCheck.check(path)).isInstanceOf(PoolBusyException.class);
            assertThatThrownBy(this::open).isInstanceOf(PoolBusyException.class);
            pool.redoLog().replay(ReplayVisitor.NONE);
            LogRecord r = pool.redoLog().begin(1);
            pool.segmentTable().stageAssign(r, 5, 7);
            pool.redoLog().commit(r);
            pool.redoLog().apply(r);
        }
        assertThat(PoolCheck.check(path)).isEmpty();
        try (PmemPool pool = open()) {
            assertThat(pool.redoLog().replay(ReplayVisitor.NONE)).isZero();
            assertThat(pool.segmentTable().ownerOf(5)).isEqualTo(7);
            assertThat(pool.openedIncarnation()).isEqualTo(2);
        }
    }

    @Test
    void anExistingFileIsReplacedOnlyWhenAskedAndNotInUse() throws IOException {
        PoolFormatter.format(request(SIZE, false));
        assertThatThrownBy(() -> PoolFormatter.format(request(SIZE, false)))
                .isInstanceOf(FileAlreadyExistsException.class)
                .hasMessageContaining("replaced");
        try (PmemPool pool = open()) {
            assertThatThrownBy(() -> PoolFormatter.format(request(SIZE, true))).isInstanceOf(PoolBusyException.class);
            assertThat(pool.medium().path()).exists();
        }
        PoolFormatter.format(request(SIZE, true));
        try (PmemPool pool = open()) {
            assertThat(pool.openedIncarnation()).isEqualTo(1);
        }
    }

    @Test
    void whatCannotBeLeavesThingsAsTheyWere() throws IOException {
        assertThatThrownBy(() -> PoolFormatter.format(request(1 << 20, false)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> PoolFormatter.format(request(1L << 50, false)))
                .isInstanceOf(NoRoomForPoolException.class);
        assertThat(path).doesNotExist();
        PoolFormatter.format(request(SIZE, false));
        assertThatThrownBy(() -> PoolFormatter.format(request(1 << 20, true)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> PoolFormatter.format(request(1L << 50, true)))
                .isInstanceOf(NoRoomForPoolException.class);
        open().close();
    }

    @Test
    void aTruncatedPoolIsRefused() throws IOException {
        PoolFormatter.format(request(SIZE, false));
        try (var channel = Files.newByteChannel(path, StandardOpenOption.WRITE)) {
            channel.truncate(SIZE - 4096);
        }
        assertThatThrownBy(this::open).isInstanceOf(PoolMismatchException.class).hasMessageContaining("truncated");
        assertThat(PoolCheck.check(path)).hasSize(1);
        assertThat(Files.size(path)).isEqualTo(SIZE - 4096);
    }
}
