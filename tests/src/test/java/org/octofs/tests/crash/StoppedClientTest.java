package org.octofs.tests.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.FsException;
import org.octofs.client.client.OpenFile;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.server.data.FileSpace;
import org.octofs.tests.support.LocalCluster;

/**
 * Goal: a client that is stopped past its lease and continued cannot damage a block that was lent to it before. Method: a process
 * that writes, or has nodes copy, without end gets SIGSTOP at no particular moment; the servers are restarted, so that its connections are gone, and its
 * lease runs out; over tcp they are restarted once more, so that nobody remembers having fenced it. Then another client fills all
 * the space there is, the process gets SIGCONT, and what the other client has written must be there, byte for byte.
 */
class StoppedClientTest {
    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(40);
    private static final long HELD_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long POOL_BYTES = 64L << 20;
    private static final int PIECE_BYTES = 1 << 20;
    private static final byte OTHER_BYTE = 0x55;

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {StoppedClientMain.WRITES, StoppedClientMain.COPIES})
    void overTcpItIsFencedAndItsBlocksAreGivenToOthers(String how) throws Exception {
        try (LocalCluster cluster = LocalCluster.start(2, LocalCluster.Transport.TCP, POOL_BYTES)) {
            cluster.lease(LEASE);
            try (ClientProcess stopped = new ClientProcess(cluster, directory, how)) {
                if (how.equals(StoppedClientMain.COPIES)) {
                    // A copy that is under way has no answer, and is asked for again when the process goes on.
                    cluster.server(0).hold();
                    cluster.server(1).hold();
                    LockSupport.parkNanos(HELD_NANOS);
                }
                stopped.stop();
                restart(cluster);
                await(() -> lentBlocks(cluster) == 0, "what was lent to the stopped client comes back");
                restart(cluster);
                List<byte[]> files = fill(cluster);
                stopped.goOn();
                assertThat(stopped.readLine())
                        .startsWith(StoppedClientMain.ENDED)
                        // The second is the answer to a commit that was under way.
                        .containsAnyOf("mount again", "no longer lends the blocks");
                check(cluster, files);
            }
        }
    }

    @Test
    void overSharedMemoryItsBlocksStayLentWhileItsProcessIsThere() throws Exception {
        try (LocalCluster cluster = LocalCluster.start(2, LocalCluster.Transport.SHM, POOL_BYTES)) {
            cluster.lease(LEASE);
            try (ClientProcess stopped = new ClientProcess(cluster, directory)) {
                stopped.stop();
                restart(cluster);
                long lent = lentBlocks(cluster);
                assertThat(lent).isPositive();
                LockSupport.parkNanos(LEASE.multipliedBy(3).toNanos());
                assertThat(lentBlocks(cluster))
                        .as("past the lease, with a process that can store")
                        .isEqualTo(lent);
                List<byte[]> files = fill(cluster);
                stopped.goOn();
                LockSupport.parkNanos(LEASE.toNanos());
                check(cluster, files);
                cluster.closeClients();
                stopped.kill();
                await(() -> lentBlocks(cluster) == 0, "what was lent to a dead process comes back");
            }
        }
    }

    private static void restart(LocalCluster cluster) throws IOException {
        cluster.crashServers();
        for (int node = 0; node < cluster.map().nodeCount(); node++) {
            cluster.server(node).start();
        }
    }

    /** A glance from another thread than the servers'; good enough to wait for. */
    private static long lentBlocks(LocalCluster cluster) {
        long sum = 0;
        for (int node = 0; node < cluster.map().nodeCount(); node++) {
            FileSpace files = (FileSpace) cluster.server(node).server().state().contents();
            sum += files.space().reservations().lentBlocks();
        }
        return sum;
    }

    private static void await(BooleanSupplier condition, String what) {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - end).as("waiting that " + what).isNegative();
            LockSupport.parkNanos(10_000_000);
        }
    }

    /** Files of a MiB, until there is no space; answers their names. */
    private static List<byte[]> fill(LocalCluster cluster) throws IOException {
        FsClient client = cluster.client();
        List<byte[]> names = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(PIECE_BYTES);
            bytes.fill(OTHER_BYTE);
            while (true) {
                byte[] name = ("other-" + names.size()).getBytes(StandardCharsets.UTF_8);
                OpenFile file = client.create(InodeNumber.ROOT, name, 0x1A4, 0, 0, 0, new Attributes());
                boolean isWhole = client.write(file, 0, bytes, 0, PIECE_BYTES) == PIECE_BYTES;
                client.fsync(file, false);
                client.release(file);
                if (!isWhole) {
                    return names;
                }
                names.add(name);
            }
        } catch (FsException e) {
            assertThat(e.errno()).isEqualTo(Errno.ENOSPC);
            assertThat(names).hasSizeGreaterThan(10);
            return names;
        }
    }

    private static void check(LocalCluster cluster, List<byte[]> names) throws IOException {
        FsClient client = cluster.client();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(PIECE_BYTES);
            for (byte[] name : names) {
                Attributes found = new Attributes();
                client.lookup(InodeNumber.ROOT, name, found);
                OpenFile file = client.open(found.ino(), 0);
                assertThat(client.read(file, 0, bytes, 0, PIECE_BYTES)).isEqualTo(PIECE_BYTES);
                client.release(file);
                for (int i = 0; i < PIECE_BYTES; i++) {
                    if (bytes.get(ValueLayout.JAVA_BYTE, i) != OTHER_BYTE) {
                        throw new AssertionError(
                                new String(name, StandardCharsets.UTF_8) + " was written over at byte " + i);
                    }
                }
            }
        }
    }
}
