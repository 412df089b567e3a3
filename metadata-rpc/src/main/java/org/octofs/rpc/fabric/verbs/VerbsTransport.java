package org.octofs.rpc.fabric.verbs;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmId;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.octofs.rpc.fabric.FabricConfig;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.FabricException.Reason;
import org.octofs.rpc.fabric.handshake.PendingConnection;
import org.octofs.rpc.fabric.handshake.Transport;
import org.octofs.rpc.fabric.handshake.TransportContext;
import org.octofs.rpc.fabric.host.ProcessIdentity;
import org.octofs.rpc.fabric.transport.AbstractConnection;
import org.octofs.rpc.fabric.transport.ArrivalQueue;
import org.octofs.rpc.fabric.transport.ConnectionPage;
import org.octofs.rpc.fabric.transport.ConnectionPageLayout;
import org.octofs.rpc.fabric.transport.ExportedRegion;
import org.octofs.rpc.fabric.verbs.provider.ForeignProvider;
import org.octofs.rpc.fabric.verbs.provider.NativeCmEvent;
import org.octofs.rpc.fabric.verbs.provider.NativeContext;
import org.octofs.rpc.fabric.verbs.provider.VerbsUnavailableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The verbs transport of one fabric: its devices, its loop, and where it listens.
 *
 * <p>Threading: any. Ownership: connections own what is theirs and are closed before.
 */
final class VerbsTransport implements Transport {
    private static final Logger LOG = LoggerFactory.getLogger(VerbsTransport.class);
    private static final Path DEVICES = Path.of("/sys/class/infiniband");
    private static final Path CONNECTION_MANAGER = Path.of("/dev/infiniband/rdma_cm");
    private static final int BACKLOG = 256;

    private final TransportContext context;
    private final ForeignProvider provider;
    private final List<VerbsDevice> devices;
    private final Map<VerbsParameters.Token, VerbsConnection> expected = new ConcurrentHashMap<>();
    private final Map<ArrivalQueue, Shared> sources = new HashMap<>();
    private VerbsLoop loop;
    private RdmaCmId listener;
    private int port;
    private List<InetAddress> addresses = List.of();
    private volatile String unusable;

    /** A source and how many connections use it. */
    private static final class Shared {
        private final CompletionSource source;
        private int users;

        Shared(CompletionSource source) {
            this.source = source;
        }
    }

    private VerbsTransport(TransportContext context, ForeignProvider provider, List<VerbsDevice> devices) {
        this.context = context;
        this.provider = provider;
        this.devices = devices;
    }

    /** Looks for devices and checks them. */
    static VerbsTransport start(TransportContext context) throws FabricException {
        List<VerbsDevice> devices = new ArrayList<>();
        try {
            checkKernel();
            ForeignProvider provider = ForeignProvider.install();
            String why = "none that the connection manager knows";
            for (NativeContext device : provider.cm().devices()) {
                if (provider.verbs().limits(device).hasWindows()) {
                    provider.check(device);
                    devices.add(new VerbsDevice(provider.verbs(), device, context.regions()));
                } else {
                    why = "none with memory windows of type 2, which OctoFS grants memory by";
                }
            }
            if (devices.isEmpty()) {
                throw new VerbsUnavailableException("no usable RDMA device: " + why);
            }
            return new VerbsTransport(context, provider, devices);
        } catch (IOException e) {
            devices.forEach(VerbsDevice::close);
            throw new FabricException(Reason.NO_TRANSPORT, e.getMessage(), e);
        }
    }

    private static void checkKernel() throws IOException {
        boolean hasDevice = false;
        if (Files.isDirectory(DEVICES)) {
            try (DirectoryStream<Path> all = Files.newDirectoryStream(DEVICES)) {
                hasDevice = all.iterator().hasNext();
            }
        }
        if (!hasDevice) {
            throw new VerbsUnavailableException("no RDMA device on this machine (" + DEVICES + " is empty); load the"
                    + " driver of the card, or make a device in software: modprobe rdma_rxe && rdma link add rxe0 type rxe"
                    + " netdev eth0");
        }
        if (!Files.exists(CONNECTION_MANAGER)) {
            throw new VerbsUnavailableException("no " + CONNECTION_MANAGER + "; run modprobe rdma_ucm");
        }
        if (!Files.isReadable(CONNECTION_MANAGER) || !Files.isWritable(CONNECTION_MANAGER)) {
            throw new VerbsUnavailableException(
                    "no permission to open " + CONNECTION_MANAGER + "; it and the devices beside it need mode 0666");
        }
    }

    FabricConfig config() {
        return context.config();
    }

    TransportContext context() {
        return context;
    }

    /** The loop; it runs from the first call on. */
    synchronized VerbsLoop loop() {
        if (loop == null) {
            throw new IllegalStateException("the verbs transport has no loop yet");
        }
        return loop;
    }

    private synchronized void startLoop() throws FabricException {
        if (loop == null) {
            try {
                loop = new VerbsLoop(config(), provider.cm());
                loop.start();
            } catch (IOException e) {
                throw new FabricException(Reason.RESOURCES, "the verbs transport: " + e.getMessage(), e);
            }
        }
    }

