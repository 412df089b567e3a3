package org.octofs.rpc.fabric.shm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricFactory;
import org.octofs.rpc.fabric.MemoryRegion;
import org.octofs.rpc.fabric.PeerJvm;
import org.octofs.rpc.fabric.PeerMain;
import org.octofs.rpc.fabric.ReceiveQueue;
import org.octofs.rpc.fabric.RemoteRegion;
import org.octofs.rpc.fabric.TestFabricConfig;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.fabric.WorkRequest;

/**
 * Prints figures of a transport between two processes, beside a plain copy. Not a test: run it by hand on a quiet
 * machine. Argument: microseconds to spin on both sides (0 parks at once); optionally the transport.
 */
public final class ShmFigures {
    private static final int WARM_UP = 100_000;
    private static final int ROUNDS = 200_000;

    private long arrivals;

    private ShmFigures() {}

    /** Runs all. */
    public static void main(String[] arguments) throws Exception {
        long spinMicros = arguments.length > 0 ? Long.parseLong(arguments[0]) : 20;
        TransportChoice choice = arguments.length > 1 ? TransportChoice.valueOf(arguments[1]) : TransportChoice.SHM;
        System.setProperty("octofs.test.peer.tier", "4");
        try (PeerJvm peer = PeerJvm.start("serve", choice, 0, spinMicros);
                Fabric fabric = FabricFactory.create(
                        TestFabricConfig.named("figures").withSpinNanos(TimeUnit.MICROSECONDS.toNanos(spinMicros)))) {
            int port = peer.readPort();
            System.out.println("spin " + spinMicros + " us, " + choice);
            ShmFigures figures = new ShmFigures();
            figures.pingPong(fabric, choice, port);
            figures.oneSided(fabric, choice, port);
        }
    }

    private void pingPong(Fabric fabric, TransportChoice choice, int port) throws Exception {
        ReceiveQueue queue = fabric.createReceiveQueue();
        MemoryRegion replies = fabric.allocate(64, Access.readWrite());
        Connection connection = fabric.connect(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                choice,
                PeerMain.encode(replies.remote()),
                queue,
                fabric.nanoTime() + TimeUnit.SECONDS.toNanos(20));
        connection.receiver((from, immediate) -> arrivals++);
        connection.grant(replies);
        RemoteRegion remote = PeerMain.decode(connection.peerPrivateData());
        MemorySegment message = Arena.global().allocate(64, 64);
        WorkRequest request = new WorkRequest();
        long[] nanos = new long[ROUNDS];
        for (int i = -WARM_UP; i < ROUNDS; i++) {
            long start = System.nanoTime();
            connection.post(request.writeImmediateFrom(message, 0, 64, remote, 0, i & 0xFFFF));
            long before = arrivals;
            while (arrivals == before) {
                queue.await(start + 10_000_000_000L);
                queue.poll(8);
            }
            if (i >= 0) {
                nanos[i] = System.nanoTime() - start;
            }
        }
        print("64 B ping-pong by WRITE_WITH_IMM", nanos, 0);
        connection.close();
    }

    private void oneSided(Fabric fabric, TransportChoice choice, int port) throws Exception {
        ReceiveQueue queue = fabric.createReceiveQueue();
        Connection connection = fabric.connect(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                choice,
                new byte[0],
                queue,
                fabric.nanoTime() + TimeUnit.SECONDS.toNanos(20));
        RemoteRegion remote = PeerMain.decode(connection.peerPrivateData());
        MemorySegment other = Arena.global().allocate(PeerMain.REGION_BYTES, 4096);
        MemorySegment memory = Arena.global().allocate(PeerMain.REGION_BYTES, 4096);
        other.fill((byte) 1);
        memory.fill((byte) 1);
        WorkRequest request = new WorkRequest();
        for (int size : new int[] {8, 64, 4096, 128 * 1024, PeerMain.REGION_BYTES}) {
            int rounds = (int) Math.min(ROUNDS, 20_000_000_000L / Math.max(size, 100_000));
            long[] copy = new long[rounds];
            long[] read = new long[rounds];
            long[] write = new long[rounds];
            for (int i = -rounds / 2; i < rounds; i++) {
                long offset = ((long) i * size & 0x7FFF_FFFF) % (PeerMain.REGION_BYTES - size + 1) & ~63;
                long t0 = System.nanoTime();
                MemorySegment.copy(other, offset, memory, 0, size);
                long t1 = System.nanoTime();
                connection.post(request.readInto(memory, 0, size, remote, offset));
                connection.await(request, t1 + 10_000_000_000L);
                long t2 = System.nanoTime();
                connection.post(request.writeFrom(memory, 0, size, remote, offset));
                connection.await(request, t2 + 10_000_000_000L);
                long t3 = System.nanoTime();
                if (i >= 0) {
                    copy[i] = t1 - t0;
                    read[i] = t2 - t1;
                    write[i] = t3 - t2;
                }
            }
            print(size + " B plain copy", copy, size);
            print(size + " B READ", read, size);
            print(size + " B WRITE", write, size);
        }
    }

    private static void print(String what, long[] nanos, int bytes) {
        Arrays.sort(nanos);
        long p50 = nanos[nanos.length / 2];
        System.out.printf(
                "%-36s p50 %7d ns  p99 %8d ns  p99.9 %8d ns%s%n",
                what,
                p50,
                nanos[nanos.length * 99 / 100],
                nanos[(int) (nanos.length * 999L / 1000)],
                bytes > 0 ? String.format("  %.2f GB/s", (double) bytes / p50) : "");
    }
}
