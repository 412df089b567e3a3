package org.octofs.rpc.fabric.handshake;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.FabricException.Reason;
import org.octofs.rpc.fabric.TransportKind;
import org.octofs.rpc.fabric.transport.AbstractConnection;
import org.octofs.rpc.fabric.transport.ArrivalQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connecting half of one handshake. Blocks its thread, within a deadline.
 *
 * <p>Threading: confined to the thread that connects.
 */
public final class Caller {
    private static final Logger LOG = LoggerFactory.getLogger(Caller.class);

    private final TransportContext context;
    private final Map<TransportKind, Transport> transports;
    private final InetSocketAddress address;
    private final byte[] privateData;
    private final ArrivalQueue queue;
    private final long deadlineNanos;

    /** Prepares a connect; see {@link org.octofs.rpc.fabric.Fabric#connect}. */
    public Caller(
            TransportContext context,
            Map<TransportKind, Transport> transports,
            InetSocketAddress address,
            byte[] privateData,
            ArrivalQueue queue,
            long deadlineNanos) {
        this.context = context;
        this.transports = transports;
        this.address = address;
        this.privateData = privateData;
        this.queue = queue;
        this.deadlineNanos = deadlineNanos;
    }

    /**
     * Connects by the first of some transports that works between both ends.
     *
     * @param kinds best first
     */
    public AbstractConnection connect(List<TransportKind> kinds, ConnectionKeeper keeper) throws FabricException {
        List<TransportKind> left = new ArrayList<>(kinds);
        while (true) {
            Map<TransportKind, PendingConnection> offers = new EnumMap<>(TransportKind.class);
            PendingConnection taken = null;
            try {
                for (TransportKind kind : left) {
                    offers.put(kind, transports.get(kind).offer(queue));
                }
                taken = shakeHands(left, offers, keeper);
                return taken.connection();
            } catch (UnusableTransportException e) {
                left.remove(e.kind);
                if (left.isEmpty()) {
                    throw new FabricException(Reason.NO_TRANSPORT, e.getMessage(), e);
                }
                LOG.debug("{}: {}, next: {}", address, e.getMessage(), left);
            } finally {
                for (PendingConnection offer : offers.values()) {
                    if (!offer.equals(taken)) {
                        offer.connection().close();
                    }
                }
            }
        }
    }

    private PendingConnection shakeHands(
            List<TransportKind> kinds, Map<TransportKind, PendingConnection> offers, ConnectionKeeper keeper)
            throws FabricException, UnusableTransportException {
        SocketChannel socket = null;
        boolean adopted = false;
        try {
            socket = dial();
            List<Introduction.Offer> parameters = new ArrayList<>();
            for (TransportKind kind : kinds) {
                parameters.add(
                        new Introduction.Offer(kind.code, offers.get(kind).parameters()));
            }
            Introduction hello =
                    new Introduction(context.self(), context.config().name(), privateData, parameters);
            writeFully(socket, hello.toFrame(FrameType.HELLO).toBytes());
            Introduction answer = readAnswer(socket);
            PendingConnection taken = open(offers, answer, keeper);
            taken.adopt(socket);
            adopted = true;
            return taken;
        } catch (HandshakeException e) {
            throw new FabricException(
                    Reason.INCOMPATIBLE, address + " does not understand this process: " + e.getMessage(), e);
        } catch (SocketTimeoutException e) {
            throw new FabricException(Reason.TIMEOUT, address + " did not answer in time; is it overloaded?", e);
        } catch (IOException e) {
            throw new FabricException(
                    Reason.UNREACHABLE, "the handshake with " + address + " broke: " + e.getMessage(), e);
        } finally {
            if (!adopted) {
                close(socket);
            }
        }
    }

