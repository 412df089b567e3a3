package org.octofs.tests.simulation.net;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
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
import org.octofs.rpc.fabric.RemoteRegion;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.fabric.TransportKind;
import org.octofs.tests.simulation.world.SimProcess;
import org.octofs.tests.simulation.world.SimWorld;

/** One process's end of a {@link SimNetwork}. */
public final class SimFabric implements Fabric {
    /** Hears of what peers store into registered memory. */
    @FunctionalInterface
    public interface WriteListener {
        /** Bytes of the registered file have just been stored. */
        void stored(long fileOffset, long lengthBytes);
    }

    private final SimNetwork network;
    private final SimWorld world;
    private final SimProcess process;
    private final FabricConfig config;
    private final Map<Integer, SimRegion> regions = new HashMap<>();
    private final List<SimListener> listeners = new ArrayList<>();
    private final List<SimQueue> queues = new ArrayList<>();
    private final Set<SimConnection> connections = new LinkedHashSet<>();

    /** Connects that others have begun here and nobody has decided yet. */
    private final Set<Attempt> undecided = new LinkedHashSet<>();

    private WriteListener writeListener = (offset, length) -> {};
    private int nextIndex;
    private boolean closed;

    SimFabric(SimNetwork network, SimProcess process, FabricConfig config) {
        this.network = network;
        this.world = network.world();
        this.process = process;
        this.config = config;
    }

    /** Sets who hears of stores into registered memory. */
    public void onRemoteWrite(WriteListener listener) {
        writeListener = listener;
    }

    SimNetwork network() {
        return network;
    }

    SimProcess process() {
        return process;
    }

    void remoteWrite(SimRegion region, long offset, long lengthBytes) {
        if (region.fileOffset >= 0) {
            writeListener.stored(region.fileOffset + offset, lengthBytes);
        }
    }

    SimRegion region(long rkey) {
        SimRegion region = regions.get(RemoteRegion.indexOf(rkey));
        return region == null || region.rkey() != rkey ? null : region;
    }

    void remove(SimRegion region) {
        regions.remove(region.index());
        connections.forEach(connection -> connection.revoke(region));
    }

    void forget(SimConnection connection) {
        connections.remove(connection);
    }

    @Override
    public FabricConfig config() {
        return config;
    }

    @Override
    public MemoryRegion allocate(long lengthBytes, Set<Access> access) {
        return export(Arena.ofAuto().allocate(lengthBytes, 4096), access, -1);
    }

    @Override
    public MemoryRegion register(MemorySegment memory, Path file, long fileOffset, Set<Access> access) {
        return export(memory, access, fileOffset);
    }

    private SimRegion export(MemorySegment memory, Set<Access> access, long fileOffset) {
        SimRegion region =
                new SimRegion(this, nextIndex++, (int) config.random().getAsLong(), memory, access, fileOffset);
        regions.put(region.index(), region);
        return region;
    }

    @Override
    public ReceiveQueue createReceiveQueue() {
        SimQueue queue = new SimQueue(world, config.receiveQueueEntries());
        queues.add(queue);
        return queue;
    }

    @Override
    public Listener listen(InetSocketAddress address, ReceiveQueue queue, ConnectionAcceptor acceptor)
            throws IOException {
        SimListener listener = new SimListener(this, address, (SimQueue) queue, acceptor);
        if (!network.bind(address, listener)) {
            throw new IOException("cannot listen on " + address + ": the address is in use");
        }
        listeners.add(listener);
        return listener;
    }

