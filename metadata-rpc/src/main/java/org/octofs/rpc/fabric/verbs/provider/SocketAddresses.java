package org.octofs.rpc.fabric.verbs.provider;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** Java's socket addresses as {@code struct sockaddr_in} and {@code sockaddr_in6}. */
final class SocketAddresses {
    private static final short AF_INET = 2;
    private static final short AF_INET6 = 10;
    private static final long PORT = 2;
    private static final long ADDRESS_4 = 4;
    private static final long ADDRESS_6 = 8;
    private static final long SCOPE_6 = 24;
    private static final long SIZE = 28;

    private SocketAddresses() {}

    static MemorySegment encode(SocketAddress address, Arena arena) throws IOException {
        if (!(address instanceof InetSocketAddress internet) || internet.isUnresolved()) {
            throw new IOException("no address of a network: " + address);
        }
        MemorySegment encoded = arena.allocate(SIZE, Long.BYTES);
        InetAddress host = internet.getAddress();
        byte[] bytes = host.getAddress();
        encoded.set(JAVA_BYTE, PORT, (byte) (internet.getPort() >>> Byte.SIZE));
        encoded.set(JAVA_BYTE, PORT + 1, (byte) internet.getPort());
        if (host instanceof Inet6Address six) {
            encoded.set(JAVA_SHORT, 0, AF_INET6);
            MemorySegment.copy(bytes, 0, encoded, JAVA_BYTE, ADDRESS_6, bytes.length);
            encoded.set(JAVA_INT, SCOPE_6, six.getScopeId());
        } else {
            encoded.set(JAVA_SHORT, 0, AF_INET);
            MemorySegment.copy(bytes, 0, encoded, JAVA_BYTE, ADDRESS_4, bytes.length);
        }
        return encoded;
    }
}
