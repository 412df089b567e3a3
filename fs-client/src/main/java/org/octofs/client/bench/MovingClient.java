package org.octofs.client.bench;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.SplittableRandom;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.MemoryRegion;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.fabric.WorkRequest;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.rpc.RpcCall;
import org.octofs.rpc.rpc.RpcClient;
import org.octofs.rpc.rpc.RpcClientConfig;
import org.octofs.rpc.rpc.RpcConnectionListener;
import org.octofs.rpc.rpc.RpcException;

/** A client of an {@link RpcPeer} that gets data from there and brings it back. One thread. */
final class MovingClient implements AutoCloseable {
    /** The longest transfer. */
    static final int BYTES_MAX = 1 << 20;

    private static final int CHECK_BYTES = 1 << 14;
    private static final byte CHECK_MARK = 10;
    private static final long DEADLINE_NANOS = 20_000_000_000L;

    private final Fabric fabric;
    private final RpcClient client;
    private final MemoryRegion buffer;
    private final WorkRequest work = new WorkRequest();
    private final SplittableRandom random;

    /** Who moves the bytes. */
    enum Mover {
        /** The client, to or from where the server has told it. */
        CLIENT("client-active"),
        /** The server, with a one-sided WRITE to the client's memory or READ from there. */
        SERVER("server-active"),
        /** Nobody: they are in the messages, and are copied into and out of them. */
        MESSAGE("in the messages");

        private final String words;

        Mover(String words) {
            this.words = words;
        }

        String words() {
            return words;
        }
    }

    /** Identified by its number, which starts at 1. */
    MovingClient(Fabric fabric, InetSocketAddress peer, TransportChoice transport, int number)
            throws FabricException, RpcException {
        this.fabric = fabric;
        random = new SplittableRandom(number);
        buffer = fabric.allocate(BYTES_MAX, Access.readWrite());
        RpcConnectionListener granting = new RpcConnectionListener() {
            @Override
            public void onConnected(Connection connection, byte[] helloReply) {
                connection.grant(buffer);
            }

            @Override
            public void onLost(Connection connection) {
                // The next call fails of it.
            }
        };
        client = new RpcClient(fabric, RpcClientConfig.of(peer, number).withTransport(transport), granting);
        client.awaitConnected(fabric.nanoTime() + DEADLINE_NANOS);
    }

    /** Where the bytes get to, and come from. */
    MemorySegment memory() {
        return buffer.memory();
    }

    /** A place for a transfer of this many bytes, at random. */
    long place(int bytes) {
        return random.nextInt(RpcPeer.REGION_BYTES / bytes) * (long) bytes;
    }

    void read(Mover mover, long offset, int bytes) throws IOException, FabricException {
        switch (mover) {
            case CLIENT -> {
                long rkey = locate(offset, bytes);
                client.connection().post(work.readInto(buffer.memory(), 0, bytes, rkey, offset));
                client.connection().await(work, fabric.nanoTime() + DEADLINE_NANOS);
            }
            case SERVER -> move(RpcPeer.FETCH, offset, bytes);
            case MESSAGE -> {
                try (RpcCall call = begin(RpcPeer.FETCH_MESSAGE, offset, bytes, RpcPeer.HEADER_BYTES)) {
                    answer(call, RpcPeer.HEADER_BYTES);
                    call.reply().getBytes(0, buffer.memory(), 0, bytes);
                }
            }
        }
    }

    void write(Mover mover, long offset, int bytes) throws IOException, FabricException {
        switch (mover) {
            case CLIENT -> {
                long rkey = locate(offset, bytes);
                client.connection().post(work.writeFrom(buffer.memory(), 0, bytes, rkey, offset));
                client.connection().await(work, fabric.nanoTime() + DEADLINE_NANOS);
            }
            case SERVER -> move(RpcPeer.STORE, offset, bytes);
            case MESSAGE -> {
                int length = RpcPeer.HEADER_BYTES + bytes;
                try (RpcCall call = begin(RpcPeer.STORE_MESSAGE, offset, bytes, length)) {
                    call.request().putBytes(RpcPeer.HEADER_BYTES, buffer.memory(), 0, bytes);
                    answer(call, length);
                }
            }
        }
    }

    /** What one way has brought the others have to find, or the figures are of something else. */
    void check() throws IOException, FabricException {
        MemorySegment memory = buffer.memory();
        byte mark = CHECK_MARK;
        for (Mover by : Mover.values()) {
            memory.fill(++mark);
            write(by, CHECK_BYTES, CHECK_BYTES);
            for (Mover back : Mover.values()) {
                memory.fill((byte) 0);
                read(back, CHECK_BYTES, CHECK_BYTES);
                for (int i = 0; i < CHECK_BYTES; i++) {
                    if (memory.get(ValueLayout.JAVA_BYTE, i) != mark) {
                        throw new IOException("what was written " + by.words() + " was not read " + back.words());
                    }
                }
            }
        }
    }

    private long locate(long offset, int bytes) throws IOException {
        try (RpcCall call = begin(RpcPeer.LOCATE, offset, bytes, RpcPeer.HEADER_BYTES)) {
            MessageBuffer reply = answer(call, RpcPeer.HEADER_BYTES);
            if (reply.getU64(Long.BYTES) != offset) {
                throw new IOException("the bench peer has answered for another place");
            }
            return reply.getU64(0);
        }
    }

    private void move(int opCode, long offset, int bytes) throws IOException {
        try (RpcCall call = begin(opCode, offset, bytes, RpcPeer.MOVE_BYTES)) {
            call.request().putU64(2 * Long.BYTES, buffer.rkey());
            call.request().putU64(3 * Long.BYTES, 0);
            answer(call, RpcPeer.MOVE_BYTES);
        }
    }

    private RpcCall begin(int opCode, long offset, int bytes, int requestBytes) throws RpcException {
        RpcCall call = client.begin(opCode, requestBytes, fabric.nanoTime() + DEADLINE_NANOS);
        call.request().putU64(0, offset);
        call.request().putU64(Long.BYTES, bytes);
        return call;
    }

    private static MessageBuffer answer(RpcCall call, int requestBytes) throws IOException {
        call.send(requestBytes);
        int status = call.await();
        if (status != 0) {
            throw new IOException("the bench peer has answered errno " + status);
        }
        return call.reply();
    }

    @Override
    public void close() {
        client.close();
        buffer.close();
    }
}
