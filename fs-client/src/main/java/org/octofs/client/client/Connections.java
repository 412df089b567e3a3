package org.octofs.client.client;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.octofs.client.data.FileData;
import org.octofs.client.link.Links;
import org.octofs.client.link.PmemCopier;
import org.octofs.client.link.ReclaimSource;
import org.octofs.client.link.ServerLink;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.fabric.BulkCopier;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricConfig;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.FabricFactory;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.rpc.RpcException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A client's fabric and links, from connecting to saying goodbye. */
final class Connections implements ReclaimSource, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Connections.class);

    /** All block pushes, and hardly any message. */
    private static final int BULK_BYTES = 4096;

    /** Enough for a server that is there, on a loaded machine too; the wait is for mounts while one is down. */
    private static final long OTHERS_NANOS = 3_000_000_000L;

    private static final long GOODBYE_NANOS = 1_000_000_000L;

    private final ClusterMap map;
    private final ClientConfig config;
    private final HeldLocks held;
    private final Fabric fabric;
    private final boolean ownsFabric;
    private final Links links;
    private volatile FileData data;

    Connections(ClusterMap map, ClientConfig config, HeldLocks held) throws IOException {
        this.map = map;
        this.config = config;
        this.held = held;
        this.ownsFabric = config.fabric() == null;
        this.fabric = ownsFabric ? createFabric(config) : config.fabric();
        long clientId = (config.random().getAsLong() & Long.MAX_VALUE) | 1;
        boolean success = false;
        try {
            this.links = new Links(fabric, map, config, new ClientCounters(), clientId, this);
            success = true;
        } catch (RpcException e) {
            throw new IOException("cannot start the connections to the cluster: " + e.getMessage(), e);
        } finally {
            if (!success && ownsFabric) {
                fabric.close();
            }
        }
    }

    private static Fabric createFabric(ClientConfig config) throws IOException {
        FabricConfig fabricConfig =
                FabricConfig.defaults(config.name(), config.clock(), config.random(), config.threads());
        Optional<BulkCopier> copier = PmemCopier.load();
        if (copier.isPresent()) {
            fabricConfig = fabricConfig.withBulkCopier(copier.get(), BULK_BYTES);
        } else {
            LOG.warn("libpmem is not installed: data pushed over shared memory is durable on emulated memory only");
        }
        try {
            return FabricFactory.create(fabricConfig);
        } catch (FabricException e) {
            throw new IOException("no fabric: " + e.getMessage(), e);
        }
    }

    Links links() {
        return links;
    }

    /** From now on, restarted servers are told what is open. */
    void serveReclaims(FileData newData) {
        data = newData;
    }

    /**
     * Waits for the servers: for the home of the root directory as long as it may take, since without it there is nothing; for
     * others a moment. Whoever needs one that is away waits for it then. Fails if any server refuses this client, being of another
     * cluster say.
     */
    void awaitServers() throws FsException {
        long start = fabric.nanoTime();
        long deadline = start + config.connectDeadline().toNanos();
        long soon = start + Math.min(config.connectDeadline().toNanos(), OTHERS_NANOS);
        int root = links.homeOf(InodeNumber.ROOT);
        if (!links.node(root).awaitConnected(deadline)) {
            throw new FsException(
                    Errno.EIO,
                    "node " + root + " at " + links.node(root).address() + " does not answer; nothing goes without it,"
                            + " the home of the root directory: start its server there (octofs server CLUSTER --node "
                            + root + ")");
        }
        links.node(root).pool(deadline);
        for (int node = 0; node < links.nodeCount(); node++) {
            ServerLink link = links.node(node);
            if (link.awaitConnected(soon)) {
                link.pool(deadline);
            } else {
                LOG.warn(
                        "node {} at {} does not answer; what is at home there waits for it, up to {} s per call",
                        node,
                        link.address(),
                        config.operationDeadline().toSeconds());
            }
        }
    }

    @Override
    public void reconnected(int nodeId) {
        FileData files = data;
        if (files != null) {
            files.greetLater(nodeId);
        }
    }

    @Override
    public long[] opens(int nodeId) {
        FileData files = data;
        return files == null ? new long[0] : files.registeredOpens(nodeId);
    }

    @Override
    public HeldLock[] locks(int nodeId) {
        List<HeldLock> here = held.all().stream()
                .filter(l -> map.homeOf(InodeNumber.shard(l.ino())) == nodeId)
                .toList();
        return here.toArray(new HeldLock[0]);
    }

    @Override
    public void close() {
        for (int node = 0; node < links.nodeCount(); node++) {
            try {
                links.node(node).leave(fabric.nanoTime() + GOODBYE_NANOS);
            } catch (FsException e) {
                LOG.debug("node {} could not be told goodbye: {}", node, e.getMessage());
            }
        }
        links.close();
        if (ownsFabric) {
            fabric.close();
        }
    }
}
