package org.octofs.client.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.octofs.rpc.cluster.OctofsCommand;
import org.octofs.rpc.fabric.AcceptDecision;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.fabric.ConnectionAcceptor;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.FabricFactory;
import org.octofs.rpc.fabric.IncomingConnection;
import org.octofs.rpc.fabric.MemoryRegion;
import org.octofs.rpc.fabric.ReceiveQueue;
import org.octofs.rpc.fabric.WorkRequest;
import picocli.CommandLine.Command;

/**
 * The other process of {@code bench raw}: exports memory and answers every immediate with one, nothing else. It is what
 * the transport can do without a file system. Prints its port, ends when its standard input does.
 */
@Command(name = "bench-peer", hidden = true, description = "Used by 'bench raw'.")
public final class BenchPeer implements OctofsCommand {
    /** Bytes exported; larger than the processor's caches. */
    static final int REGION_BYTES = 256 << 20;

    /** Bytes of a ping: a header as the RPC has. */
    static final int PING_BYTES = 64;

    private static final int ECHOES = 16;
    private static final long WAIT_NANOS = 1_000_000_000L;

    @Override
    public Integer call() throws IOException, FabricException {
        try (Fabric fabric = FabricFactory.create(BenchFabric.config("bench peer"));
                MemoryRegion region = fabric.allocate(REGION_BYTES, Access.readWrite());
                ReceiveQueue queue = fabric.createReceiveQueue()) {
            region.memory().fill((byte) 1);
            InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            try (var listener = fabric.listen(any, queue, new Echo(region))) {
                System.out.println(listener.address().getPort());
                haltWithInput();
                while (true) {
                    queue.await(fabric.nanoTime() + WAIT_NANOS);
                    queue.poll(ECHOES);
                }
            }
        }
    }

    /** Lets this process end when its standard input does. */
    static void haltWithInput() {
        Thread.ofPlatform().daemon().name("bench-peer-input").start(BenchPeer::endWithInput);
    }

    private static void endWithInput() {
        try {
            System.in.transferTo(java.io.OutputStream.nullOutputStream());
        } catch (IOException e) {
            System.err.println("octofs: " + e.getMessage());
        }
        // Nothing here is worth an orderly end, and the main thread is in a native wait.
        Runtime.getRuntime().halt(0);
    }

    /** Answers each immediate with the same bytes from the region and the same immediate. */
    private record Echo(MemoryRegion region) implements ConnectionAcceptor {
        @Override
        public AcceptDecision onConnect(IncomingConnection incoming) {
            ByteBuffer reply = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
            return AcceptDecision.accept(reply.putLong(region.rkey()).array());
        }

        @Override
        public void onConnected(Connection connection) {
            connection.grant(region);
            long replyKey = ByteBuffer.wrap(connection.peerPrivateData())
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .getLong();
            List<WorkRequest> echoes = new ArrayList<>();
            for (int i = 0; i < ECHOES; i++) {
                echoes.add(new WorkRequest());
            }
            connection.receiver((from, immediate) -> {
                WorkRequest echo = echoes.get(immediate % ECHOES);
                from.post(echo.writeImmediateFrom(region.memory(), 0, PING_BYTES, replyKey, 0, immediate));
            });
        }

        @Override
        public void onFailed(Connection connection) {
            connection.close();
        }
    }
}
