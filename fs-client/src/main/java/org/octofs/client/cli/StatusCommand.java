package org.octofs.client.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import org.octofs.rpc.cluster.ClusterChoice;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.cluster.ClusterNode;
import org.octofs.rpc.cluster.OctofsCommand;
import org.octofs.rpc.fabric.TransportChoice;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code octofs status}. */
@Command(name = "status", description = "Asks every node of a cluster how it is; exit code 0 if all answer.")
public final class StatusCommand implements OctofsCommand {
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    @Mixin
    private ClusterChoice cluster;

    @Option(
            names = "--transport",
            defaultValue = "auto",
            paramLabel = "auto|shm|tcp|verbs",
            description = "How to reach the servers (default: ${DEFAULT-VALUE}).")
    private TransportChoice transport;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        ClusterMap map = cluster.read();
        PrintWriter out = spec.commandLine().getOut();
        boolean all = true;
        out.printf("cluster %s (%s), %d shards%n", map.name(), map.id(), map.shardCount());
        try (NodeProbe probe = new NodeProbe(map, transport, PATIENCE.toNanos())) {
            List<NodeProbe.Health> nodes = probe.askAll();
            for (NodeProbe.Health health : nodes) {
                ClusterNode node = health.node();
                all &= health.answers();
                if (health.answers()) {
                    out.printf(
                            "node %d  %s  serving by %s, round trip %.0f us, %s of %s free, %d of %d inodes free,"
                                    + " %d leases, %d recalled so far%n",
                            node.id(),
                            node.address(),
                            health.transport(),
                            health.roundTripMicros(),
                            ByteCount.of(NodeProbe.freeBlocks(health, nodes) * ByteCount.BLOCK_BYTES),
                            ByteCount.of(health.totalBlocks() * ByteCount.BLOCK_BYTES),
                            health.freeInodes(),
                            health.totalInodes(),
                            health.leases(),
                            health.recalls());
                } else {
                    out.printf("node %d  %s  does not answer: %s%n", node.id(), node.address(), health.problem());
                }
            }
        }
        return all ? 0 : 1;
    }
}
