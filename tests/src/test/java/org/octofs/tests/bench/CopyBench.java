package org.octofs.tests.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.ClientConfig;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.FsException;
import org.octofs.client.client.OpenFile;
import org.octofs.client.client.OpenFlags;
import org.octofs.client.dev.TemporaryCluster;
import org.octofs.rpc.cluster.ClusterHello;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.cluster.ClusterNode;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricConfig;
import org.octofs.rpc.fabric.FabricFactory;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.rpc.RpcCall;
import org.octofs.rpc.rpc.RpcClient;
import org.octofs.rpc.rpc.RpcClientConfig;
import org.octofs.rpc.rpc.RpcException;

/**
 * The copy of a file at its node beside reading and writing it, in turns, fsync included; and how long a null RPC of another client
 * takes meanwhile. One server process. {@code tests/bench/copy} runs it.
 */
public final class CopyBench {
    private static final long DEADLINE_NANOS = 20_000_000_000L;
    private static final int MIB = 1 << 20;
    private static final int MODE = 0600;
    private static final int WRITABLE = OpenFlags.RDWR | OpenFlags.CREAT | OpenFlags.EXCL;
    private static final int CALLS_MAX = 1 << 20;
    private static final long PAUSE_NANOS = 100_000;

    private final FsClient client;
    private final MemorySegment buffer;
    private final long bytes;
    private final ProcessHandle server;
    private int files;

    private CopyBench(FsClient client, MemorySegment buffer, long bytes, ProcessHandle server) {
        this.client = client;
        this.buffer = buffer;
        this.bytes = bytes;
        this.server = server;
    }

    /** Makes a copy. */
    @FunctionalInterface
    private interface Way {
        void copy(OpenFile source, OpenFile target) throws FsException;
    }

    /** {@code [MIB [RUNS]]}. */
    @SuppressWarnings("SystemOut") // the table is what it is for
    public static void main(String[] arguments) throws Exception {
        int mib = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 256;
        int runs = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 9;
        System.out.printf("%-28s %8s %12s %26s%n", "", "GB/s", "CPU ms/GB", "null RPC us: p50, p99, max");
        for (TransportChoice transport : List.of(TransportChoice.SHM, TransportChoice.TCP)) {
            Path state = Files.createTempDirectory("octofs-copy-");
            String name = transport.name().toLowerCase(Locale.ROOT);
            try (TemporaryCluster cluster = TemporaryCluster.start(state, 1, "1536M", name);
                    FsClient client = FsClient.connect(
                            cluster.map(),
                            ClientConfig.builder().transport(transport).build());
                    Arena arena = Arena.ofShared()) {
                ProcessHandle server = ProcessHandle.of(cluster.pid(0)).orElseThrow();
                new CopyBench(client, arena.allocate(MIB, 4096), (long) mib * MIB, server)
                        .run(cluster.map(), transport, name, runs);
            }
        }
    }

    @SuppressWarnings("SystemOut")
    private void run(ClusterMap map, TransportChoice transport, String name, int runs) throws Exception {
        Random random = new Random(1);
        for (long at = 0; at < MIB; at += Long.BYTES) {
            buffer.set(ValueLayout.JAVA_LONG, at, random.nextLong());
        }
        OpenFile source = create();
        for (long at = 0; at < bytes; at += MIB) {
            client.write(source, at, buffer, 0, MIB);
        }
        client.fsync(source, false);
        List<Way> ways = List.of(this::through, this::atNodes);
        double[][] rates = new double[2][runs];
        double[][] cpu = new double[2][runs];
        try (Waiter waiter = new Waiter(map, transport)) {
            waiter.run(() -> LockSupport.parkNanos(1_000_000_000L), 2);
            for (int run = -1; run < runs; run++) {
                for (int i = 0; i < 2; i++) {
                    int way = (i + run & 1) == 0 ? 0 : 1;
                    long used = cpuNanos();
                    double rate = waiter.run(() -> timed(source, ways.get(way)), run < 0 ? -1 : way);
                    if (run >= 0) {
                        rates[way][run] = rate;
                        cpu[way][run] = (double) (cpuNanos() - used) / bytes * 1e3;
                    }
                    client.unlink(InodeNumber.ROOT, name(files - 1));
                    LockSupport.parkNanos(300_000_000L); // its blocks come back
                }
            }
            System.out.printf("%-28s %8s %12s %26s%n", name + ": nobody copies", "", "", waiter.words(2));
            for (int way = 0; way < 2; way++) {
                Arrays.sort(rates[way]);
                Arrays.sort(cpu[way]);
                System.out.printf(
                        Locale.ROOT,
                        "%-28s %8.2f %12.0f %26s   (%.2f to %.2f)%n",
                        name + (way == 0 ? ": read and written" : ": copied at the node"),
                        rates[way][runs / 2],
                        cpu[way][runs / 2],
                        waiter.words(way),
                        rates[way][0],
                        rates[way][runs - 1]);
            }
        }
        client.release(source);
    }

