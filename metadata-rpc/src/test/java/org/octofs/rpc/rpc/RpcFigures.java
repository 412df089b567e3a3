package org.octofs.rpc.rpc;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricConfig;
import org.octofs.rpc.fabric.FabricFactory;
import org.octofs.rpc.fabric.MemoryRegion;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.fabric.WorkRequest;

/**
 * Prints latency and bandwidth between two processes: null calls and the verbs below them. Not a test: figures are for
 * people. {@code java ... RpcFigures [SHM|TCP ...]}
 */
public final class RpcFigures {
    private static final long SECOND = 1_000_000_000L;
    private static final String PORT = "port ";
    private static final int REGION_BYTES = 64 << 20;
    private static final int[] READ_SIZES = {64, 4096, 1 << 20};

    private RpcFigures() {}

    /** Runs the server's process, or measures against one for each transport named. */
    public static void main(String[] args) throws Exception {
        if (args.length > 0 && args[0].equals("serve")) {
            serve(Long.parseLong(args[1]));
            return;
        }
        String[] choices = args.length > 0 ? args : new String[] {"SHM", "TCP"};
        for (String choice : choices) {
            for (long spinNanos : spins()) {
                measure(TransportChoice.valueOf(choice), spinNanos);
            }
        }
    }

    /** Spinning through, the usual, and parking at once; or what {@code -DspinMicros} says. */
    private static long[] spins() {
        Long micros = Long.getLong("spinMicros");
        return micros == null ? new long[] {200_000, 20_000, 0} : new long[] {micros * 1000};
    }

    private static Fabric fabric(String name, long spinNanos) throws Exception {
        return FabricFactory.create(FabricConfig.defaults(
                        name,
                        System::nanoTime,
                        () -> ThreadLocalRandom.current().nextLong(),
                        Thread.ofPlatform().daemon().factory())
                .withSpinNanos(spinNanos));
    }

    private static void serve(long spinNanos) throws Exception {
        try (Fabric fabric = fabric("server", spinNanos)) {
            MemoryRegion region = fabric.allocate(REGION_BYTES, Access.readWrite());
            region.memory().fill((byte) 1);
            RpcHandler handler = new RpcHandler() {
                @Override
                public void handle(RpcRequest request) {
                    request.send(0, 0);
                }

                @Override
                public byte[] sessionOpened(RpcSession session, byte[] hello) {
                    return ByteBuffer.allocate(Long.BYTES)
                            .putLong(region.rkey())
                            .array();
                }

                @Override
                public void sessionConnected(RpcSession session) {
                    session.connection().grant(region);
                }

                @Override
                public void sessionLost(RpcSession session) {
                    Runtime.getRuntime().halt(0);
                }
            };
            InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            RpcServer server = new RpcServer(fabric, RpcServerConfig.of(any), handler);
            System.out.println(PORT + server.address().getPort());
            while (true) {
                if (server.poll(64) == 0) {
                    server.await(fabric.nanoTime() + SECOND);
                }
            }
        }
    }

    private static void measure(TransportChoice choice, long spinNanos) throws Exception {
        Process process = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-cp",
                        System.getProperty("java.class.path"),
                        RpcFigures.class.getName(),
                        "serve",
                        Long.toString(spinNanos))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader out = process.inputReader();
                Fabric fabric = fabric("client", spinNanos)) {
            int port = readPort(out);
            long[] rkey = new long[1];
            RpcConnectionListener listener = new RpcConnectionListener() {
                @Override
                public void onConnected(Connection connection, byte[] helloReply) {
                    rkey[0] = ByteBuffer.wrap(helloReply).getLong();
                }

                @Override
                public void onLost(Connection connection) {
                    System.out.println("connection lost: " + connection.failureReason());
                }
            };
            RpcClientConfig config = RpcClientConfig.of(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1)
                    .withTransport(choice);
            try (RpcClient client = new RpcClient(fabric, config, listener);
                    Arena arena = Arena.ofShared()) {
                client.awaitConnected(fabric.nanoTime() + 10 * SECOND);
                System.out.printf("%s, spin %d us:%n", choice, spinNanos / 1000);
                calls(client, fabric);
                MemorySegment local = arena.allocate(1 << 20, 4096);
                for (int size : READ_SIZES) {
                    verbs(client.connection(), fabric, local, rkey[0], size);
                }
            }
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    /** The server's first line that is not a log line. */
    private static int readPort(BufferedReader out) throws IOException {
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            if (line.startsWith(PORT)) {
                return Integer.parseInt(line.substring(PORT.length()));
            }
        }
        throw new IOException("the server's process has ended");
    }

    private static void calls(RpcClient client, Fabric fabric) throws Exception {
        int warmUp = 20_000;
        long[] nanos = new long[20_000];
        for (int i = -warmUp; i < nanos.length; i++) {
            long start = System.nanoTime();
            try (RpcCall call = client.begin(1, 0, fabric.nanoTime() + 10 * SECOND)) {
                call.send(0);
                call.await();
            }
            if (i >= 0) {
                nanos[i] = System.nanoTime() - start;
            }
        }
        print("null call", nanos, 0);
    }

    private static void verbs(Connection connection, Fabric fabric, MemorySegment local, long rkey, int size)
            throws Exception {
        for (boolean isRead : new boolean[] {true, false}) {
            int count = size >= 1 << 20 ? 500 : 10_000;
            long[] nanos = new long[count];
            WorkRequest work = new WorkRequest();
            for (int i = -count; i < count; i++) {
                long offset = (long) ((i + count) % (REGION_BYTES / size)) * size;
                long start = System.nanoTime();
                connection.post(
                        isRead
                                ? work.readInto(local, 0, size, rkey, offset)
                                : work.writeFrom(local, 0, size, rkey, offset));
                connection.await(work, fabric.nanoTime() + 10 * SECOND);
                if (i >= 0) {
                    nanos[i] = System.nanoTime() - start;
                }
            }
            print((isRead ? "READ " : "WRITE ") + size, nanos, size);
        }
    }

    private static void print(String what, long[] nanos, int bytes) {
        Arrays.sort(nanos);
        double median = nanos[nanos.length / 2] / 1000.0;
        String bandwidth = bytes < 1 << 16 ? "" : String.format(Locale.ROOT, ", %.2f GB/s", bytes / median / 1000);
        System.out.printf(
                Locale.ROOT,
                "  %-14s p50 %8.2f us, p99 %8.2f us%s%n",
                what,
                median,
                nanos[nanos.length * 99 / 100] / 1000.0,
                bandwidth);
    }
}
