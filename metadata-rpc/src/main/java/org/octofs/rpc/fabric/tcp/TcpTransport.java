package org.octofs.rpc.fabric.tcp;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import jdk.net.ExtendedSocketOptions;
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
import org.octofs.rpc.fabric.transport.RegionTable;

/** The tcp transport of one fabric: its I/O loop, and the sources of the queues that connect. Threading: any. */
final class TcpTransport implements Transport {
    /** Probes of an idle connection before it counts as dead. */
    private static final int KEEP_ALIVE_PROBES = 3;

    private static final byte[] NO_PARAMETERS = {};

    /** A source and how many connections use it. */
    private static final class Shared {
        private final TcpSource source;
        private int users;

        Shared(TcpSource source) {
            this.source = source;
        }
    }

    private final TransportContext context;
    private final IoLoop loop;
    private final Map<ArrivalQueue, Shared> sources = new HashMap<>();

    TcpTransport(TransportContext context) throws FabricException {
        this.context = context;
        try {
            loop = new IoLoop(context.config());
        } catch (IOException e) {
            throw new FabricException(Reason.RESOURCES, "no selector for the tcp transport: " + e.getMessage(), e);
        }
    }

    FabricConfig config() {
        return context.config();
    }

    RegionTable regions() {
        return context.regions();
    }

    IoLoop loop() {
        return loop;
    }

    @Override
    public PendingConnection offer(ArrivalQueue queue) throws FabricException {
        return new Pending(new TcpConnection(this, queue, newPage(), acquireSource(queue)));
    }

    @Override
    public PendingConnection consider(ProcessIdentity peer, byte[] parameters, ArrivalQueue queue) {
        return new Pending(new TcpConnection(this, queue, newPage(), null));
    }

    private static ConnectionPage newPage() {
        // Only the grants in it are used; nobody else maps it, so there is nothing to prove with a token.
        return ConnectionPage.create(Arena.ofAuto().allocate(ConnectionPageLayout.SIZE_BYTES, Long.BYTES), 0, 0);
    }

    private synchronized TcpSource acquireSource(ArrivalQueue queue) throws FabricException {
        Shared shared = sources.get(queue);
        if (shared == null) {
            try {
                shared = new Shared(new TcpSource(queue, loop));
            } catch (IOException e) {
                throw new FabricException(Reason.RESOURCES, "no selector for a queue: " + e.getMessage(), e);
            }
            sources.put(queue, shared);
            queue.addSource(shared.source);
        }
        shared.users++;
        return shared.source;
    }

    /** A connection that used the source is gone. */
    synchronized void released(ArrivalQueue queue, TcpSource source) {
        Shared shared = sources.get(queue);
        if (shared != null && --shared.users == 0) {
            sources.remove(queue);
            queue.removeSource(source);
            source.close();
        }
    }

    @Override
    public void close() {
        loop.close();
        synchronized (this) {
            sources.values().forEach(shared -> shared.source.close());
            sources.clear();
        }
    }

    private void prepare(SocketChannel socket) throws IOException {
        socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
        socket.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        int seconds = (int) Math.max(1, TimeUnit.NANOSECONDS.toSeconds(config().peerTimeoutNanos()) / 2);
        socket.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, seconds);
        socket.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, Math.max(1, seconds / KEEP_ALIVE_PROBES));
        socket.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, KEEP_ALIVE_PROBES);
    }

    private final class Pending implements PendingConnection {
        private final TcpConnection connection;

        Pending(TcpConnection connection) {
            this.connection = connection;
        }

        @Override
        public AbstractConnection connection() {
            return connection;
        }

        @Override
        public byte[] parameters() {
            return NO_PARAMETERS;
        }

        @Override
        public void complete(byte[] peerParameters) {
            // The version of the handshake covers that of the frames.
        }

        @Override
        public void adopt(SocketChannel socket) throws IOException {
            prepare(socket);
            connection.adopt(socket);
        }
    }
}
