package org.octofs.client.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import org.octofs.rpc.cluster.ClusterChoice;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.cluster.OctofsCommand;
import org.octofs.rpc.fabric.TransportChoice;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code octofs df}. */
@Command(name = "df", description = "Space and inodes of every node, and of the file system as a whole.")
public final class DfCommand implements OctofsCommand {
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final String ROW = "%-10s %12s %12s %12s %5s %12s %12s%n";

    @Mixin
    private ClusterChoice cluster;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        ClusterMap map = cluster.read();
        PrintWriter out = spec.commandLine().getOut();
        out.printf(ROW, "node", "size", "used", "free", "use%", "inodes", "inodes free");
        long[] sum = new long[4]; // blocks, free ones, inodes, free ones
        boolean all = true;
        try (NodeProbe probe = new NodeProbe(map, TransportChoice.AUTO, PATIENCE.toNanos())) {
            List<NodeProbe.Health> nodes = probe.askAll();
            for (NodeProbe.Health health : nodes) {
                int id = health.node().id();
                if (!health.answers()) {
                    all = false;
                    out.printf("%-10s does not answer: %s%n", id, health.problem());
                    continue;
                }
                long free = NodeProbe.freeBlocks(health, nodes);
                print(out, Integer.toString(id), health.totalBlocks(), free, health.totalInodes(), health.freeInodes());
                sum[0] += health.totalBlocks();
                sum[1] += health.freeBlocks();
                sum[2] += health.totalInodes();
                sum[3] += health.freeInodes();
            }
        }
        print(out, "all", sum[0], sum[1], sum[2], sum[3]);
        if (!all) {
            out.println("What nodes that do not answer have free on the others is counted as used.");
        }
        return all ? 0 : 1;
    }

    private static void print(PrintWriter out, String name, long blocks, long free, long inodes, long freeInodes) {
        long used = blocks - free;
        long percent = blocks == 0 ? 0 : (used * 100 + blocks - 1) / blocks;
        out.printf(
                ROW,
                name,
                ByteCount.of(blocks * ByteCount.BLOCK_BYTES),
                ByteCount.of(used * ByteCount.BLOCK_BYTES),
                ByteCount.of(free * ByteCount.BLOCK_BYTES),
                percent + "%",
                inodes,
                freeInodes);
    }
}