    @Override
    public Connection connect(
            InetSocketAddress peer, TransportChoice choice, byte[] privateData, ReceiveQueue queue, long deadlineNanos)
            throws FabricException {
        if (closed) {
            throw new FabricException(Reason.CLOSED, "the fabric is closed");
        }
        Attempt attempt = new Attempt(peer, (SimQueue) queue, privateData.clone(), Thread.currentThread());
        world.after(network.latencyNanos(process, process, 0), attempt::arrive);
        return attempt.await(deadlineNanos);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            List.copyOf(listeners).forEach(SimListener::close);
            List.copyOf(connections).forEach(SimConnection::close);
            queues.forEach(SimQueue::close);
        }
    }

    /** Nothing of this process moves any more; its peers notice. */
    void processDied() {
        closed = true;
        listeners.forEach(SimListener::close);
        undecided.forEach(Attempt::lost);
        undecided.clear();
        List.copyOf(connections).forEach(SimConnection::processDied);
        regions.clear();
        connections.clear();
    }

    private PeerProcess asPeer() {
        return new SimPeer(process, network.kind() == TransportKind.LOOPBACK);
    }

    private record SimPeer(SimProcess process, boolean isSameHost) implements PeerProcess {
        @Override
        public String name() {
            return process.name();
        }

        @Override
        public long pid() {
            return 1;
        }

        @Override
        public boolean isKnownDead() {
            return isSameHost && process.isDead();
        }
    }

    /** One connect; decided in the poll of the other side. */
    private final class Attempt {
        private final InetSocketAddress address;
        private final byte[] privateData;
        private final Thread waiter;
        private final SimConnection near;
        private FabricException refusal;
        private boolean settled;
        private boolean abandoned;

        Attempt(InetSocketAddress address, SimQueue queue, byte[] privateData, Thread waiter) {
            this.address = address;
            this.privateData = privateData;
            this.waiter = waiter;
            this.near = new SimConnection(SimFabric.this, queue);
        }

        void arrive() {
            SimListener listener = network.find(address);
            if (listener == null || network.isCut(process, listener.fabric().process)) {
                refuse(Reason.UNREACHABLE, "nobody listens at " + address);
            } else {
                listener.fabric().undecided.add(this);
                listener.queue().add(() -> decide(listener));
            }
        }

        private void refuse(Reason reason, String why) {
            refusal = new FabricException(reason, why);
            settle();
        }

        private void settle() {
            world.after(network.latencyNanos(process, process, 0), () -> {
                settled = true;
                LockSupport.unpark(waiter);
            });
        }

        /** The process that was to decide has died, and its host says so. */
        void lost() {
            world.after(network.noticeNanos(), () -> {
                if (!abandoned && !process.isDead()) {
                    refuse(Reason.UNREACHABLE, address + " has reset the connection");
                }
            });
        }

        private void decide(SimListener listener) {
            if (!abandoned && !process.isDead()) {
                answer(listener);
            }
            // Not before: who dies while it decides has not answered either.
            listener.fabric().undecided.remove(this);
        }

        private void answer(SimListener listener) {
            ConnectionAcceptor acceptor = listener.acceptor();
            AcceptDecision decision = acceptor.onConnect(new IncomingConnection(privateData, network.kind(), asPeer()));
            switch (decision) {
                case AcceptDecision.Reject reject -> refuse(Reason.REFUSED, address + " refuses: " + reject.reason());
                case AcceptDecision.Accept accept -> {
                    SimFabric other = listener.fabric();
                    SimConnection far = new SimConnection(other, listener.queue());
                    near.open(far, accept.reply(), other.asPeer());
                    connections.add(near);
                    far.open(near, privateData, asPeer());
                    other.connections.add(far);
                    far.acceptorFailure(() -> acceptor.onFailed(far));
                    network.add(near);
                    network.add(far);
                    world.note("connected " + near);
                    acceptor.onConnected(far);
                    settle();
                }
            }
        }

        Connection await(long deadlineNanos) throws FabricException {
            while (!settled) {
                long left = deadlineNanos - nanoTime();
                if (left <= 0 || Thread.currentThread().isInterrupted()) {
                    abandoned = true;
                    near.close();
                    throw new FabricException(Reason.TIMEOUT, "the process at " + address + " did not answer in time");
                }
                LockSupport.parkNanos(this, left);
            }
            if (refusal != null) {
                near.close();
                throw refusal;
            }
            return near;
        }
    }
}
