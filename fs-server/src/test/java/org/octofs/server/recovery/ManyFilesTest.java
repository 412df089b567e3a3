package org.octofs.server.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.octofs.pmem.medium.PrivateMedium;
import org.octofs.pmem.pool.GeometryOptions;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.server.check.CheckOptions;
import org.octofs.server.check.CheckReport;
import org.octofs.server.check.ClusterCheck;
import org.octofs.server.ops.ServerState;
import org.octofs.server.testing.TestClient;
import org.octofs.server.testing.TestServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Goal: DRAM and PM per file stay within the design's bounds, and a restart reads the metadata about once. Method: many files
 * in some directories, counted by the tables themselves. {@code -Doctofs.files=1000000} for the full size.
 */
class ManyFilesTest {
    private static final Logger LOG = LoggerFactory.getLogger(ManyFilesTest.class);
    private static final int FILES = Integer.getInteger("octofs.files", 20_000);
    private static final int FILES_PER_DIRECTORY = 5_000;

    /** The offline check of the same pool; its memory is bounded by its index, which is asserted there. */
    private static void check(TestServer world) {
        PrivateMedium copy = PrivateMedium.copyOf(world.medium());
        long start = System.nanoTime();
        CheckReport report = ClusterCheck.runInPlace(List.of(copy), CheckOptions.defaults());
        LOG.info("fsck of {} files took {} ms", FILES, (System.nanoTime() - start) / 1_000_000);
        assertThat(report.errors()).as("%s", report).isEmpty();
        assertThat(report.counts().dentries())
                .isEqualTo(world.server().state().dentries().size());
    }

    @Test
    void perFileCostsAndRestart() {
        long poolBytes = 64L * 1024 * 1024 + FILES * 1024L / 4096 * 4096;
        try (TestServer world =
                TestServer.create(poolBytes, new GeometryOptions(2, 1 << 20, 4 << 20, 256 << 10, true))) {
            TestClient client = world.connect(11);
            int freeBefore = world.server().state().store().freePageCount();
            long directory = 0;
            for (int i = 0; i < FILES; i++) {
                if (i % FILES_PER_DIRECTORY == 0) {
                    directory = client.newDirectory(InodeNumber.ROOT, "directory-" + i);
                }
                client.newFile(directory, "some-file-name-" + i);
            }
            ServerState state = world.server().state();
            long mediaBytes = (freeBefore - state.store().freePageCount()) * 4096L;
            long dramBytes = state.inodes().memoryBytes() + state.dentries().memoryBytes();
            LOG.info("{} files: {} B of PM and {} B of DRAM per file", FILES, mediaBytes / FILES, dramBytes / FILES);
            assertThat(mediaBytes / FILES).isLessThanOrEqualTo(512);
            assertThat(dramBytes / FILES).isLessThanOrEqualTo(150);
            world.restart();
            LOG.info("restart with {} files took {} ms", FILES, world.startNanos() / 1_000_000);
            assertThat(world.server().state().inodes().size())
                    .isEqualTo(1 + FILES + (FILES + FILES_PER_DIRECTORY - 1) / FILES_PER_DIRECTORY);
            assertThat(client.list(directory, 100_000)).hasSize(Math.min(FILES_PER_DIRECTORY, FILES));
            check(world);
        }
    }
}
