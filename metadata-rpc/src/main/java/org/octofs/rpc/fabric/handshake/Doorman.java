package org.octofs.rpc.fabric.handshake;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.octofs.rpc.fabric.ConnectionAcceptor;
import org.octofs.rpc.fabric.Listener;
import org.octofs.rpc.fabric.TransportKind;
import org.octofs.rpc.fabric.transport.ArrivalQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A listening socket: takes sockets and has a {@link Visit} for each until its handshake is over.
 *
 * <p>Threading: sockets are taken on the control thread; {@link #close} from any. Limits: at most
 * {@link #VISIT_COUNT_MAX} handshakes at a time, each with a deadline; more are turned away.
 */
public final class Doorman implements Listener, ControlLoop.Handler {
    /** Most unfinished handshakes. */
    public static final int VISIT_COUNT_MAX = 256;

    private static final Logger LOG = LoggerFactory.getLogger(Doorman.class);
    private static final int BACKLOG = 256;

    private final TransportContext context;
    private final Map<TransportKind, Transport> transports;
    private final ArrivalQueue queue;
    private final ConnectionAcceptor acceptor;
    private final ConnectionKeeper keeper;
    private final ServerSocketChannel socket;
    private final InetSocketAddress address;
    private final Set<Visit> visits = ConcurrentHashMap.newKeySet();

    private Doorman(
            TransportContext context,
            Map<TransportKind, Transport> transports,
            ArrivalQueue queue,
            ConnectionAcceptor acceptor,
            ConnectionKeeper keeper,
            ServerSocketChannel socket)
            throws IOException {
        this.context = context;
        this.transports = transports;
        this.queue = queue;
        this.acceptor = acceptor;
        this.keeper = keeper;
        this.socket = socket;
        this.address = (InetSocketAddress) socket.getLocalAddress();
    }

    /** Binds and begins to listen. */
    public static Doorman open(
            TransportContext context,
            Map<TransportKind, Transport> transports,
            InetSocketAddress address,
            ArrivalQueue queue,
            ConnectionAcceptor acceptor,
            ConnectionKeeper keeper)
            throws IOException {
        ServerSocketChannel socket = ServerSocketChannel.open();
        try {
            socket.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            socket.bind(address, BACKLOG);
            socket.configureBlocking(false);
            Doorman doorman = new Doorman(context, transports, queue, acceptor, keeper, socket);
            context.control().register(socket, SelectionKey.OP_ACCEPT, doorman);
            return doorman;
        } catch (IOException e) {
            socket.close();
            throw new IOException("cannot listen on " + address + ": " + e.getMessage(), e);
        } catch (RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    TransportContext context() {
        return context;
    }

    Map<TransportKind, Transport> transports() {
        return transports;
    }

    ArrivalQueue queue() {
        return queue;
    }

    ConnectionAcceptor acceptor() {
        return acceptor;
    }

    ConnectionKeeper keeper() {
        return keeper;
    }

    void forget(Visit visit) {
        visits.remove(visit);
    }

    @Override
    public void onReady(SelectionKey key) throws IOException {
        for (SocketChannel guest = socket.accept(); guest != null; guest = socket.accept()) {
            if (visits.size() >= VISIT_COUNT_MAX) {
                LOG.debug("{}: too many unfinished handshakes, turned one away", address);
                guest.close();
                continue;
            }
            visits.add(Visit.begin(this, guest));
        }
    }

    @Override
    public void onError(Exception error) {
        // Usually out of descriptors: those who wait in the backlog are served when there are some again.
        LOG.warn("cannot take a connection on {}: {}", address, error.getMessage());
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            LOG.debug("closing a listener", e);
        }
        visits.forEach(Visit::close);
        context.control().execute(() -> {}); // lets the selector let go of the socket
        keeper.closed(this);
    }
}
