package org.octofs.rpc.fabric.tcp;

import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;

/** A socket that has received certain bytes, gives as many of them as it is asked for, and is empty then. */
final class ScriptedSocket extends SocketChannel {
    private final ByteBuffer received;

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

    @Override
    public int write(ByteBuffer source) {
        return 0;
    }

    @Override
    public long write(ByteBuffer[] sources, int from, int count) {
        return 0;
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
