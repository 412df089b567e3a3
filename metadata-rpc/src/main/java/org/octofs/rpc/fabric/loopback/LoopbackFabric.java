package org.octofs.rpc.fabric.loopback;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.octofs.rpc.fabric.AcceptDecision;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.fabric.ConnectionAcceptor;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricConfig;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.FabricException.Reason;
import org.octofs.rpc.fabric.IncomingConnection;
import org.octofs.rpc.fabric.Listener;
import org.octofs.rpc.fabric.MemoryRegion;
import org.octofs.rpc.fabric.PeerProcess;
import org.octofs.rpc.fabric.ReceiveQueue;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.fabric.TransportKind;
import org.octofs.rpc.fabric.transport.ArrivalQueue;
import org.octofs.rpc.fabric.transport.ProgressSource;
import org.octofs.rpc.fabric.transport.RegionTable;

/** A fabric on a {@link LoopbackNetwork}. Threading and ownership as {@link Fabric} says. */
final class LoopbackFabric implements Fabric {
    private final LoopbackNetwork network;
    private final FabricConfig config;
    private final int processNumber;
    private final RegionTable regions;
    private final Set<LoopbackListener> listeners = ConcurrentHashMap.newKeySet();
    private final Set<LoopbackConnection> connections = ConcurrentHashMap.newKeySet();
    private final Set<ArrivalQueue> queues = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    LoopbackFabric(LoopbackNetwork network, FabricConfig config, int processNumber) {
        this.network = network;
        this.config = config;
        this.processNumber = processNumber;
        this.regions = new RegionTable(config.random());
    }

    LoopbackNetwork network() {
        return network;
    }

    RegionTable regions() {
        return regions;
    }

    @Override
    public FabricConfig config() {
        return config;
    }

    @Override
    public MemoryRegion allocate(long lengthBytes, Set<Access> access) throws FabricException {
        return regions.allocate(lengthBytes, access);
    }

    @Override
    public MemoryRegion register(MemorySegment memory, Path file, long fileOffset, Set<Access> access)
            throws FabricException {
        return regions.register(memory, file, fileOffset, access);
    }

    @Override
    public ReceiveQueue createReceiveQueue() throws FabricException {
        ArrivalQueue queue = new ArrivalQueue(config);
        if (network.scheduler() != null) {
            queue.addSource(new SchedulerSource(network.scheduler()));
        }
        queues.add(queue);
        return queue;
    }

    @Override
    public Listener listen(InetSocketAddress address, ReceiveQueue queue, ConnectionAcceptor acceptor)
            throws IOException {
        LoopbackListener listener = new LoopbackListener(this, (ArrivalQueue) queue, acceptor);
        listener.bind(address);
        listeners.add(listener);
        return listener;
    }

    @Override
    public Connection connect(
            InetSocketAddress peer, TransportChoice choice, byte[] privateData, ReceiveQueue queue, long deadlineNanos)
            throws FabricException {
        if (privateData.length > PRIVATE_DATA_BYTES_MAX) {
            throw new IllegalArgumentException("private data of " + privateData.length + " bytes");
        }
        if (closed) {
            throw new FabricException(Reason.CLOSED, "the fabric is closed");
        }
        if (choice == TransportChoice.SHM || choice == TransportChoice.TCP) {
            throw new FabricException(Reason.NO_TRANSPORT, "a loopback network has no transport " + choice);
        }
        LoopbackListener listener = network.find(peer);
        if (listener == null) {
            throw new FabricException(Reason.UNREACHABLE, "nobody listens at " + peer);
        }
        Attempt attempt = new Attempt(listener, (ArrivalQueue) queue, privateData.clone());
        if (network.scheduler() != null) {
            attempt.decide();
        } else {
            listener.queue().enqueue(attempt::decide);
            attempt.awaitDecision(deadlineNanos);
        }
        return attempt.result();
    }

    void forget(LoopbackListener listener) {
        listeners.remove(listener);
    }

