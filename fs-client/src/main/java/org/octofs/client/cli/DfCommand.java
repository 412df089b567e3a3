package org.octofs.client.cli;

import java.io.PrintWriter;
import java.time.Duration;
import org.octofs.rpc.cluster.ClusterChoice;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.cluster.ClusterNode;
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
        long[] sum = new long[4];
        boolean all = true;
        try (NodeProbe probe = new NodeProbe(map, TransportChoice.AUTO, PATIENCE.toNanos())) {
            for (ClusterNode node : map.nodes()) {
                NodeProbe.Health health = probe.ask(node);
                if (!health.answers()) {
                    all = false;
                    out.printf("%-10s does not answer: %s%n", node.id(), health.problem());
                    continue;
                }
                long[] row = {health.totalBlocks(), health.freeBlocks(), health.totalInodes(), health.freeInodes()};
                print(out, Integer.toString(node.id()), row);
                for (int i = 0; i < row.length; i++) {
                    sum[i] += row[i];
                }
            }
        }
        print(out, "all", sum);
        return all ? 0 : 1;
    }

    private static void print(PrintWriter out, String name, long[] row) {
        long used = row[0] - row[1];
        long percent = row[0] == 0 ? 0 : (used * 100 + row[0] - 1) / row[0];
        out.printf(
                ROW,
                name,
                ByteCount.of(row[0] * ByteCount.BLOCK_BYTES),
                ByteCount.of(used * ByteCount.BLOCK_BYTES),
                ByteCount.of(row[1] * ByteCount.BLOCK_BYTES),
                percent + "%",
                row[2],
                row[3]);
    }
}
