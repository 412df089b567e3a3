package org.octofs.tests.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.server.data.FileSpace;
import org.octofs.tests.support.LocalCluster;

/**
 * Goal: a node that is down does not keep blocks of the other nodes lent to a dead client, and its own come back when it does.
 * Method: a node is stopped, a process that writes to both is killed, and the reservation table of the other is looked at, also after
 * that has been restarted in between.
 */
class DeadClientLoansTest {
    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(40);
    private static final long POOL_BYTES = 64L << 20;

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(
            value = LocalCluster.Transport.class,
            names = {"SHM", "TCP"})
    void comeBackNodeByNode(LocalCluster.Transport transport) throws Exception {
        try (LocalCluster cluster = LocalCluster.start(2, transport, POOL_BYTES)) {
            cluster.lease(LEASE);
            restart(cluster, 0);
            restart(cluster, 1);
            int home;
            try (ClientProcess _ = new ClientProcess(cluster, directory)) {
                await(() -> lent(cluster, 0) > 0 || lent(cluster, 1) > 0, "the client holds blocks");
                // The file has one home; the other node goes away.
                home = lent(cluster, 0) > 0 ? 0 : 1;
                int down = 1 - home;
                await(
                        () -> lentOn(cluster, home, down) > 0 && lentOn(cluster, home, home) > 0,
                        "blocks of both nodes are lent");
                cluster.server(down).crash();
            }
            int down = 1 - home;
            await(() -> lentOn(cluster, home, home) == 0, "blocks of the node that is there come back");
            long away = lentOn(cluster, home, down);
            assertThat(away).as("blocks of the node that is away").isPositive();
            restart(cluster, home);
            LockSupport.parkNanos(LEASE.multipliedBy(2).toNanos());
            assertThat(lentOn(cluster, home, down))
                    .as("blocks of the node that is away")
                    .isEqualTo(away);
            cluster.server(down).start();
            await(() -> lent(cluster, home) == 0, "all blocks come back");
            await(() -> cluster.server(down).server().state().sessionTable().size() == 0, "no session is left");
        }
    }

    private static void restart(LocalCluster cluster, int node) throws IOException {
        cluster.server(node).crash();
        cluster.server(node).start();
    }

    private static long lent(LocalCluster cluster, int home) {
        return lentOn(cluster, home, 0) + lentOn(cluster, home, 1);
    }

    /** A glance from another thread than the server's; good enough to wait for. */
    private static long lentOn(LocalCluster cluster, int home, int node) {
        FileSpace files = (FileSpace) cluster.server(home).server().state().contents();
        long[] sum = new long[1];
        files.space().reservations().forEach((location, count, _, _) -> {
            if (BlockLocation.node(location) == node) {
                sum[0] += count;
            }
        });
        return sum[0];
    }

    private static void await(BooleanSupplier condition, String what) {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - end).as("waiting that " + what).isNegative();
            LockSupport.parkNanos(10_000_000);
        }
    }
}