    /** Of this process and the server's. */
    private long cpuNanos() {
        OperatingSystemMXBean mine = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        return mine.getProcessCpuTime()
                + server.info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
    }

    private static byte[] name(int index) {
        return ("f" + index).getBytes(StandardCharsets.US_ASCII);
    }

    private OpenFile create() throws FsException {
        return client.create(InodeNumber.ROOT, name(files++), MODE, 0, 0, WRITABLE, new Attributes());
    }

    private double timed(OpenFile source, Way way) throws FsException {
        OpenFile target = create();
        long begin = System.nanoTime();
        way.copy(source, target);
        client.fsync(target, false);
        long nanos = System.nanoTime() - begin;
        client.release(target);
        return (double) bytes / nanos;
    }

    private void through(OpenFile source, OpenFile target) throws FsException {
        for (long at = 0; at < bytes; at += MIB) {
            client.read(source, at, buffer, 0, MIB);
            client.write(target, at, buffer, 0, MIB);
        }
    }

    private void atNodes(OpenFile source, OpenFile target) throws FsException {
        for (long at = 0; at < bytes; ) {
            at += client.copy(source, at, target, at, bytes - at);
        }
    }

    /** Another client, which makes null RPCs all the while. */
    private static final class Waiter implements AutoCloseable {
        private final Fabric fabric;
        private final RpcClient rpc;
        private final long[][] nanos = new long[3][CALLS_MAX];
        private final int[] counts = new int[3];
        private volatile int into = -1;
        private volatile boolean ends;
        private final Thread thread;

        interface Work<T> {
            T run() throws FsException;
        }

        Waiter(ClusterMap map, TransportChoice transport) throws Exception {
            fabric = FabricFactory.create(FabricConfig.defaults(
                    "copy bench",
                    System::nanoTime,
                    new SecureRandom()::nextLong,
                    Thread.ofPlatform().daemon().name("fabric-", 0).factory()));
            ClusterNode node = map.node(0);
            rpc = new RpcClient(
                    fabric,
                    RpcClientConfig.of(
                                    new InetSocketAddress(node.host(), node.port()),
                                    (new SecureRandom().nextLong() & Long.MAX_VALUE) | 1)
                            .withTransport(transport)
                            .withHello(ClusterHello.client(map.id()).encode()));
            rpc.setMapEpoch(map.epoch());
            rpc.awaitConnected(fabric.nanoTime() + DEADLINE_NANOS);
            thread = Thread.ofPlatform().daemon().start(this::call);
        }

        private void call() {
            while (!ends) {
                int row = into;
                long begin = System.nanoTime();
                try (RpcCall call = rpc.begin(OpCode.NULL, 0, fabric.nanoTime() + DEADLINE_NANOS)) {
                    call.send(0);
                    call.await();
                } catch (RpcException e) {
                    throw new IllegalStateException(e);
                }
                long took = System.nanoTime() - begin;
                if (row >= 0 && counts[row] < CALLS_MAX) {
                    nanos[row][counts[row]++] = took;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }

        /** Runs something; what null RPCs take meanwhile goes into a row, nowhere if it is negative. */
        <T> T run(Work<T> work, int row) throws FsException {
            into = row;
            try {
                return work.run();
            } finally {
                into = -1;
            }
        }

        void run(Runnable work, int row) throws FsException {
            run(
                    () -> {
                        work.run();
                        return 0;
                    },
                    row);
        }

        String words(int row) {
            long[] sorted = Arrays.copyOf(nanos[row], counts[row]);
            Arrays.sort(sorted);
            return String.format(
                    Locale.ROOT,
                    "%.0f, %.0f, %.0f",
                    sorted[sorted.length / 2] / 1e3,
                    sorted[sorted.length * 99 / 100] / 1e3,
                    sorted[sorted.length - 1] / 1e3);
        }

        @Override
        public void close() throws IOException {
            ends = true;
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            rpc.close();
            fabric.close();
        }
    }
}
