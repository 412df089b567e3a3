package org.octofs.rpc.fabric.network;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.fabric.ConnectionAcceptor;
import org.octofs.rpc.fabric.ConnectionState;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricConfig;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.FabricException.Reason;
import org.octofs.rpc.fabric.Listener;
import org.octofs.rpc.fabric.MemoryRegion;
import org.octofs.rpc.fabric.ReceiveQueue;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.fabric.TransportChooser;
import org.octofs.rpc.fabric.TransportKind;
import org.octofs.rpc.fabric.handshake.Caller;
import org.octofs.rpc.fabric.handshake.ConnectionKeeper;
import org.octofs.rpc.fabric.handshake.ControlLoop;
import org.octofs.rpc.fabric.handshake.Doorman;
import org.octofs.rpc.fabric.handshake.Transport;
import org.octofs.rpc.fabric.handshake.TransportContext;
import org.octofs.rpc.fabric.handshake.TransportProvider;
import org.octofs.rpc.fabric.host.HostException;
import org.octofs.rpc.fabric.host.ProcessIdentity;
import org.octofs.rpc.fabric.transport.AbstractConnection;
import org.octofs.rpc.fabric.transport.ArrivalQueue;
import org.octofs.rpc.fabric.transport.ExportedRegion;
import org.octofs.rpc.fabric.transport.RegionTable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The fabric of a real process.
 *
 * <p>Threading: any. Ownership: as {@link Fabric} says; closing goes listeners, connections, queues, transports, regions,
 * control thread.
 */
public final class NetworkFabric implements Fabric, ConnectionKeeper {
    private static final Logger LOG = LoggerFactory.getLogger(NetworkFabric.class);

    /** What this process has been told to lack. */
    private static final Set<TransportKind> SAID = ConcurrentHashMap.newKeySet();

    private final FabricConfig config;
    private final TransportContext context;
    private final Map<TransportKind, Transport> transports = new EnumMap<>(TransportKind.class);
    private final Map<TransportKind, String> missing = new EnumMap<>(TransportKind.class);
    private final Set<Listener> listeners = ConcurrentHashMap.newKeySet();
    private final Set<AbstractConnection> connections = ConcurrentHashMap.newKeySet();
    private final Set<ArrivalQueue> queues = ConcurrentHashMap.newKeySet();
    private final Set<TransportKind> unusable = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * Starts the configured transports.
     *
     * @throws FabricException RESOURCES when this machine lacks /proc; NO_TRANSPORT when it has none of those allowed
     */
    public NetworkFabric(FabricConfig config) throws FabricException {
        this.config = config;
        try {
            this.context = new TransportContext(
                    config, new RegionTable(config.random()), ProcessIdentity.self(), new ControlLoop(config));
        } catch (HostException e) {
            throw new FabricException(Reason.RESOURCES, e.getMessage(), e);
        }
        for (TransportProvider provider :
                ServiceLoader.load(TransportProvider.class, NetworkFabric.class.getClassLoader())) {
            if (config.transports().contains(provider.kind())) {
                start(provider);
            }
        }
        checkAnyIsThere();
        LOG.debug("fabric '{}' with transports {}", config.name(), transports.keySet());
    }

    private void start(TransportProvider provider) {
        try {
            transports.put(provider.kind(), provider.start(context));
        } catch (FabricException e) {
            missing.put(provider.kind(), e.getMessage());
            LOG.debug("transport {} is not available: {}", provider.kind(), e.getMessage());
        }
    }

    /** Once per process, and not where the best transport is used anyway. */
    private void sayWhatIsMissing() {
        missing.forEach((kind, reason) -> {
            if (SAID.add(kind)) {
                LOG.info("transport {} is not available, others are used: {}", kind, reason);
            }
        });
    }

    private void checkAnyIsThere() throws FabricException {
        if (transports.isEmpty() && !missing.isEmpty()) {
            throw new FabricException(
                    Reason.NO_TRANSPORT,
                    missing.entrySet().stream()
                            .map(entry -> "transport " + entry.getKey() + " is not available: " + entry.getValue())
                            .collect(Collectors.joining("; ")));
        }
    }

    @Override
    public FabricConfig config() {
        return config;
    }

    @Override
    public MemoryRegion allocate(long lengthBytes, Set<Access> access) throws FabricException {
        checkOpen();
        return context.regions().allocate(lengthBytes, access);
    }

    @Override
    public MemoryRegion register(MemorySegment memory, Path file, long fileOffset, Set<Access> access)
            throws FabricException {
        checkOpen();
        ExportedRegion region = context.regions().register(memory, file, fileOffset, access);
        try {
            tellTransports(region);
        } catch (FabricException e) {
            region.close();
            throw e;
        }
        return region;
    }

    /** A transport that cannot reach a region is no use; but another may do. */
    private void tellTransports(ExportedRegion region) throws FabricException {
        for (Map.Entry<TransportKind, Transport> entry : transports.entrySet()) {
            try {
                entry.getValue().registered(region);
            } catch (FabricException e) {
                if (transports.size() == 1) {
                    throw e;
                }
                if (unusable.add(entry.getKey())) {
                    LOG.warn("transport {} cannot be used: {}", entry.getKey(), e.getMessage());
                }
            }
        }
    }

    @Override
    public ReceiveQueue createReceiveQueue() throws FabricException {
        checkOpen();
        ArrivalQueue queue = new ArrivalQueue(config);
        queues.removeIf(ArrivalQueue::isClosed);
        queues.add(queue);
        return queue;
    }

    @Override
    public Listener listen(InetSocketAddress address, ReceiveQueue queue, ConnectionAcceptor acceptor)
            throws IOException {
        if (closed) {
            throw new IOException("the fabric is closed");
        }
        sayWhatIsMissing();
        Listener listener = Doorman.open(context, transports, address, (ArrivalQueue) queue, acceptor, this);
        listeners.add(listener);
        return listener;
    }

    @Override
    public Connection connect(
            InetSocketAddress peer, TransportChoice choice, byte[] privateData, ReceiveQueue queue, long deadlineNanos)
            throws FabricException {
        checkOpen();
        if (privateData.length > PRIVATE_DATA_BYTES_MAX) {
            throw new IllegalArgumentException("private data of " + privateData.length + " bytes; at most "
                    + PRIVATE_DATA_BYTES_MAX + " are possible");
        }
        List<TransportKind> kinds = TransportChooser.offers(choice, transports.keySet(), missing);
        Connection connection = new Caller(
                        context, transports, peer, privateData.clone(), (ArrivalQueue) queue, deadlineNanos)
                .connect(kinds, this);
        if (connection.transport() == TransportKind.TCP && choice == TransportChoice.AUTO) {
            sayWhatIsMissing();
        }
        return connection;
    }

    private void checkOpen() throws FabricException {
        if (closed) {
            throw new FabricException(Reason.CLOSED, "the fabric is closed");
        }
    }

    @Override
    public void opened(AbstractConnection connection) {
        connections.removeIf(other -> other.state() == ConnectionState.CLOSED);
        connections.add(connection);
        if (closed) {
            connection.close(); // close() may have missed it
        }
    }

    @Override
    public void closed(Listener listener) {
        listeners.remove(listener);
    }

    @Override
    public void close() {
        closed = true;
        List.copyOf(listeners).forEach(Listener::close);
        connections.forEach(AbstractConnection::close);
        connections.clear();
        queues.forEach(ArrivalQueue::close);
        queues.clear();
        transports.values().forEach(Transport::close);
        context.regions().closeAll();
        transports.values().forEach(Transport::regionsClosed);
        transports.clear();
        context.control().close();
    }
}
