package org.octofs.tests.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.ClientConfig;
import org.octofs.client.client.ClientCounter;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.OpenFile;
import org.octofs.client.client.OpenFlags;
import org.octofs.rpc.fabric.TransportChoice;

/**
 * File data passes the servers by: a client in this process and servers in others, over shared memory. Counted are the verbs
 * and calls, and measured is the servers' CPU time.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OneSidedTest {
    private static final long ROOT = 1;
    private static final byte[] NAME = "file".getBytes(StandardCharsets.UTF_8);
    private static final int BLOCK = 4096;
    private static final int MIB = 1 << 20;
    private static final int FILE_MIB = 16;
    private static final int PASSES = 64;
    private static final int SAMPLE_MILLIS = 400;
    private static final int SAMPLES_MAX = 50;

    /** What idle servers use while the test works, and more. Copying a GiB would take several times as long. */
    private static final Duration NOTHING = Duration.ofMillis(60);

    /** A commit enters each block in the file's map and frees the one before it; far less than a copy with a checksum. */
    private static final long COMMIT_NANOS_PER_BLOCK = 2500;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment buffer = arena.allocate(MIB, BLOCK);

    @AutoClose
    private static SystemCluster cluster;

    private FsClient client;
    private OpenFile file;

    @BeforeAll
    static void up() {
        cluster = SystemCluster.up(2, "128M", "shm", "");
    }

    @BeforeEach
    void makeFile() throws IOException {
        client = FsClient.connect(
                cluster.map(),
                ClientConfig.builder().transport(TransportChoice.SHM).build());
        file = client.create(ROOT, NAME, 0600, 0, 0, OpenFlags.RDWR, new Attributes());
        byte[] bytes = new byte[MIB];
        new Random(1).nextBytes(bytes);
        MemorySegment.copy(bytes, 0, buffer, ValueLayout.JAVA_BYTE, 0, MIB);
        overwrite();
        client.fsync(file, false);
    }

    @AfterEach
    void removeFile() throws IOException {
        if (file != null) {
            client.release(file);
            client.unlink(ROOT, NAME);
        }
        if (client != null) {
            client.close();
        }
        arena.close();
    }

    private void overwrite() throws IOException {
        for (int i = 0; i < FILE_MIB; i++) {
            client.write(file, (long) i * MIB, buffer, 0, MIB);
        }
    }

    private void readAll() throws IOException {
        for (int i = 0; i < FILE_MIB; i++) {
            assertThat(client.read(file, (long) i * MIB, buffer, 0, MIB)).isEqualTo(MIB);
        }
    }

    private long count(ClientCounter counter) {
        return client.counters().get(counter);
    }

    /** What went before may still be compiled or tidied up: the servers' CPU time once they have nothing to do. */
    private Duration quietServersCpu() throws IOException, InterruptedException {
        Duration before = serversCpu();
        for (int i = 0; i < SAMPLES_MAX; i++) {
            Thread.sleep(SAMPLE_MILLIS);
            Duration now = serversCpu();
            if (now.minus(before).toMillis() < SAMPLE_MILLIS / 50) {
                return now;
            }
            before = now;
        }
        throw new AssertionError("the servers are busy though nobody calls them");
    }

    private Duration serversCpu() throws IOException {
        return CpuTime.of(cluster.serverPid(0)).plus(CpuTime.of(cluster.serverPid(1)));
    }

    @Test
    void readingNeedsNoServer() throws IOException, InterruptedException {
        readAll();
        long rpcs = count(ClientCounter.RPCS);
        long bytes = count(ClientCounter.READ_BYTES);
        Duration before = quietServersCpu();
        for (int pass = 0; pass < PASSES; pass++) {
            readAll();
        }
        Duration used = serversCpu().minus(before);
        assertThat(count(ClientCounter.READ_BYTES) - bytes).isGreaterThanOrEqualTo((long) PASSES * FILE_MIB * MIB);
        assertThat(count(ClientCounter.RPCS) - rpcs).as("RPCs").isZero();
        assertThat(used).as("CPU time of the servers for a GiB of reads").isLessThan(NOTHING);
    }

    @Test
    void overwritingCostsServersTheCommitsOnly() throws IOException, InterruptedException {
        // Warm up: reservations have grown, the servers' code is compiled.
        for (int pass = 0; pass < PASSES; pass++) {
            overwrite();
            client.fsync(file, false);
        }
        long rpcs = count(ClientCounter.RPCS);
        long bytes = count(ClientCounter.WRITE_BYTES);
        Duration before = quietServersCpu();
        for (int pass = 0; pass < PASSES; pass++) {
            overwrite();
            client.fsync(file, false);
        }
        Duration used = serversCpu().minus(before);
        long calls = count(ClientCounter.RPCS) - rpcs;
        assertThat(count(ClientCounter.WRITE_BYTES) - bytes).isGreaterThanOrEqualTo((long) PASSES * FILE_MIB * MIB);
        assertThat(calls).as("RPCs for a GiB of overwrites").isLessThan(PASSES * 10L);
        long blocks = (long) PASSES * FILE_MIB * MIB / BLOCK;
        assertThat(used)
                .as("CPU time of the servers for a GiB of overwrites")
                .isLessThan(Duration.ofNanos(blocks * COMMIT_NANOS_PER_BLOCK));
    }

    @Test
    void smallCachedReadTakesTwoReadsAndOverwriteOneWriteAndOneRpc() throws IOException {
        client.read(file, 7L * BLOCK, buffer, 0, BLOCK);
        for (int i = 0; i < 100; i++) {
            long reads = count(ClientCounter.READ_VERBS);
            long rpcs = count(ClientCounter.RPCS);
            assertThat(client.read(file, 7L * BLOCK, buffer, 0, BLOCK)).isEqualTo(BLOCK);
            assertThat(count(ClientCounter.READ_VERBS) - reads).as("READs").isEqualTo(2);
            assertThat(count(ClientCounter.RPCS) - rpcs).as("RPCs").isZero();
        }
        for (int i = 0; i < 100; i++) {
            long writes = count(ClientCounter.WRITE_VERBS);
            long rpcs = count(ClientCounter.RPCS);
            client.write(file, 7L * BLOCK, buffer, 0, BLOCK);
            client.fsync(file, false);
            assertThat(count(ClientCounter.WRITE_VERBS) - writes).as("WRITEs").isEqualTo(1);
            assertThat(count(ClientCounter.RPCS) - rpcs).as("RPCs").isEqualTo(1);
        }
    }

    /** The same through the kernel: what a mount reads again and again past the page cache. */
    @Test
    void mountReadsWithoutServers() throws IOException, InterruptedException {
        client.fsync(file, false);
        String read = "for i in $(seq %d); do dd if=\"$1/file\" of=/dev/null bs=1M iflag=direct status=none; done";
        Shell.bash(cluster.scratch(), Leftovers.PATIENCE, read.formatted(4), cluster.mount())
                .succeeded();
        Duration before = quietServersCpu();
        Shell.bash(cluster.scratch(), Leftovers.PATIENCE.multipliedBy(2), read.formatted(32), cluster.mount())
                .succeeded();
        Duration used = serversCpu().minus(before);
        assertThat(used).as("CPU time of the servers for half a GiB").isLessThan(NOTHING);
    }
}
