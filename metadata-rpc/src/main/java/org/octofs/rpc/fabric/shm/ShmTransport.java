package org.octofs.rpc.fabric.shm;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.FabricException.Reason;
import org.octofs.rpc.fabric.handshake.PendingConnection;
import org.octofs.rpc.fabric.handshake.Transport;
import org.octofs.rpc.fabric.handshake.TransportContext;
import org.octofs.rpc.fabric.host.HostException;
import org.octofs.rpc.fabric.host.ProcessIdentity;
import org.octofs.rpc.fabric.host.SharedMemory;
import org.octofs.rpc.fabric.ring.ArrivalRing;
import org.octofs.rpc.fabric.transport.AbstractConnection;
import org.octofs.rpc.fabric.transport.ArrivalQueue;
import org.octofs.rpc.fabric.transport.ConnectionPage;
import org.octofs.rpc.fabric.transport.ConnectionPageLayout;

/** The shm transport of one fabric. Has no threads. Threading: any. */
final class ShmTransport implements Transport {
    private final TransportContext context;

    ShmTransport(TransportContext context) {
        this.context = context;
    }

    @Override
    public PendingConnection offer(ArrivalQueue queue) throws FabricException {
        return new Pending(queue);
    }

    @Override
    public PendingConnection consider(ProcessIdentity peer, byte[] parameters, ArrivalQueue queue)
            throws FabricException {
        if (!context.self().isOnSameHostAs(peer)) {
            throw new FabricException(Reason.NO_TRANSPORT, "not on the same host");
        }
        // Before anything of our own is made: this is where a peer whose memory cannot be opened ends.
        ShmParameters decoded = ShmParameters.decode(parameters);
        checkOwner(decoded.page(), peer);
        checkOwner(decoded.ring(), peer);
        PeerMemory memory = PeerMemory.open(decoded);
        try {
            Pending pending = new Pending(queue);
            pending.connection.peerMemory(memory);
            return pending;
        } catch (FabricException | RuntimeException e) {
            memory.close();
            throw e;
        }
    }

    /** A stranger must not make this process open whatever file it likes. */
    private static void checkOwner(Path path, ProcessIdentity peer) throws FabricException {
        Path descriptors = Path.of("/proc/" + peer.pid() + "/fd");
        if (!descriptors.equals(path.getParent())) {
            throw new FabricException(Reason.NO_TRANSPORT, path + " is not memory of process " + peer.pid());
        }
    }

    @Override
    public void close() {
        // Connections own everything.
    }

    /** A peer's page and ring, mapped. */
    record PeerMemory(Arena arena, ConnectionPage page, ArrivalRing ring, int queueIndex) implements AutoCloseable {
        @SuppressWarnings("MustBeClosedChecker") // the result owns the arena
        static PeerMemory open(ShmParameters parameters) throws FabricException {
            Arena arena = Arena.ofShared();
            try {
                MemorySegment page =
                        SharedMemory.map(parameters.page(), 0, ConnectionPageLayout.SIZE_BYTES, false, arena);
                // The token first: until it is right, the ring's path is not known to be the peer's either.
                ConnectionPage peerPage = ConnectionPage.open(page, parameters.tokenHigh(), parameters.tokenLow());
                MemorySegment ring = SharedMemory.map(parameters.ring(), 0, parameters.ringBytes(), true, arena);
                return new PeerMemory(arena, peerPage, ArrivalRing.open(ring), parameters.queueIndex());
            } catch (HostException | IllegalArgumentException e) {
                arena.close();
                throw new FabricException(Reason.NO_TRANSPORT, e.getMessage(), e);
            }
        }

        @Override
        public void close() {
            SharedMemory.unmap(arena);
        }
    }

    /** Both sides' half of the handshake. */
    private final class Pending implements PendingConnection {
        private final ShmConnection connection;
        private final byte[] parameters;

        Pending(ArrivalQueue queue) throws FabricException {
            SharedMemory pageMemory;
            try {
                pageMemory = SharedMemory.create("page", ConnectionPageLayout.SIZE_BYTES);
            } catch (HostException e) {
                throw new FabricException(Reason.RESOURCES, e.getMessage(), e);
            }
            long tokenHigh = context.config().random().getAsLong();
            long tokenLow = context.config().random().getAsLong();
            ConnectionPage page = ConnectionPage.create(pageMemory.memory(), tokenHigh, tokenLow);
            try {
                connection = new ShmConnection(context, queue, pageMemory, page);
            } catch (RuntimeException e) {
                pageMemory.close();
                throw e;
            }
            SharedMemory ring = queue.ringMemory();
            parameters = new ShmParameters(
                            tokenHigh,
                            tokenLow,
                            connection.queueIndex(),
                            ring.memory().byteSize(),
                            pageMemory.peerPath(),
                            ring.peerPath())
                    .encode();
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
        public void complete(byte[] peerParameters) throws FabricException {
            connection.peerMemory(PeerMemory.open(ShmParameters.decode(peerParameters)));
        }

        @Override
        public void adopt(SocketChannel socket) throws IOException {
            connection.adopt(socket);
        }
    }
}
