package org.octofs.tests.crash;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.concurrent.atomic.LongAdder;
import org.octofs.pmem.medium.Media;
import org.octofs.pmem.medium.MediumKind;
import org.octofs.pmem.medium.MediumOptions;
import org.octofs.pmem.medium.OpenMode;
import org.octofs.pmem.medium.PmemMedium;
import org.octofs.pmem.pool.PmemPool;
import org.octofs.pmem.pool.PoolExpectation;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricConfig;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.fabric.TransportKind;
import org.octofs.rpc.fabric.loopback.LoopbackNetwork;
import org.octofs.server.server.FsServer;
import org.octofs.server.server.ServerConfig;
import org.octofs.server.testing.TestServer;
import org.slf4j.LoggerFactory;

/**
 * A process that has just begun, like that of a server that was started again: reads the metadata of a pool file once, and then starts
 * a server over the same file. Prints {@code name=value} for wall-clock and processor nanoseconds of both, and the heap afterwards.
 * Processor time of the start is that of its longest chain: while recovery works in two threads, the one that needs more counts.
 */
final class RestartMain {
    private static final int COLLECTIONS = 3;
    private static final LongAdder HELPERS = new LongAdder();
    private static long firstHelperAt;
    private static long inodesReadAt;

    private RestartMain() {}

    /** Arguments: the pool file, pool offset and bytes of the metadata in it. */
    @SuppressWarnings("SystemOut") // the test reads it
    public static void main(String[] arguments) throws IOException {
        Path file = Path.of(arguments[0]);
        long offset = Long.parseLong(arguments[1]);
        long bytes = Long.parseLong(arguments[2]);
        MediumOptions options = MediumOptions.defaults().withPrefault(false);
        // Reading its configuration takes logging longer than all that is measured here.
        LoggerFactory.getLogger(RestartMain.class).debug("measuring a start over {}", file);
        long wall = System.nanoTime();
        long cpu = cpu();
        try (PmemMedium medium = Media.open(file, MediumKind.MAPPED, OpenMode.SERVE, options)) {
            System.out.println("sum=" + sum(medium.memory(), offset, bytes));
        }
        System.out.println("readWall=" + (System.nanoTime() - wall));
        System.out.println("readCpu=" + (cpu() - cpu));
        Fabric fabric = LoopbackNetwork.threaded()
                .createFabric(FabricConfig.defaults("server", System::nanoTime, System::nanoTime, RestartMain::helper)
                        .withTransports(EnumSet.of(TransportKind.LOOPBACK)));
        long heap = heap();
        wall = System.nanoTime();
        cpu = cpu();
        PmemPool pool = PmemPool.open(file, MediumKind.MAPPED, PoolExpectation.ANY, options);
        FsServer server = new FsServer(
                ServerConfig.of(TestServer.MAP, 0, 1).withPeerTransport(TransportChoice.LOOPBACK),
                pool,
                fabric,
                org.octofs.server.ServerClock.system(),
                (phase, done, total) -> {
                    if (done == total) {
                        inodesReadAt = cpu();
                    }
                });
        System.out.println("startWall=" + (System.nanoTime() - wall));
        long waited = Math.max(0, HELPERS.sum() - (inodesReadAt - firstHelperAt));
        System.out.println("startCpu=" + (cpu() - cpu + waited));
        System.out.println("helperCpu=" + HELPERS.sum());
        System.out.println("heap=" + (heap() - heap));
        System.out.println("inodes=" + server.state().inodes().size());
        server.close();
        fabric.close();
    }

    /** A thread whose processor time is counted when it ends. */
    private static Thread helper(Runnable work) {
        firstHelperAt = firstHelperAt == 0 ? cpu() : firstHelperAt;
        return Thread.ofPlatform().daemon().unstarted(() -> {
            work.run();
            HELPERS.add(cpu());
        });
    }

    private static long sum(MemorySegment memory, long offset, long bytes) {
        long sum = 0;
        for (long at = offset; at < offset + bytes; at += Long.BYTES) {
            sum += memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
        }
        return sum;
    }

    private static long cpu() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    /** Bytes in use after collections. */
    @SuppressWarnings("SystemGc") // what is measured is what is reachable
    private static long heap() {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
