package org.octofs.rpc.fabric.tcp;

import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;

/**
 * A socket that has received certain bytes, gives as many of them as it is asked for, and is empty then. It is full until it
 * is told to take what is written.
 *
 * <p>Threading: one thread reads; writing is under the connection's lock.
 */
final class ScriptedSocket extends SocketChannel {
    private final ByteBuffer received;
    private final ByteBuffer sent = ByteBuffer.allocate(4 << 20).order(ByteOrder.LITTLE_ENDIAN);
    private volatile boolean isOpenForWriting;

    ScriptedSocket(ByteBuffer received) {
        super(SelectorProvider.provider());
        this.received = received;
    }

    boolean isEmpty() {
        return !received.hasRemaining();
    }

    @Override
    public int read(ByteBuffer target) {
        int count = Math.min(target.remaining(), received.remaining());
        target.put(received.slice(received.position(), count));
        received.position(received.position() + count);
        return count;
    }

    @Override
    public long read(ByteBuffer[] targets, int from, int count) {
        long sum = 0;
        for (int i = from; i < from + count; i++) {
            sum += read(targets[i]);
        }
        return sum;
    }

    /** From now on it takes everything. */
    void takeWrites() {
        isOpenForWriting = true;
    }

    /** What was written, from 0 to the position. */
    ByteBuffer sent() {
        return sent;
    }

    @Override
    public int write(ByteBuffer source) {
        int count = isOpenForWriting ? source.remaining() : 0;
        if (count > 0) {
            sent.put(source);
        }
        return count;
    }

    @Override
    public long write(ByteBuffer[] sources, int from, int count) {
        long sum = 0;
        for (int i = from; i < from + count; i++) {
            sum += write(sources[i]);
        }
        return sum;
    }

    @Override
    public SocketChannel bind(SocketAddress local) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <T> SocketChannel setOption(SocketOption<T> name, T value) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <T> T getOption(SocketOption<T> name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return Set.of();
    }

    @Override
    public SocketChannel shutdownInput() {
        return this;
    }

    @Override
    public SocketChannel shutdownOutput() {
        return this;
    }

    @Override
    public Socket socket() {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isConnected() {
        return true;
    }

    @Override
    public boolean isConnectionPending() {
        return false;
    }

    @Override
    public boolean connect(SocketAddress remote) {
        return true;
    }

    @Override
    public boolean finishConnect() {
        return true;
    }

    @Override
    public SocketAddress getRemoteAddress() {
        return null;
    }

    @Override
    public SocketAddress getLocalAddress() {
        return null;
    }

    @Override
    protected void implCloseSelectableChannel() {}

    @Override
    protected void implConfigureBlocking(boolean block) {}
}
