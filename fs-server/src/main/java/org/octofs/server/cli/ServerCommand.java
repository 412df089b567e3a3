package org.octofs.server.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.BindException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.octofs.pmem.PoolCorruptException;
import org.octofs.pmem.medium.Media;
import org.octofs.pmem.pool.PmemPool;
import org.octofs.pmem.pool.PoolExpectation;
import org.octofs.rpc.cluster.ClusterFile;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.cluster.ClusterNode;
import org.octofs.rpc.cluster.OctofsCommand;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricConfig;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.FabricFactory;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.fabric.TransportKind;
import org.octofs.server.ServerClock;
import org.octofs.server.server.FsServer;
import org.octofs.server.server.ServerConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code octofs server}: serves the pool of one node until SIGTERM or Ctrl-C, then closes it cleanly. The main thread becomes
 * the worker.
 */
@Command(name = "server", description = "Serves the pool of one node, in the foreground, until SIGTERM or Ctrl-C.")
public final class ServerCommand implements OctofsCommand {
    private static final long SHUTDOWN_SECONDS = 20;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "CLUSTER", description = "File that describes the cluster.")
    private Path clusterFile;

    @Option(names = "--node", required = true, paramLabel = "K", description = "Which node this is.")
    private int nodeId;

    @Option(
            names = "--transport",
            defaultValue = "auto",
            paramLabel = "KIND",
            description =
                    "How to be reached: auto (shm on this host, else verbs where both ends have RDMA devices, else"
                            + " tcp), shm, tcp or verbs (default: ${DEFAULT-VALUE}).")
    private TransportChoice transport;

    @Option(
            names = "--lease",
            defaultValue = "30",
            paramLabel = "SECONDS",
            description = "How long a lost client keeps what it has open and locked (default: ${DEFAULT-VALUE}).")
    private long leaseSeconds;

    @Mixin
    private PoolOptions poolOptions;

    private final AtomicBoolean stopping = new AtomicBoolean();
    private final CountDownLatch stopped = new CountDownLatch(1);

    @Override
    public Integer call() throws IOException {
        ClusterMap map = ClusterFile.read(clusterFile);
        ClusterNode node = CommandChecks.node(spec, map, nodeId);
        ServerConfig config = new ServerConfig(
                map,
                nodeId,
                Duration.ofSeconds(leaseSeconds),
                ServerConfig.LINGER_DEFAULT,
                transport,
                new SecureRandom().nextLong(),
                false);
        try (Fabric fabric = FabricFactory.create(fabricConfig(node))) {
            serve(config, node, fabric);
        } catch (FabricException e) {
            throw new IOException(e.getMessage(), e);
        } finally {
            stopped.countDown();
        }
        return 0;
    }

    private FabricConfig fabricConfig(ClusterNode node) throws IOException {
        Set<TransportKind> transports = switch (transport) {
            case SHM -> EnumSet.of(TransportKind.SHM);
            case TCP -> EnumSet.of(TransportKind.TCP);
            case VERBS -> EnumSet.of(TransportKind.VERBS);
            case AUTO, LOOPBACK -> EnumSet.of(TransportKind.SHM, TransportKind.TCP, TransportKind.VERBS);
        };
        // Zones are mapped by their offsets, which a DAX device only allows in whole pages of its own.
        if (Media.isDevice(node.pool()) && transports.remove(TransportKind.SHM) && transports.isEmpty()) {
            throw new IOException(node.pool() + " is a DAX device, which has no shared memory for other processes;"
                    + " use --transport verbs, tcp or auto");
        }
        SecureRandom random = new SecureRandom();
        return FabricConfig.defaults(
                        "server " + node.id(),
                        System::nanoTime,
                        random::nextLong,
                        Thread.ofPlatform().daemon().name("fabric-", 0).factory())
                .withTransports(transports);
    }

    private void serve(ServerConfig config, ClusterNode node, Fabric fabric) throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        ConsoleProgress progress = new ConsoleProgress(
                spec.commandLine().getErr(), ConsoleProgress.isTerminal(), System::nanoTime, "opening " + node.pool());
        try (FsServer server = open(config, node, fabric, progress)) {
            progress.end();
            Thread hook = Thread.ofPlatform().name("shutdown").unstarted(() -> stop(server));
            Runtime.getRuntime().addShutdownHook(hook);
            out.println("octofs server: node " + nodeId + " of cluster "
                    + config.map().name() + " serves " + node.pool() + " at " + node.address());
            out.flush();
            server.run(stopping::get);
        }
        out.println("octofs server: node " + nodeId + " has stopped");
        out.flush();
    }

    private FsServer open(ServerConfig config, ClusterNode node, Fabric fabric, ConsoleProgress progress)
            throws IOException {
        if (!Files.exists(node.pool())) {
            throw new IOException("there is no pool at " + node.pool() + "; make it with: octofs format " + clusterFile
                    + " --node " + nodeId);
        }
        try {
            PmemPool pool = PmemPool.open(
                    node.pool(),
                    poolOptions.kind(),
                    new PoolExpectation(
                            config.map().id(),
                            nodeId,
                            config.map().nodeCount(),
                            config.map().shardCount()),
                    poolOptions.medium(progress));
            spec.commandLine()
                    .getOut()
                    .println("octofs server: " + node.pool() + ": "
                            + pool.medium().describe());
            pool.notes().forEach(spec.commandLine().getErr()::println);
            return new FsServer(config, pool, fabric, ServerClock.system(), progress);
        } catch (PoolCorruptException e) {
            throw new IOException(node.pool() + " is damaged and is not served: " + e.getMessage(), e);
        } catch (BindException e) {
            throw new IOException(
                    "cannot listen at " + node.address() + ": " + e.getMessage() + "; is another server running there?",
                    e);
        } catch (NoSuchFileException e) {
            throw new IOException("there is no pool at " + node.pool(), e);
        }
    }

    /** Runs in the shutdown hook: the process ends when this returns, so it waits for the worker to close the pool. */
    private void stop(FsServer server) {
        stopping.set(true);
        server.wakeup();
        try {
            if (!stopped.await(SHUTDOWN_SECONDS, TimeUnit.SECONDS)) {
                System.err.println("octofs server: did not stop within " + SHUTDOWN_SECONDS
                        + " s; the next start recovers the pool");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
