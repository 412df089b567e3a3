package org.octofs.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.octofs.tests.conformance.NamespaceTest.name;

import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.ClientConfig;
import org.octofs.client.client.Consistency;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.OpenFlags;
import org.octofs.fuse.fuse.AdapterPolicy;
import org.octofs.fuse.fuse.FuseAdapter;
import org.octofs.fuse.kernel.KernelRequests;
import org.octofs.fuse.kernel.ServedRequests;
import org.octofs.tests.support.LocalCluster;

/**
 * Goal: what the kernel has looked up and forgotten costs the mount no memory. Method: as many inodes as asked for are looked up,
 * opened, closed and forgotten through the engine, the adapter, the client and a server; the heap is measured when the caches, which
 * are bounded, are full, and at the end.
 */
class ForgottenInodesTest {
    private static final int FEW = 24_000;
    private static final int MANY = 1_000_000;
    private static final int FILES_PER_DIRECTORY = 4_000;
    private static final int CACHED = 1024;
    /** Less than a pointer for each; what is left is for the rest of the process. */
    private static final long GROWTH_BYTES_MAX = 1 << 20;

    private static final int ROUNDS = 20_000;
    private static final int THREADS = 4;

    private static FsClient client(LocalCluster cluster) throws Exception {
        return cluster.client(ClientConfig.builder()
                .dentryCacheEntries(CACHED)
                .slotCacheEntries(CACHED)
                .idleFilesMax(CACHED));
    }

    private static void run(int count, long poolBytes) throws Exception {
        try (LocalCluster cluster = LocalCluster.start(1, LocalCluster.Transport.LOOPBACK, poolBytes)) {
            FsClient client = client(cluster);
            FuseAdapter adapter = new FuseAdapter(client, AdapterPolicy.of(Consistency.COHERENT, true));
            List<Long> directories = create(client, count);
            try (ServedRequests served = new ServedRequests(adapter)) {
                KernelRequests kernel = new KernelRequests(served);
                long full = 0;
                for (int d = 0; d < directories.size(); d++) {
                    visit(kernel, directories.get(d), d % 2 == 0);
                    if (d == 1 || d == 2) {
                        full = heapBytes();
                    }
                }
                long end = heapBytes();
                System.out.printf("%,d inodes forgotten: heap %,d bytes, before %,d%n", count, end, full);
                assertThat(adapter.rememberedCount()).isZero();
                assertThat(adapter.openCount()).isZero();
                assertThat(end - full).as("bytes more").isLessThan(GROWTH_BYTES_MAX);
            }
        }
    }

    private static List<Long> create(FsClient client, int count) throws Exception {
        List<Long> directories = new ArrayList<>();
        Attributes out = new Attributes();
        for (int i = 0; i < count; i++) {
            if (i % FILES_PER_DIRECTORY == 0) {
                client.mkdir(1, name("directory-" + directories.size()), 0755, 0, 0, 0, out);
                directories.add(out.ino());
            }
            client.release(client.create(
                    directories.getLast(), name("file-" + i % FILES_PER_DIRECTORY), 0644, 0, 0, OpenFlags.RDWR, out));
        }
        return directories;
    }

    /** Looks everything up, opens and closes it, and forgets it: one by one, or many at once. */
    private static void visit(KernelRequests kernel, long directory, boolean atOnce) {
        List<Long> known = new ArrayList<>();
        for (int i = 0; i < FILES_PER_DIRECTORY; i++) {
            long inode = kernel.lookup(directory, "file-" + i);
            assertThat(inode).isPositive();
            kernel.release(inode, kernel.open(inode));
            if (atOnce) {
                known.add(inode);
            } else {
                kernel.forget(inode, 1);
            }
            if (known.size() == 64) {
                kernel.forget(known);
                known.clear();
            }
        }
        kernel.forget(known);
    }

    private static long heapBytes() {
        for (int i = 0; i < 3; i++) {
            WeakReference<Object> garbage = new WeakReference<>(new Object());
            while (garbage.get() != null) {
                System.gc();
                LockSupport.parkNanos(1_000_000);
            }
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    @Test
    @Timeout(180)
    void thousandsLeaveNothing() throws Exception {
        run(FEW, 128L << 20);
    }

    @Test
    @Tag("slow")
    @Timeout(1800)
    void aMillionLeavesNothing() throws Exception {
        run(MANY, 4L << 30);
    }

    /** A forget is sent when the kernel drops an inode, and may be served after the look-up that brought it back. */
    @Test
    @Timeout(120)
    void lookUpsThatRaceWithForgetsFindTheirFile() throws Exception {
        try (LocalCluster cluster = LocalCluster.start(1, LocalCluster.Transport.LOOPBACK);
                ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            FsClient client = client(cluster);
            FuseAdapter adapter = new FuseAdapter(client, AdapterPolicy.of(Consistency.COHERENT, true));
            Attributes out = new Attributes();
            client.release(client.create(1, name("file"), 0644, 0, 0, OpenFlags.RDWR, out));
            long inode = out.ino();
            List<Future<Void>> all = new ArrayList<>();
            for (int t = 0; t < THREADS; t++) {
                all.add(threads.submit(() -> {
                    try (ServedRequests served = new ServedRequests(adapter)) {
                        KernelRequests kernel = new KernelRequests(served);
                        for (int i = 0; i < ROUNDS / THREADS; i++) {
                            assertThat(kernel.lookup(1, "file")).isEqualTo(inode);
                            long handle = kernel.open(inode);
                            if (ThreadLocalRandom.current().nextBoolean()) {
                                kernel.forget(inode, 1);
                                kernel.release(inode, handle);
                            } else {
                                kernel.release(inode, handle);
                                kernel.forget(List.of(inode, inode, inode));
                            }
                        }
                        return null;
                    }
                }));
            }
            for (Future<Void> one : all) {
                one.get();
            }
            adapter.forget(inode, 1);
            assertThat(adapter.rememberedCount()).isZero();
            assertThat(adapter.openCount()).isZero();
            assertThat(adapter.faultCount()).isZero();
        }
    }
}
