package org.octofs.rpc.fabric.handshake;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Frames over the socket of a handshake that stays open afterwards; its end is how a dead peer is noticed.
 *
 * <p>Threading: sending and {@link #readNow} from any thread without blocking; frames are handled one at a time in the
 * order sent, by whichever thread read them. Limits: frames that the socket does not take are kept up to
 * {@link #BACKLOG_BYTES_MAX}, then the channel ends.
 */
public final class ControlChannel implements ControlLoop.Handler, AutoCloseable {
    /** Most bytes that wait for a peer that does not read. */
    public static final int BACKLOG_BYTES_MAX = 1 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(ControlChannel.class);

    /** Gets the frames. */
    public interface Receiver {
        /** A frame has arrived. */
        void onFrame(Frame frame) throws HandshakeException;

        /** The channel has ended, once; in words. Always on the control thread. */
        void onEnd(String reason);
    }

    private final ControlLoop loop;
    private final SocketChannel socket;
    private final Receiver receiver;
    private final ReentrantLock readLock = new ReentrantLock();
    private final ReentrantLock writeLock = new ReentrantLock();
    private final ByteBuffer received = ByteBuffer.allocate(FrameLayout.HEADER_BYTES + FrameLayout.BODY_BYTES_MAX)
            .order(ByteOrder.LITTLE_ENDIAN);
    private final ArrayDeque<ByteBuffer> backlog = new ArrayDeque<>();
    private final AtomicBoolean ended = new AtomicBoolean();
    private int backlogBytes;

    private ControlChannel(ControlLoop loop, SocketChannel socket, Receiver receiver) {
        this.loop = loop;
        this.socket = socket;
        this.receiver = receiver;
    }

    /** Takes over a socket and begins to read from it. */
    public static ControlChannel open(ControlLoop loop, SocketChannel socket, Receiver receiver) throws IOException {
        socket.configureBlocking(false);
        ControlChannel channel = new ControlChannel(loop, socket, receiver);
        loop.register(socket, SelectionKey.OP_READ, channel);
        return channel;
    }

    @Override
    public void onReady(SelectionKey key) {
        if (key.isWritable()) {
            flush();
        }
        if (key.isReadable()) {
            readNow();
        }
    }

    @Override
    public void onError(Exception error) {
        end("the control channel broke: " + error.getMessage());
    }

    /** Handles the frames that have arrived, without blocking. */
    public void readNow() {
        readLock.lock();
        try {
            while (!ended.get()) {
                int count = socket.read(received);
                received.flip();
                for (Frame frame = Frame.decode(received); frame != null; frame = Frame.decode(received)) {
                    receiver.onFrame(frame);
                }
                received.compact();
                if (count < 0) {
                    end("its process has closed the connection or died");
                } else if (count == 0) {
                    return;
                }
            }
        } catch (IOException e) {
            end("the control channel broke: " + e.getMessage());
        } catch (HandshakeException e) {
            end("it sent nonsense: " + e.getMessage());
        } finally {
            readLock.unlock();
        }
    }

    /** Sends a frame; what the socket does not take now follows later. Never calls the receiver. */
    public void send(Frame frame) {
        ByteBuffer bytes = frame.toBytes();
        writeLock.lock();
        try {
            if (backlog.isEmpty()) {
                socket.write(bytes);
            }
            if (bytes.hasRemaining()) {
                backlog.add(bytes);
                backlogBytes += bytes.remaining();
                if (backlogBytes > BACKLOG_BYTES_MAX) {
                    end("it does not read what it is sent");
                }
                loop.execute(() -> interest(SelectionKey.OP_READ | SelectionKey.OP_WRITE));
            }
        } catch (IOException e) {
            end("the control channel broke: " + e.getMessage());
        } finally {
            writeLock.unlock();
        }
    }

    private void flush() {
        writeLock.lock();
        try {
            while (!backlog.isEmpty()) {
                ByteBuffer bytes = backlog.peek();
                backlogBytes -= socket.write(bytes);
                if (bytes.hasRemaining()) {
                    return;
                }
                backlog.remove();
            }
            interest(SelectionKey.OP_READ);
        } catch (IOException e) {
            end("the control channel broke: " + e.getMessage());
        } finally {
            writeLock.unlock();
        }
    }

    private void interest(int operations) {
        loop.interest(socket, operations);
    }

    private void end(String reason) {
        if (ended.compareAndSet(false, true)) {
            closeSocket();
            // Never from within send or read: their caller may hold locks that the receiver's failure handling takes.
            loop.execute(() -> receiver.onEnd(reason));
        }
    }

    /** Closes the socket; the receiver hears nothing of it. Idempotent. */
    @Override
    public void close() {
        if (ended.compareAndSet(false, true)) {
            closeSocket();
        }
    }

    private void closeSocket() {
        try {
            socket.close();
        } catch (IOException e) {
            LOG.debug("closing a control channel", e);
        }
        loop.execute(() -> {}); // the selector lets go of a closed socket only when it runs
    }
}
