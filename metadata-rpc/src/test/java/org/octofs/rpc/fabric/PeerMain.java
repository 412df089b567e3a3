package org.octofs.rpc.fabric;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/**
 * The second process of the two-process tests. Roles: {@code serve} prints its port, grants {@link #REGION_BYTES} to all
 * comers, tells the rkey in its reply, and answers each immediate i with the immediate i + 1 after copying the first
 * eight bytes of its region into the peer's; {@code exchange} connects and checks data and immediates; {@code hammer}
 * connects and writes with immediates for ever. A process ends with its standard input, so none is left behind.
 */
public final class PeerMain {
    /** Size of the region that a server grants. */
    public static final int REGION_BYTES = 1 << 20;

    /** Immediates that an exchange sends. */
    public static final int EXCHANGE_COUNT = 500;

    /** What precedes the port on standard output. */
    public static final String PORT_PREFIX = "port ";

    private static final int POLL_LIMIT = 64;

    private PeerMain() {}

    /** Arguments: role, transport choice, port, microseconds to spin. */
    public static void main(String[] arguments) throws Exception {
        endWithInput();
        TransportChoice choice = TransportChoice.valueOf(arguments[1]);
        int port = Integer.parseInt(arguments[2]);
        FabricConfig config = TestFabricConfig.named(arguments[0])
                .withSpinNanos(TimeUnit.MICROSECONDS.toNanos(Long.parseLong(arguments[3])));
        try (Fabric fabric = FabricFactory.create(config)) {
            switch (arguments[0]) {
                case "serve" -> serve(fabric);
                case "exchange" -> exchange(fabric, choice, port);
                case "hammer" -> hammer(fabric, choice, port);
                default -> throw new IllegalArgumentException(arguments[0]);
            }
        }
    }

    private static void endWithInput() {
        Thread watcher = new Thread(() -> {
            try {
                while (System.in.read() >= 0) {
                    // nothing is ever sent
                }
            } catch (IOException e) {
                System.err.println("standard input: " + e);
            }
            Runtime.getRuntime().halt(3);
        });
        watcher.setDaemon(true);
        watcher.start();
    }

    /** The region as private data. */
    public static byte[] encode(RemoteRegion region) {
        return ByteBuffer.allocate(16)
                .putLong(region.rkey())
                .putLong(region.lengthBytes())
                .array();
    }

    /** The region from private data. */
    public static RemoteRegion decode(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new RemoteRegion(buffer.getLong(), buffer.getLong());
    }

    private static void serve(Fabric fabric) throws Exception {
        MemoryRegion region = fabric.allocate(REGION_BYTES, Access.readWrite());
        ReceiveQueue queue = fabric.createReceiveQueue();
        WorkRequest reply = new WorkRequest();
        ConnectionAcceptor acceptor = new ConnectionAcceptor() {
            @Override
            public AcceptDecision onConnect(IncomingConnection incoming) {
                return AcceptDecision.accept(encode(region.remote()));
            }

            @Override
            public void onConnected(Connection connection) {
                connection.grant(region);
                RemoteRegion target = connection.peerPrivateData().length == 0
                        ? new RemoteRegion(0, 0)
                        : decode(connection.peerPrivateData());
                connection.receiver((from, immediate) -> {
                    if (target.lengthBytes() == 0) {
                        from.post(new WorkRequest().immediateOnly(immediate + 1));
                    } else {
                        int length = (int) target.lengthBytes();
                        from.post(reply.writeImmediateFrom(region.memory(), 0, length, target, 0, immediate + 1));
                    }
                });
            }

            @Override
            public void onFailed(Connection connection) {
                connection.close();
            }
        };
        Listener listener = fabric.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), queue, acceptor);
        System.out.println(PORT_PREFIX + listener.address().getPort());
        System.out.flush();
        while (queue.await(Long.MAX_VALUE - 1)) {
            queue.poll(POLL_LIMIT);
        }
    }

    private static Connection connect(Fabric fabric, TransportChoice choice, int port, ReceiveQueue queue)
            throws FabricException {
        return fabric.connect(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                choice,
                new byte[0],
                queue,
                fabric.nanoTime() + TimeUnit.SECONDS.toNanos(20));
    }

    private static void exchange(Fabric fabric, TransportChoice choice, int port) throws Exception {
        ReceiveQueue queue = fabric.createReceiveQueue();
        Connection connection = connect(fabric, choice, port, queue);
        RemoteRegion remote = decode(connection.peerPrivateData());
        long deadline = fabric.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment source = arena.allocate(65_536);
            MemorySegment target = arena.allocate(65_536);
            WorkRequest write = new WorkRequest();
            WorkRequest read = new WorkRequest();
            for (int i = 0; i < EXCHANGE_COUNT; i++) {
                source.fill((byte) i);
                source.set(ValueLayout.JAVA_LONG, 0, i);
                connection.post(write.writeImmediateFrom(source, 0, 65_536, remote, 65_536L * (i % 8), i));
                connection.post(read.readInto(target, 0, 65_536, remote, 65_536L * (i % 8)));
                connection.await(read, deadline);
                if (source.mismatch(target) != -1) {
                    throw new AssertionError("round " + i + " read something else than was written");
                }
            }
            connection.close();
        }
    }

    private static void hammer(Fabric fabric, TransportChoice choice, int port) throws Exception {
        ReceiveQueue queue = fabric.createReceiveQueue();
        Connection connection = connect(fabric, choice, port, queue);
        RemoteRegion remote = decode(connection.peerPrivateData());
        MemorySegment source = Arena.global().allocate(64);
        WorkRequest[] batch = new WorkRequest[32];
        for (int i = 0; i < batch.length; i++) {
            batch[i] = new WorkRequest();
        }
        while (connection.state() == ConnectionState.OPEN) {
            for (WorkRequest request : batch) {
                request.writeImmediateFrom(source, 0, 64, remote, 0, 7);
            }
            connection.post(batch, 0, batch.length);
            connection.await(batch[batch.length - 1], fabric.nanoTime() + TimeUnit.SECONDS.toNanos(20));
        }
    }
}
