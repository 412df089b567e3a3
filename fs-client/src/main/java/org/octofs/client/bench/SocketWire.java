package org.octofs.client.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Clients of a {@link SocketPeer}: send and receive as the operating system has them, over Unix sockets or TCP. The fabric has no
 * two-sided verbs to compare with. One thread.
 */
final class SocketWire implements CallWire {
    private final PeerProcess peer;
    private final Path folder;
    private final Selector selector = Selector.open();
    private final PeerWait idle = new PeerWait();
    private final SocketChannel[] channels;
    private final ByteBuffer[] messages;
    private final CheckedCalls calls;

    /** Starts the server too; {@code unix}: both must be on this host, and the sockets never see a network. */
    SocketWire(boolean unix, int clients) throws IOException {
        folder = unix ? Files.createTempDirectory("octofs-bench") : null;
        peer = unix
                ? new PeerProcess(
                        "bench-call-peer", "messages", folder.resolve("peer").toString())
                : new PeerProcess("bench-call-peer", "messages");
        SocketAddress address = unix ? UnixDomainSocketAddress.of(peer.place()) : peer.address();
        channels = new SocketChannel[clients];
        messages = new ByteBuffer[clients];
        calls = new CheckedCalls(clients);
        for (int client = 0; client < clients; client++) {
            channels[client] = SocketChannel.open(address);
            SelectionKey key = SocketPeer.attach(channels[client], selector);
            messages[client] = (ByteBuffer) key.attachment();
            key.attach(client);
        }
    }

    @Override
    public void call(int client) throws IOException {
        messages[client].putLong(0, calls.next(client));
        SocketPeer.send(channels[client], messages[client]);
    }

    @Override
    public void poll(Answers answers) throws Exception {
        calls.listener(answers);
        SocketPeer.select(selector, idle, this::ready);
        calls.check();
    }

    private void ready(SelectionKey key) throws IOException {
        int client = (Integer) key.attachment();
        ByteBuffer message = messages[client];
        if (channels[client].read(message) < 0) {
            throw new IOException("the bench peer has closed its connection");
        }
        if (message.hasRemaining()) {
            return;
        }
        long found = message.getLong(0);
        message.clear();
        calls.answered(client, found);
    }

    @Override
    public long serverCpuNanos() {
        return peer.cpuNanos();
    }

    @Override
    public void close() {
        try {
            for (SocketChannel channel : channels) {
                channel.close();
            }
            selector.close();
            peer.close();
            if (folder != null) {
                Files.deleteIfExists(folder.resolve("peer"));
                Files.deleteIfExists(folder);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
