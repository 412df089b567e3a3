package org.octofs.tests.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.octofs.pmem.layout.ZoneKind;
import org.octofs.pmem.log.ReplayVisitor;
import org.octofs.pmem.medium.MediumKind;
import org.octofs.pmem.medium.MediumOptions;
import org.octofs.pmem.pool.PmemPool;
import org.octofs.pmem.pool.PoolExpectation;
import org.octofs.rpc.protocol.InodeLayout;

/** The command {@code octofs fsck}: what it says and its exit codes, in the life of a cluster that is damaged and repaired. */
class FsckCommandTest {
    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void exitCodesAndWords() throws IOException {
        try (ServerFleet fleet = new ServerFleet(1, 64L << 20)) {
            String cluster = fleet.clusterFile().toString();
            Shell.Result inUse = fsck(8, cluster);
            assertThat(inUse.output()).contains("is in use by another process", "stop that one first");
            fleet.kill(0);
            assertThat(fsck(0, cluster).output()).contains("1 inodes, 0 names", "fleet: clean");
            damageRoot(fleet);
            assertThat(fsck(4, cluster).output())
                    .contains(
                            "error: node 0 offset ",
                            "the directory / (inode 1) has the link count 7 and 0 subdirectories")
                    .contains("the count becomes 2", "1 errors; nothing was changed, run it again with --repair");
            assertThat(fsck(1, cluster, "--repair").output())
                    .contains("repaired: node 0 offset ", "fleet: 1 errors, all corrected");
            assertThat(fsck(0, cluster, "--data").output()).contains("fleet: clean");
            assertThat(fsck(16).output()).contains("say which cluster");
            assertThat(fsck(16, cluster, "--node", "3").output()).contains("there is no node 3");
            assertThat(fsck(8, "/nowhere").output()).contains("no cluster file /nowhere");
            fleet.start(0);
            fleet.awaitServing(0);
        }
    }

    private static Shell.Result fsck(int code, String... arguments) {
        String[] all = new String[arguments.length + 1];
        all[0] = "fsck";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        Shell.Result result = Octofs.run(all);
        assertThat(result.code()).as(result.output()).isEqualTo(code);
        assertThat(result.output()).doesNotContain("\tat ");
        return result;
    }

    private static void damageRoot(ServerFleet fleet) throws IOException {
        try (PmemPool pool = PmemPool.open(
                fleet.map().node(0).pool(), MediumKind.MAPPED, PoolExpectation.ANY, MediumOptions.defaults())) {
            pool.redoLog().replay(ReplayVisitor.NONE);
            var memory = pool.medium().memory();
            long at = pool.zone(ZoneKind.METADATA).offset();
            while (memory.get(ValueLayout.JAVA_INT, at + InodeLayout.MAGIC_OFFSET) != InodeLayout.MAGIC) {
                at += InodeLayout.SIZE_BYTES;
            }
            memory.set(ValueLayout.JAVA_INT, at + InodeLayout.NLINK_OFFSET, 7);
            memory.set(ValueLayout.JAVA_INT, at + InodeLayout.CHECKSUM_OFFSET, InodeLayout.checksum(memory, at));
        }
    }
}
