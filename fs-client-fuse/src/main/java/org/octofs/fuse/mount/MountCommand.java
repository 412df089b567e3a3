package org.octofs.fuse.mount;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.octofs.client.client.FsClient;
import org.octofs.fuse.fuse.FuseAdapter;
import org.octofs.rpc.cluster.ClusterFile;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.cluster.OctofsCommand;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code octofs mount CLUSTER DIR}. */
@Command(
        name = "mount",
        description = {
            "Mounts a cluster on a directory.",
            "Returns once it is mounted and leaves a process in the background, unless told otherwise. It ends at"
                    + " 'octofs umount DIR', SIGTERM or Ctrl-C."
        },
        footerHeading = "%nMount options (-o):%n")
public final class MountCommand implements OctofsCommand {
    private static final Logger LOG = LoggerFactory.getLogger(MountCommand.class);

    private static final Path DEVICE = Path.of("/dev/fuse");

    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "CLUSTER", description = "The cluster's file.")
    private Path clusterFile;

    @Parameters(index = "1", paramLabel = "DIR", description = "Where to mount: an empty directory.")
    private Path directory;

    @Option(
            names = "-o",
            paramLabel = "OPTIONS",
            description = "Mount options, separated by commas; may be given several times.")
    private List<String> options = new ArrayList<>();

    @Option(
            names = {"-f", "--foreground"},
            description = "Serve in this process, and log to standard error.")
    private boolean foreground;

    @Option(
            names = "--log",
            paramLabel = "FILE",
            description =
                    "Where the background process logs (default: /var/log/octofs for root, else ~/.local/state/octofs).")
    private Path log;

    @Option(
            names = "--announce",
            paramLabel = "FILE",
            hidden = true,
            description = "Written once it is mounted, for whoever started this process.")
    private Path announcement;

    /** For the command line, which finds it as a service. */
    public MountCommand() {}

    /** Completes the help; called by picocli once the command is built. */
    @Spec
    void describeOptions(CommandSpec command) {
        command.usageMessage().footer(MountConfig.help().toArray(String[]::new));
        spec = command;
    }

    @Override
    public void check() throws IOException {
        MountConfig config = config();
        config.parameters(directory, "");
        MountPoint.requireDevice(DEVICE);
        Path parent = directory.toAbsolutePath().normalize().getParent();
        if (parent == null || Files.exists(parent)) {
            MountPoint.check(MountPoint.resolve(directory), config.nonEmpty());
        }
    }

    private MountConfig config() {
        try {
            return MountConfig.parse(options);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        MountConfig config = config();
        ClusterMap map = ClusterFile.read(clusterFile);
        Path where = MountPoint.resolve(directory);
        MountPoint.requireDevice(DEVICE);
        if (foreground) {
            serve(map, where, config);
            return 0;
        }
        // Looked at here too: the words reach the user sooner, and an older mount is not taken for the new one.
        MountPoint.prepare(where, config.nonEmpty());
        List<String> arguments = new ArrayList<>(
                List.of("mount", clusterFile.toAbsolutePath().toString(), where.toString(), "--foreground"));
        for (String list : options) {
            arguments.add("-o");
            arguments.add(list);
        }
        Path said = log == null ? BackgroundMount.defaultLog(where) : log;
        spec.commandLine().getOut().println(BackgroundMount.start(where, arguments, said));
        return 0;
    }

    private void serve(ClusterMap map, Path where, MountConfig config) throws IOException, InterruptedException {
        MountPoint.prepare(where, config.nonEmpty());
        LOG.info("mounting cluster {} on {}: {}", map.name(), where, config);
        try (FsClient client = FsClient.connect(map, config.clientConfig(where));
                FirstThatMounts how =
                        new FirstThatMounts(config.bindings(), kind -> new FuseAdapter(client, config.policy(kind)))) {
            new MountProcess(config.parameters(where, map.name()), client::close, announcement).run(how);
        }
    }
}
