package org.octofs.client.dev;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.cluster.OctofsCommand;
import org.octofs.rpc.cluster.TransportConverter;
import org.octofs.rpc.fabric.TransportChoice;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code octofs dev}: a whole cluster on this machine, with its pools in memory. */
@Command(
        name = "dev",
        description = {
            "Runs a whole cluster on this machine: formats pools in memory, starts servers and mounts.",
            "Without a command it stays in the foreground and cleans up at Ctrl-C."
        },
        subcommands = {
            DevCommand.Up.class,
            DevCommand.Down.class,
            DevCommand.Status.class,
            DevCommand.Kill.class,
            DevCommand.StartNode.class,
            DevCommand.Mount.class
        })
public final class DevCommand implements OctofsCommand {
    private static final int NODES_MAX = 64;

    @Mixin
    private DevOptions options;

    @Mixin
    private DevOptions.Start start;

    @Mixin
    private DevOptions.Mounting mounting;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        DevCluster cluster = prepare(spec, options, start, mounting);
        CountDownLatch ended = new CountDownLatch(1);
        // From here on the cluster is this process's, and goes with it.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> clean(cluster, ended), "dev-clean-up"));
        launch(cluster, start, mounting);
        System.out.println("Ctrl-C stops and removes all of it.");
        ended.await();
        return 0;
    }

    private static void clean(DevCluster cluster, CountDownLatch ended) {
        try {
            cluster.down();
        } catch (IOException e) {
            System.err.println("octofs: " + e.getMessage());
        } finally {
            ended.countDown();
        }
    }

    /** Refuses what cannot be; afterwards the state folder describes the cluster. */
    private static DevCluster prepare(
            CommandSpec spec, DevOptions options, DevOptions.Start start, DevOptions.Mounting mounting)
            throws IOException {
        if (start.nodes < 1 || start.nodes > NODES_MAX) {
            throw new ParameterException(
                    spec.commandLine(), "--nodes is " + start.nodes + "; 1 to " + NODES_MAX + " can run here");
        }
        if (start.shards < start.nodes || start.shards > ClusterMap.SHARDS_MAX) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--shards is " + start.shards + "; " + start.nodes + " to " + ClusterMap.SHARDS_MAX
                            + " are possible, at least one per node");
        }
        DevCluster cluster = options.cluster();
        if (cluster.anythingRuns()) {
            throw new IOException("a cluster is up already in "
                    + options.devState().folder() + "; 'octofs dev down' ends it, --state DIR runs another beside it");
        }
        Beforehand beforehand = new Beforehand(spec, options.devState());
        if (start.mount != null || !mounting.mountOptions().isEmpty()) {
            beforehand.mount(start.mount, mounting.mountOptions());
        }
        if (!options.devState().exists()) {
            beforehand.pools(options.pools, start.poolSize);
            cluster.describe(start.nodes, start.shards);
        } else if (cluster.map().nodeCount() != start.nodes) {
            throw new IOException("the cluster in " + options.devState().folder() + " has "
                    + cluster.map().nodeCount() + " nodes, not " + start.nodes + "; 'octofs dev down' removes it");
        }
        return cluster;
    }

    private static void launch(DevCluster cluster, DevOptions.Start start, DevOptions.Mounting mounting)
            throws IOException {
        cluster.formatMissing(start.poolSize, "advise");
        cluster.startServers(mounting.transportName());
        if (start.mount != null) {
            cluster.mount(start.mount, mounting.mountOptions());
        }
    }

    /** What all subcommands share: options before the subcommand count as well. */
    abstract static class Subcommand implements Callable<Integer> {
        @Spec
        private CommandSpec spec;

        CommandSpec spec() {
            return spec;
        }

        @Override
        public final Integer call() throws IOException {
            OptionsBefore.handOn(spec);
            return run();
        }

        /** Answers the exit code. */
        abstract int run() throws IOException;
    }

    /** {@code dev up}. */
    @Command(name = "up", description = "Formats if needed, starts the servers, mounts, and leaves all of it running.")
    static final class Up extends Subcommand {
        @Mixin
        private DevOptions options;

        @Mixin
        private DevOptions.Start start;

        @Mixin
        private DevOptions.Mounting mounting;

        @Override
        int run() throws IOException {
            boolean existed = options.devState().exists();
            DevCluster cluster = prepare(spec(), options, start, mounting);
            boolean complete = false;
            try {
                launch(cluster, start, mounting);
                complete = true;
            } finally {
                if (!complete && existed) {
                    // Its pools hold somebody's data: stop what was started, remove nothing.
                    cluster.stop();
                } else if (!complete) {
                    cluster.down();
                }
            }
            return 0;
        }
    }

    /** {@code dev down}. */
    @Command(name = "down", description = "Unmounts, stops the servers, and removes pools, logs and state.")
    static final class Down extends Subcommand {
        @Mixin
        private DevOptions options;

        @Override
        int run() throws IOException {
            options.cluster().down();
            return 0;
        }
    }

    /** {@code dev status}. */
    @Command(name = "status", description = "Lists servers and mounts; exit code 0 if every server serves.")
    static final class Status extends Subcommand {
        @Mixin
        private DevOptions options;

        @Override
        int run() throws IOException {
            DevCluster cluster = options.cluster();
            cluster.status().forEach(System.out::println);
            return cluster.allServing() ? 0 : 1;
        }
    }

    /** {@code dev kill}. */
    @Command(name = "kill", description = "Kills one server with SIGKILL, to try failures.")
    static final class Kill extends Subcommand {
        @Mixin
        private DevOptions options;

        @Option(names = "--node", paramLabel = "K", required = true, description = "Which server.")
        private int node;

        @Override
        int run() throws IOException {
            options.cluster().killServer(node);
            return 0;
        }
    }

    /** {@code dev start}. */
    @Command(name = "start", description = "Starts one server again.")
    static final class StartNode extends Subcommand {
        @Mixin
        private DevOptions options;

        @Option(names = "--node", paramLabel = "K", required = true, description = "Which server.")
        private int node;

        @Option(
                names = "--transport",
                defaultValue = "auto",
                paramLabel = "auto|shm|tcp|verbs",
                description = "How it reaches other servers (default: ${DEFAULT-VALUE}).")
        private TransportChoice transport;

        @Override
        int run() throws IOException {
            options.cluster().startServer(node, TransportConverter.name(transport));
            return 0;
        }
    }

    /** {@code dev mount}. */
    @Command(name = "mount", description = "Adds a mount of the same cluster: another client process.")
    static final class Mount extends Subcommand {
        @Mixin
        private DevOptions options;

        @Mixin
        private DevOptions.Mounting mounting;

        @Parameters(paramLabel = "DIR", description = "Where; made if it does not exist.")
        private Path directory;

        @Override
        int run() throws IOException {
            DevCluster cluster = options.cluster();
            cluster.map(); // or the words that there is none
            new Beforehand(spec(), options.devState()).mount(directory, mounting.mountOptions());
            cluster.mount(directory, mounting.mountOptions());
            return 0;
        }
    }
}