    /** The device of an id. */
    VerbsDevice device(NativeContext wanted) throws IOException {
        for (VerbsDevice device : devices) {
            if (device.context().isSameAs(wanted)) {
                return device;
            }
        }
        throw new IOException("the route leads over an RDMA device that cannot be used");
    }

    // Memory.

    @Override
    public void registered(ExportedRegion region) throws FabricException {
        try {
            checkRegistered(region);
        } catch (FabricException e) {
            unusable = e.getMessage();
            throw e;
        }
    }

    /** Registers a region with the first device, which finds out whether it can be. */
    void checkRegistered(ExportedRegion region) throws FabricException {
        var _ = devices.get(0).register(region);
    }

    // Sources.

    synchronized CompletionSource acquireSource(ArrivalQueue queue) {
        Shared shared = sources.get(queue);
        if (shared == null) {
            shared = new Shared(new CompletionSource(queue, loop));
            sources.put(queue, shared);
            queue.addSource(shared.source);
            loop.add(shared.source);
        }
        shared.users++;
        return shared.source;
    }

    synchronized void releaseSource(ArrivalQueue queue) {
        Shared shared = sources.get(queue);
        if (shared != null && --shared.users == 0) {
            sources.remove(queue);
            queue.removeSource(shared.source);
            loop.remove(shared.source);
        }
    }

    /** For tests: receive queues that connections use. */
    synchronized int sourceCount() {
        return sources.size();
    }

    // Connections.

    private static ConnectionPage newPage() {
        // Only the grants in it are used; nobody else maps it, so there is nothing to prove with a token.
        return ConnectionPage.create(Arena.ofAuto().allocate(ConnectionPageLayout.SIZE_BYTES, Long.BYTES), 0, 0);
    }

    @Override
    public PendingConnection offer(ArrivalQueue queue) throws FabricException {
        startLoop();
        return new Calling(new VerbsConnection(this, queue, newPage()));
    }

    @Override
    public PendingConnection consider(ProcessIdentity peer, byte[] parameters, ArrivalQueue queue)
            throws FabricException {
        VerbsParameters.checkCaller(parameters);
        if (unusable != null) {
            throw new FabricException(Reason.NO_TRANSPORT, unusable);
        }
        startLoop();
        listen();
        VerbsConnection connection = new VerbsConnection(this, queue, newPage());
        VerbsParameters own = new VerbsParameters(
                port, config().random().getAsLong(), config().random().getAsLong(), addresses);
        expected.put(new VerbsParameters.Token(own.tokenHigh(), own.tokenLow()), connection);
        return new Called(connection, own.encode());
    }

    private synchronized void listen() throws FabricException {
        if (listener != null) {
            return;
        }
        RdmaCmId id = null;
        try {
            addresses = findAddresses();
            if (addresses.isEmpty()) {
                throw new IOException("no RDMA device has an IP address; give its network interface one");
            }
            id = loop.cmChannel().createId(RdmaCm.RDMA_PS_TCP);
            id.bindAddr(new InetSocketAddress(InetAddress.getByAddress(new byte[Integer.BYTES]), 0));
            loop.handle(id, this::onRequest);
            id.listen(BACKLOG);
            port = ((InetSocketAddress) id.getSource()).getPort();
            listener = id;
        } catch (IOException e) {
            if (id != null) {
                destroy(id);
            }
            throw new FabricException(Reason.RESOURCES, "cannot listen for RDMA connections: " + e.getMessage(), e);
        }
    }

    /** The addresses of this host that belong to a device: those that an id can be bound to. */
    private List<InetAddress> findAddresses() throws IOException {
        List<InetAddress> found = new ArrayList<>();
        for (NetworkInterface network : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            if (!network.isUp() || network.isLoopback()) {
                continue;
            }
            for (InetAddress address : Collections.list(network.getInetAddresses())) {
                if (address.isLinkLocalAddress() || found.size() == VerbsParameters.ADDRESS_COUNT_MAX) {
                    continue;
                }
                if (address instanceof java.net.Inet4Address && belongsToDevice(address)) {
                    found.add(address);
                }
            }
        }
        return found;
    }

    private boolean belongsToDevice(InetAddress address) throws IOException {
        RdmaCmId id = loop.cmChannel().createId(RdmaCm.RDMA_PS_TCP);
        try {
            id.bindAddr(new InetSocketAddress(address, 0));
            if (id.getVerbs() == null) {
                return false;
            }
            var _ = device((NativeContext) id.getVerbs());
            return true;
        } catch (IOException e) {
            LOG.debug("no RDMA at {}: {}", address, e.getMessage());
            return false;
        } finally {
            id.destroyId();
        }
    }

