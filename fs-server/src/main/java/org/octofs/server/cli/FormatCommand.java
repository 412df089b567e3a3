package org.octofs.server.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import org.octofs.pmem.medium.Media;
import org.octofs.pmem.pool.FormatRequest;
import org.octofs.pmem.pool.GeometryOptions;
import org.octofs.pmem.pool.PoolFormatter;
import org.octofs.pmem.pool.PoolGeometry;
import org.octofs.pmem.pool.PoolIdentity;
import org.octofs.rpc.cluster.ClusterFile;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.cluster.ClusterNode;
import org.octofs.rpc.cluster.OctofsCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code octofs format}: makes the pool of one node. The server's first start puts the file system into it. */
@Command(name = "format", description = "Makes the pool of one node; run it once per node before the servers start.")
public final class FormatCommand implements OctofsCommand {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "CLUSTER", description = "File that describes the cluster.")
    private Path clusterFile;

    @Option(names = "--node", required = true, paramLabel = "K", description = "Which node's pool.")
    private int nodeId;

    @Option(
            names = "--pool-size",
            defaultValue = "1G",
            paramLabel = "SIZE",
            description = "Size of the pool, 64M or more (default: ${DEFAULT-VALUE}).")
    private String poolSize;

    @Option(
            names = "--metadata-share",
            defaultValue = "8",
            paramLabel = "N",
            description = "One Nth of the pool is for names, inodes and block maps (default: ${DEFAULT-VALUE}).")
    private int metadataShare;

    @Option(names = "--force", description = "Replace an existing pool; everything in it is lost.")
    private boolean force;

    @Mixin
    private PoolOptions pool;

    @Override
    public void check() {
        try {
            PoolGeometry.forPool(ByteSize.parse(poolSize), geometry());
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private GeometryOptions geometry() {
        return GeometryOptions.defaults().withMetadataShare(metadataShare);
    }

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        ClusterMap map = ClusterFile.read(clusterFile);
        ClusterNode node = CommandChecks.node(spec, map, nodeId);
        ConsoleProgress progress = new ConsoleProgress(
                spec.commandLine().getErr(),
                ConsoleProgress.isTerminal(),
                System::nanoTime,
                "formatting " + node.pool());
        if (Media.isDevice(node.pool()) && spec.commandLine().getParseResult().hasMatchedOption("--pool-size")) {
            throw new ParameterException(
                    spec.commandLine(),
                    node.pool() + " is a DAX device and becomes a pool as a whole; leave --pool-size out");
        }
        long sizeBytes;
        try {
            sizeBytes = PoolFormatter.format(new FormatRequest(
                    node.pool(),
                    ByteSize.parse(poolSize),
                    pool.kind(),
                    new PoolIdentity(map.id(), nodeId, map.nodeCount(), map.shardCount()),
                    geometry(),
                    pool.medium(progress),
                    System.currentTimeMillis(),
                    force));
        } catch (FileAlreadyExistsException e) {
            throw new IOException(
                    node.pool() + " exists already; if what it holds is not needed, give --force to replace it", e);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        } finally {
            progress.end();
        }
        out.println("formatted " + node.pool() + ": " + ByteSize.print(sizeBytes) + " for node " + nodeId
                + " of cluster " + map.name());
        out.flush();
        return 0;
    }
}
