package org.octofs.server.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.octofs.pmem.medium.Media;
import org.octofs.pmem.medium.MediumKind;
import org.octofs.pmem.medium.MediumOptions;
import org.octofs.pmem.medium.OpenMode;
import org.octofs.pmem.medium.PmemMedium;
import org.octofs.pmem.pool.PoolExpectation;
import org.octofs.rpc.cluster.ClusterChoice;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.cluster.ClusterNode;
import org.octofs.rpc.cluster.OctofsCommand;
import org.octofs.server.check.CheckOptions;
import org.octofs.server.check.CheckReport;
import org.octofs.server.check.ClusterCheck;
import org.octofs.server.check.Finding;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code octofs fsck}: checks, and repairs if wanted, the pools of a stopped cluster. Exit codes as fsck(8). */
@Command(
        name = "fsck",
        description = "Checks the pools of a stopped cluster; with --repair mends what it finds.",
        exitCodeOnInvalidInput = FsckCommand.EXIT_USAGE,
        exitCodeOnExecutionException = FsckCommand.EXIT_OPERATIONAL,
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:nothing wrong",
            "1:errors, all of them corrected",
            "4:errors left uncorrected",
            "8:the check could not be made",
            "16:wrong usage"
        })
public final class FsckCommand implements OctofsCommand {
    static final int EXIT_OPERATIONAL = 8;
    static final int EXIT_USAGE = 16;

    @Spec
    private CommandSpec spec;

    @Mixin
    private ClusterChoice cluster;

    @Option(
            names = "--node",
            paramLabel = "K",
            description = "Check only the pool of this node (may be repeated), without what depends on the others.")
    private List<Integer> nodes = List.of();

    @Option(names = "--repair", description = "Mend what can be mended; what no name leads to goes to /lost+found.")
    private boolean repair;

    @Option(names = "--data", description = "Also read all file data and compare it with its checksums.")
    private boolean data;

    @Override
    public Integer call() throws IOException {
        ClusterMap map = cluster.read();
        List<ClusterNode> chosen = chosen(map);
        if (repair && chosen.size() < map.nodeCount()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--repair needs the pools of all nodes, since they refer to each other; drop --node");
        }
        ConsoleProgress progress = new ConsoleProgress(
                spec.commandLine().getErr(), ConsoleProgress.isTerminal(), System::nanoTime, "checking");
        CheckOptions options = CheckOptions.defaults().withProgress(progress);
        List<PoolExpectation> expected = chosen.stream()
                .map(node -> new PoolExpectation(map.id(), node.id(), map.nodeCount(), map.shardCount()))
                .toList();
        List<PmemMedium> media = open(map, chosen);
        CheckReport report;
        try {
            CheckOptions full = data ? options.withData() : options;
            report = repair
                    ? ClusterCheck.repair(media, expected, full)
                    : ClusterCheck.runInPlace(media, expected, full);
        } finally {
            media.forEach(PmemMedium::close);
            progress.end();
        }
        print(map, report);
        return report.exitCode();
    }

    private List<ClusterNode> chosen(ClusterMap map) {
        if (nodes.isEmpty()) {
            return map.nodes();
        }
        return new TreeSet<>(nodes)
                .stream().map(node -> CommandChecks.node(spec, map, node)).toList();
    }

    private List<PmemMedium> open(ClusterMap map, List<ClusterNode> chosen) throws IOException {
        for (ClusterNode node : chosen) {
            if (!Files.exists(node.pool())) {
                throw new IOException("the pool of node " + node.id() + " is not here (" + node.pool()
                        + "); check the pools of this host with --node, or run this where all pools of "
                        + map.name() + " are");
            }
        }
        List<PmemMedium> media = new ArrayList<>();
        boolean success = false;
        try {
            for (ClusterNode node : chosen) {
                media.add(Media.open(
                        node.pool(),
                        MediumKind.AUTO,
                        repair ? OpenMode.SERVE : OpenMode.PRIVATE,
                        MediumOptions.defaults().withPrefault(false)));
            }
            success = true;
            return media;
        } finally {
            if (!success) {
                media.forEach(PmemMedium::close);
            }
        }
    }

    private void print(ClusterMap map, CheckReport report) {
        PrintWriter out = spec.commandLine().getOut();
        for (Finding finding : report.findings()) {
            String what = finding.isError() ? repair && finding.repairable() ? "repaired: " : "error: " : "note: ";
            out.println(what + finding);
        }
        long errors = report.findings().stream().filter(Finding::isError).count();
        if (report.errorCount() > errors) {
            out.println("... and " + (report.errorCount() - errors) + " errors more");
        }
        CheckReport.Counts counts = report.counts();
        out.println(
                map.name() + ": " + counts.inodes() + " inodes, " + counts.dentries() + " names, " + counts.fileBlocks()
                        + " blocks in files, " + counts.lentBlocks() + " lent, " + counts.orphans()
                        + " unlinked files to be freed at the next start"
                        + (data ? ", " + counts.checkedBlocks() + " blocks compared with their checksums" : ""));
        out.println(map.name() + ": " + verdict(report));
        out.flush();
    }

    private String verdict(CheckReport report) {
        if (report.isClean()) {
            return "clean";
        }
        long corrected = report.errorCount() - report.leftCount();
        if (repair) {
            return report.leftCount() == 0
                    ? corrected + " errors, all corrected"
                    : corrected + " errors corrected, " + report.leftCount() + " LEFT";
        }
        boolean mendable = report.findings().stream().anyMatch(Finding::repairable);
        return report.errorCount() + " errors; nothing was changed"
                + (mendable ? ", run it again with --repair to mend what can be mended" : "");
    }
}