    /** On the loop: a queue pair wants to connect. */
    private void onRequest(NativeCmEvent event) {
        RdmaCmId id = event.getConnIdPriv();
        if (event.getEvent() != NativeCmEvent.CONNECT_REQUEST) {
            LOG.warn("listening for RDMA connections: {}", event.text());
            return;
        }
        VerbsParameters.Token token = VerbsParameters.tokenOf(event.privateData());
        VerbsConnection connection = token == null ? null : expected.get(token);
        boolean prepared = false;
        try {
            if (connection == null) {
                throw new IOException("it belongs to no handshake");
            }
            // The caller may have given up a try that is still being answered here, and come by another address.
            withdraw(connection);
            VerbsDevice device = device((NativeContext) id.getVerbs());
            loop.handle(id, later -> onAnswered(connection, later));
            connection.prepare(id, device);
            prepared = true;
            id.accept(Dialer.parameters(new byte[0], device.limits()));
        } catch (IOException e) {
            LOG.debug("refusing a connection request: {}", e.getMessage());
            if (prepared && connection.unprepare() == null) {
                return; // the connection has been closed meanwhile, and has freed it
            }
            try {
                provider.cm().reject(id);
            } catch (IOException alreadyGone) {
                LOG.debug("rejecting", alreadyGone);
            }
            destroy(id);
        }
    }

    /** On the loop: takes back the answer to a request for a connection, if there is one. */
    private void withdraw(VerbsConnection connection) {
        RdmaCmId before = connection.unprepare();
        if (before != null) {
            destroy(before);
        }
    }

    /** On the loop: what has become of the answer to a request. Until it is established, another may come. */
    private void onAnswered(VerbsConnection connection, NativeCmEvent event) {
        if (event.getEvent() == NativeCmEvent.ESTABLISHED) {
            forget(connection);
            onConnectionEvent(connection, event);
        } else if (expected.containsValue(connection)) {
            LOG.debug("not connected: {}", event.text());
            withdraw(connection);
        } else {
            onConnectionEvent(connection, event);
        }
    }

    /** On the loop: something happened to a connection's id. */
    void onConnectionEvent(VerbsConnection connection, NativeCmEvent event) {
        switch (event.getEvent()) {
            case NativeCmEvent.ESTABLISHED -> connection.connected();
            case NativeCmEvent.ADDRESS_CHANGE, NativeCmEvent.TIMEWAIT_EXIT -> LOG.debug("{}", event.text());
            default -> connection.fail(event.text());
        }
    }

    /** The connection is closed. */
    void forget(VerbsConnection connection) {
        expected.values().remove(connection);
    }

    /** Frees an id. Not while the loop handles an event of it that is not acknowledged: it would wait for ever. */
    void destroy(RdmaCmId id) {
        VerbsLoop current;
        synchronized (this) {
            current = loop;
        }
        current.forget(id);
        try {
            id.destroyId();
        } catch (IOException e) {
            LOG.warn("cannot free an id of the connection manager: {}", e.getMessage());
        }
    }

    @Override
    public void close() {
        VerbsLoop running;
        synchronized (this) {
            running = loop;
        }
        if (running != null) {
            if (listener != null) {
                destroy(listener);
            }
            running.close();
        }
    }

    /** The devices' domains go when the regions have: their registrations live in them. */
    @Override
    public void regionsClosed() {
        devices.forEach(VerbsDevice::close);
    }

    /** The connecting half. */
    private final class Calling implements PendingConnection {
        private final VerbsConnection connection;

        Calling(VerbsConnection connection) {
            this.connection = connection;
        }

        @Override
        public AbstractConnection connection() {
            return connection;
        }

        @Override
        public byte[] parameters() {
            return VerbsParameters.ofCaller();
        }

        @Override
        public void complete(byte[] peerParameters) throws FabricException {
            VerbsParameters peer = VerbsParameters.decode(peerParameters);
            long deadline = config().clock().getAsLong() + config().handshakeNanos();
            StringBuilder problems = new StringBuilder();
            int left = peer.addresses().size();
            for (InetAddress address : peer.addresses()) {
                long now = config().clock().getAsLong();
                try {
                    // One that does not answer must not take all the time; but the first one mostly is the right one.
                    long end = left == 1 ? deadline : now + (deadline - now) / 2;
                    new Dialer(VerbsTransport.this, connection, peer, end).dial(address);
                    return;
                } catch (IOException e) {
                    problems.append("; ")
                            .append(address.getHostAddress())
                            .append(": ")
                            .append(e.getMessage());
                }
                left--;
            }
            throw new FabricException(Reason.NO_TRANSPORT, "no RDMA connection to the peer's devices" + problems);
        }

        @Override
        public void adopt(SocketChannel socket) throws IOException {
            connection.adopt(socket, false);
        }
    }

    /** The accepting half. */
    private static final class Called implements PendingConnection {
        private final VerbsConnection connection;
        private final byte[] parameters;

        Called(VerbsConnection connection, byte[] parameters) {
            this.connection = connection;
            this.parameters = parameters;
        }

        @Override
        public AbstractConnection connection() {
            return connection;
        }

        @Override
        public byte[] parameters() {
            return parameters;
        }

        @Override
        public void complete(byte[] peerParameters) {
            // The peer's half comes by the connection manager.
        }

        @Override
        public void adopt(SocketChannel socket) throws IOException {
            connection.adopt(socket, true);
        }
    }
}