    private PendingConnection open(
            Map<TransportKind, PendingConnection> offers, Introduction answer, ConnectionKeeper keeper)
            throws HandshakeException, UnusableTransportException, FabricException {
        Introduction.Offer chosen = answer.offers().get(0);
        PendingConnection taken = chosen.kind() == null ? null : offers.get(chosen.kind());
        if (taken == null) {
            throw new HandshakeException("it took transport " + chosen.code() + ", which was not offered");
        }
        try {
            taken.complete(chosen.parameters());
        } catch (FabricException e) {
            throw new UnusableTransportException(chosen.kind(), address, e);
        }
        RemoteProcess process = new RemoteProcess(
                answer.name(), answer.identity(), answer.identity().isOnSameHostAs(context.self()));
        if (!taken.connection().open(answer.privateData(), process)) {
            throw new FabricException(Reason.CLOSED, "closed while connecting to " + address);
        }
        keeper.opened(taken.connection());
        return taken;
    }

    private SocketChannel dial() throws IOException, FabricException {
        SocketChannel socket = SocketChannel.open();
        boolean connected = false;
        try {
            socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
            if (address.isUnresolved()) {
                throw new FabricException(
                        Reason.UNREACHABLE, "no address known for host '" + address.getHostString() + "'");
            }
            socket.socket().connect(address, millisLeft());
            connected = true;
            return socket;
        } catch (ConnectException e) {
            throw new FabricException(
                    Reason.UNREACHABLE,
                    "nobody listens at " + address + " (" + e.getMessage() + "); is the server running?",
                    e);
        } catch (SocketTimeoutException e) {
            throw new FabricException(
                    Reason.UNREACHABLE, "no connection to " + address + " in time; is the host up?", e);
        } catch (IOException e) {
            throw new FabricException(Reason.UNREACHABLE, "cannot connect to " + address + ": " + e.getMessage(), e);
        } finally {
            if (!connected) {
                close(socket);
            }
        }
    }

    private int millisLeft() throws SocketTimeoutException {
        long left = deadlineNanos - context.config().clock().getAsLong();
        if (left <= 0) {
            throw new SocketTimeoutException("the deadline has passed");
        }
        return (int) Math.min(Integer.MAX_VALUE, TimeUnit.NANOSECONDS.toMillis(left) + 1);
    }

    private static void writeFully(SocketChannel socket, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            socket.write(bytes); // blocking; a HELLO always fits into a fresh socket
        }
    }

    private Introduction readAnswer(SocketChannel socket) throws IOException, HandshakeException, FabricException {
        InputStream in = socket.socket().getInputStream();
        byte[] bytes = new byte[FrameLayout.HEADER_BYTES + FrameLayout.BODY_BYTES_MAX];
        ByteBuffer received =
                ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).limit(0);
        // Not one byte more than the frame may be taken: what follows is the transport's.
        int wanted = FrameLayout.HEADER_BYTES;
        while (true) {
            socket.socket().setSoTimeout(millisLeft());
            int count = in.read(bytes, received.limit(), wanted - received.limit());
            if (count < 0) {
                throw new HandshakeException("it closed the connection without an answer; is it an OctoFS server?");
            }
            received.limit(received.limit() + count);
            Frame frame = Frame.decode(received);
            if (frame != null) {
                return answerOf(frame);
            }
            if (received.limit() >= FrameLayout.HEADER_BYTES) {
                wanted = FrameLayout.HEADER_BYTES + received.getInt(FrameLayout.BODY_BYTES_OFFSET);
            }
        }
    }

    private Introduction answerOf(Frame frame) throws HandshakeException, FabricException {
        return switch (frame.type()) {
            case ACCEPT -> Introduction.fromFrame(frame);
            case REJECT -> {
                Rejection rejection = Rejection.fromFrame(frame);
                throw new FabricException(rejection.reason(), address + " refuses the connection: " + rejection.text());
            }
            case HELLO, GRANT, REVOKE, REVOKED, BYE -> throw new HandshakeException("it answered with " + frame.type());
        };
    }

    private static void close(SocketChannel socket) {
        try {
            if (socket != null) {
                socket.close();
            }
        } catch (IOException e) {
            LOG.debug("closing a socket", e);
        }
    }

    /** The transport that the peer took cannot be used by this side. */
    private static final class UnusableTransportException extends Exception {
        private static final long serialVersionUID = 1L;
        private final TransportKind kind;

        UnusableTransportException(TransportKind kind, InetSocketAddress address, FabricException cause) {
            super("transport " + kind + " does not work with " + address + ": " + cause.getMessage(), cause);
            this.kind = kind;
        }
    }
}
