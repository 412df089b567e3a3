package org.octofs.rpc.fabric.handshake;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicReference;
import org.octofs.rpc.fabric.AcceptDecision;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.FabricException.Reason;
import org.octofs.rpc.fabric.IncomingConnection;
import org.octofs.rpc.fabric.TransportKind;
import org.octofs.rpc.fabric.transport.AbstractConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The accepting half of one handshake. READING the HELLO (control thread), DECIDING (the thread that polls the queue),
 * then either the connection has the socket, or LINGERING until the peer has read why not.
 *
 * <p>Threading: as said; one thread at a time. The peer has {@link org.octofs.rpc.fabric.FabricConfig#handshakeNanos}
 * for its HELLO, and as long again to read a refusal.
 */
final class Visit implements ControlLoop.Handler {
    private static final Logger LOG = LoggerFactory.getLogger(Visit.class);
    private static final int LINGER_READ_BYTES = 4096;

    private enum State {
        READING,
        DECIDING,
        LINGERING,
        DONE
    }

    private final Doorman doorman;
    private final SocketChannel socket;
    private final String guest;
    private final AtomicReference<State> state = new AtomicReference<>(State.READING);
    private final ByteBuffer received = ByteBuffer.allocate(FrameLayout.HEADER_BYTES + FrameLayout.BODY_BYTES_MAX)
            .order(ByteOrder.LITTLE_ENDIAN);
    private volatile long deadlineNanos;

    private Visit(Doorman doorman, SocketChannel socket) throws IOException {
        this.doorman = doorman;
        this.socket = socket;
        this.guest = String.valueOf(socket.getRemoteAddress());
        this.deadlineNanos = newDeadline();
    }

    static Visit begin(Doorman doorman, SocketChannel socket) throws IOException {
        Visit visit = new Visit(doorman, socket);
        socket.configureBlocking(false);
        socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
        doorman.context().control().register(socket, SelectionKey.OP_READ, visit);
        return visit;
    }

    private long newDeadline() {
        return doorman.context().config().clock().getAsLong()
                + doorman.context().config().handshakeNanos();
    }

    @Override
    public void onReady(SelectionKey key) throws IOException {
        if (state.get() == State.LINGERING) {
            linger();
        } else if (state.get() == State.READING) {
            readHello(key);
        }
    }

    private void readHello(SelectionKey key) throws IOException {
        int count = socket.read(received);
        received.flip();
        try {
            Frame frame = Frame.decode(received);
            if (frame != null) {
                if (frame.type() != FrameType.HELLO || received.hasRemaining()) {
                    throw new HandshakeException("a HELLO and nothing else is expected first");
                }
                consider(key, Introduction.fromFrame(frame));
                return;
            }
        } catch (HandshakeException e) {
            refuse(new Rejection(Reason.INCOMPATIBLE, e.getMessage()));
            return;
        }
        received.compact();
        if (count < 0) {
            close();
        }
    }

    private void consider(SelectionKey key, Introduction hello) {
        StringBuilder whyNot = new StringBuilder();
        for (Introduction.Offer offer : hello.offers()) {
            TransportKind kind = offer.kind();
            Transport transport = kind == null ? null : doorman.transports().get(kind);
            if (transport == null) {
                whyNot.append("; this side has no transport ").append(kind == null ? "number " + offer.code() : kind);
                continue;
            }
            try {
                PendingConnection pending = transport.consider(hello.identity(), offer.parameters(), doorman.queue());
                letDecide(key, hello, kind, pending);
                return;
            } catch (FabricException | RuntimeException e) {
                whyNot.append("; ").append(kind).append(": ").append(e.getMessage());
            }
        }
        refuse(new Rejection(Reason.NO_TRANSPORT, "no offered transport works" + whyNot));
    }

    private void letDecide(SelectionKey key, Introduction hello, TransportKind kind, PendingConnection pending) {
        // The next owner of the socket gets it free of this selector.
        key.cancel();
        if (!state.compareAndSet(State.READING, State.DECIDING)) {
            pending.connection().close();
            return;
        }
        // A cancelled key lets go of its channel in the next select, after which the control thread runs its tasks.
        doorman.context().control().execute(() -> doorman.queue().enqueue(() -> decide(hello, kind, pending)));
    }

    private void decide(Introduction hello, TransportKind kind, PendingConnection pending) {
        AbstractConnection connection = pending.connection();
        if (state.get() != State.DECIDING) {
            connection.close(); // the listener was closed meanwhile
            return;
        }
        RemoteProcess process = new RemoteProcess(
                hello.name(),
                hello.identity(),
                hello.identity().isOnSameHostAs(doorman.context().self()));
        AcceptDecision decision;
        try {
            decision = doorman.acceptor()
                    .onConnect(new IncomingConnection(hello.privateData().clone(), kind, process));
        } catch (RuntimeException e) {
            LOG.error("the acceptor failed on a connection of {}", hello.name(), e);
            decision = AcceptDecision.reject("internal error: " + e);
        }
        switch (decision) {
            case AcceptDecision.Reject reject -> {
                connection.close();
                refuse(new Rejection(Reason.REFUSED, reject.reason()));
            }
            case AcceptDecision.Accept accept -> accept(hello, kind, process, pending, accept.reply());
        }
    }

    private void accept(
            Introduction hello, TransportKind kind, RemoteProcess process, PendingConnection pending, byte[] reply) {
        AbstractConnection connection = pending.connection();
        Introduction answer = new Introduction(
                doorman.context().self(),
                doorman.context().config().name(),
                reply,
                java.util.List.of(new Introduction.Offer(kind.code, pending.parameters())));
        connection.acceptorFailure(() -> doorman.acceptor().onFailed(connection));
        connection.open(hello.privateData(), process);
        doorman.keeper().opened(connection);
        try {
            doorman.acceptor().onConnected(connection);
            // A fresh socket takes a frame at once; if not, the peer is no good.
            ByteBuffer bytes = answer.toFrame(FrameType.ACCEPT).toBytes();
            socket.write(bytes);
            if (bytes.hasRemaining()) {
                throw new IOException("the socket does not take the answer");
            }
            state.set(State.DONE);
            doorman.forget(this);
            pending.adopt(socket);
        } catch (IOException | RuntimeException e) {
            LOG.debug("handshake with {} broke", guest, e);
            connection.fail("the handshake broke: " + e.getMessage());
            close();
        }
    }

    private void refuse(Rejection rejection) {
        LOG.info("refused {}: {}", guest, rejection.text());
        try {
            socket.write(rejection.toFrame().toBytes());
            // Closing with unread bytes would reset the connection and take the refusal away from the peer.
            socket.shutdownOutput();
            deadlineNanos = newDeadline();
            State before = state.getAndSet(State.LINGERING);
            if (before == State.DECIDING) {
                doorman.context().control().register(socket, SelectionKey.OP_READ, this);
            } else {
                linger();
            }
        } catch (IOException e) {
            close();
        }
    }

    private void linger() throws IOException {
        ByteBuffer ignored = ByteBuffer.allocate(LINGER_READ_BYTES);
        int count = socket.read(ignored);
        if (count < 0) {
            close();
        }
    }

    @Override
    public void onError(Exception error) {
        LOG.debug("handshake with {} broke", guest, error);
        close();
    }

    @Override
    public long deadlineNanos() {
        return deadlineNanos;
    }

    @Override
    public void onDeadline() {
        if (state.get() == State.READING) {
            refuse(new Rejection(Reason.INCOMPATIBLE, "no complete HELLO within the time allowed"));
        } else {
            close();
        }
    }

    void close() {
        state.set(State.DONE);
        doorman.forget(this);
        try {
            socket.close();
        } catch (IOException e) {
            LOG.debug("closing a socket", e);
        }
        doorman.context().control().execute(() -> {});
    }
}
