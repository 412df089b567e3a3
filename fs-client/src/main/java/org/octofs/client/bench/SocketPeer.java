package org.octofs.client.bench;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * A server that is sent messages over sockets of the operating system and sends them back: one thread, one selector, which it asks
 * for as long as the fabric would look before it sleeps. Threading: confined to the thread that runs it.
 */
final class SocketPeer {
    private static final long WAIT_MILLIS = 1_000;

    private final Selector selector;
    private final ServerSocketChannel listener;

    /** {@code address}: of the kind to serve, a path or port 0. */
    SocketPeer(SocketAddress address) throws IOException {
        selector = Selector.open();
        listener = address instanceof UnixDomainSocketAddress
                ? ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                : ServerSocketChannel.open();
        listener.bind(address, CallWire.CLIENTS_MAX);
        listener.configureBlocking(false);
        listener.register(selector, SelectionKey.OP_ACCEPT);
    }

    SocketAddress address() throws IOException {
        return listener.getLocalAddress();
    }

    /** Serves for ever. */
    void run() throws IOException {
        PeerWait idle = new PeerWait();
        while (true) {
            select(selector, idle, this::ready);
        }
    }

    /** Looks for channels that are ready, and sleeps when there were none for a while. */
    static void select(Selector selector, PeerWait idle, Ready ready) throws IOException {
        IOException[] failure = new IOException[1];
        int count = selector.selectNow(key -> handle(ready, key, failure));
        if (count > 0) {
            idle.worked();
        } else if (idle.pause()) {
            selector.select(key -> handle(ready, key, failure), WAIT_MILLIS);
            idle.worked();
        }
        if (failure[0] != null) {
            throw failure[0];
        }
    }

    /** A channel is ready. */
    @FunctionalInterface
    interface Ready {
        void ready(SelectionKey key) throws IOException;
    }

    private static void handle(Ready ready, SelectionKey key, IOException[] failure) {
        try {
            ready.ready(key);
        } catch (IOException e) {
            failure[0] = e;
        }
    }

    private void ready(SelectionKey key) throws IOException {
        if (key.isAcceptable()) {
            SocketChannel channel = listener.accept();
            if (channel != null) {
                attach(channel, selector);
            }
            return;
        }
        SocketChannel channel = (SocketChannel) key.channel();
        ByteBuffer message = (ByteBuffer) key.attachment();
        if (channel.read(message) < 0) {
            channel.close();
        } else if (!message.hasRemaining()) {
            message.putLong(0, message.getLong(0) + 1);
            send(channel, message);
        }
    }

    /** Makes a channel one of a selector, with a buffer of a message. */
    static SelectionKey attach(SocketChannel channel, Selector selector) throws IOException {
        channel.configureBlocking(false);
        if (channel.supportedOptions().contains(StandardSocketOptions.TCP_NODELAY)) {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
        ByteBuffer message = ByteBuffer.allocateDirect(CallWire.MESSAGE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        return channel.register(selector, SelectionKey.OP_READ, message);
    }

    /** Sends a whole message, and empties the buffer for the next one. */
    static void send(SocketChannel channel, ByteBuffer message) throws IOException {
        message.clear();
        while (message.hasRemaining()) {
            channel.write(message);
        }
        message.clear();
    }
}