    void forget(LoopbackConnection connection) {
        connections.remove(connection);
    }

    @Override
    public void close() {
        closed = true;
        List.copyOf(listeners).forEach(LoopbackListener::close);
        List.copyOf(connections).forEach(LoopbackConnection::close);
        queues.forEach(ArrivalQueue::close);
        regions.closeAll();
    }

    /** One connect, decided by the accepting side. */
    private final class Attempt {
        private final LoopbackListener listener;
        private final ArrivalQueue queue;
        private final byte[] privateData;
        private final CountDownLatch decided = new CountDownLatch(1);
        private LoopbackConnection connection;
        private String refusal;
        private boolean abandoned;

        Attempt(LoopbackListener listener, ArrivalQueue queue, byte[] privateData) {
            this.listener = listener;
            this.queue = queue;
            this.privateData = privateData;
        }

        synchronized void decide() {
            if (abandoned) {
                return;
            }
            ConnectionAcceptor acceptor = listener.acceptor();
            AcceptDecision decision;
            try {
                decision = acceptor.onConnect(new IncomingConnection(
                        privateData, TransportKind.LOOPBACK, new LoopbackProcess(LoopbackFabric.this)));
            } catch (RuntimeException e) {
                decision = AcceptDecision.reject("the acceptor failed: " + e);
            }
            switch (decision) {
                case AcceptDecision.Reject reject -> refusal = reject.reason();
                case AcceptDecision.Accept accept -> {
                    try {
                        pair(acceptor, accept.reply());
                    } catch (IllegalStateException e) {
                        refusal = "one side was closed meanwhile: " + e.getMessage();
                    }
                }
            }
            decided.countDown();
        }

        private void pair(ConnectionAcceptor acceptor, byte[] reply) {
            LoopbackFabric other = listener.fabric();
            LoopbackConnection near = new LoopbackConnection(LoopbackFabric.this, queue);
            LoopbackConnection far = new LoopbackConnection(other, listener.queue());
            near.pairWith(far);
            far.pairWith(near);
            connections.add(near);
            other.connections.add(far);
            near.open(reply, new LoopbackProcess(other));
            far.acceptorFailure(() -> acceptor.onFailed(far));
            far.open(privateData, new LoopbackProcess(LoopbackFabric.this));
            acceptor.onConnected(far);
            connection = near;
        }

        void awaitDecision(long deadlineNanos) throws FabricException {
            try {
                if (!decided.await(deadlineNanos - nanoTime(), TimeUnit.NANOSECONDS)) {
                    synchronized (this) {
                        abandoned = connection == null && refusal == null;
                    }
                    if (abandoned) {
                        throw new FabricException(
                                Reason.TIMEOUT, "the process at " + listener.address() + " did not answer in time");
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                synchronized (this) {
                    abandoned = true;
                    if (connection != null) {
                        connection.close();
                    }
                }
                throw new FabricException(Reason.TIMEOUT, "interrupted while connecting", e);
            }
        }

        synchronized Connection result() throws FabricException {
            if (refusal != null) {
                throw new FabricException(Reason.REFUSED, listener.address() + " refuses the connection: " + refusal);
            }
            return connection;
        }
    }

    /** A fabric stands for a process, which is dead when the fabric is closed. */
    private record LoopbackProcess(LoopbackFabric fabric) implements PeerProcess {
        @Override
        public String name() {
            return fabric.config.name();
        }

        @Override
        public boolean isSameHost() {
            return true;
        }

        @Override
        public long pid() {
            return fabric.processNumber;
        }

        @Override
        public boolean isKnownDead() {
            return fabric.closed;
        }
    }

    private record SchedulerSource(LoopbackScheduler scheduler) implements ProgressSource {
        @Override
        public int progress() {
            return scheduler.step() ? 1 : 0;
        }

        @Override
        public boolean await(long deadlineNanos) {
            return scheduler.step();
        }

        @Override
        public void wakeup() {
            // Nobody sleeps in a stepped network.
        }
    }
}
