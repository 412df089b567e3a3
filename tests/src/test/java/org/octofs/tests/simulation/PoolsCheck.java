package org.octofs.tests.simulation;

import java.util.ArrayList;
import java.util.List;
import org.octofs.pmem.medium.RecordingMedium;
import org.octofs.server.check.CheckOptions;
import org.octofs.server.check.CheckReport;
import org.octofs.server.check.ClusterCheck;
import org.octofs.tests.simulation.cluster.SimCluster;
import org.octofs.tests.simulation.cluster.SimServer;

/** Looks at the pools of a stopped cluster as {@code octofs fsck} does, data checksums included. */
final class PoolsCheck {
    private final SimCluster cluster;

    PoolsCheck(SimCluster cluster) {
        this.cluster = cluster;
    }

    void run() {
        List<RecordingMedium> pools = new ArrayList<>();
        for (SimServer server : cluster.servers()) {
            pools.add(RecordingMedium.of(server.memory()));
        }
        CheckReport report = ClusterCheck.run(pools, CheckOptions.defaults().withData());
        if (!report.isClean()) {
            throw new AssertionError("fsck finds: " + report.errors());
        }
    }
}
