package org.octofs.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.octofs.tests.conformance.NamespaceTest.name;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.ClientConfig;
import org.octofs.client.client.ClientCounter;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.FsException;
import org.octofs.client.client.FsStatistics;
import org.octofs.client.client.OpenFile;
import org.octofs.client.client.OpenFlags;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.tests.support.LocalCluster;

/** Data of files over two servers: what is written is read, by whom and when it should be, and at what cost. */
class FileDataTest {
    private static final long ROOT = 1;
    private static final int BLOCK = 4096;
    private static final int MIB = 1 << 20;

    private final MemorySegment buffer = Arena.ofAuto().allocate(4 * MIB, BLOCK);
    private final Attributes out = new Attributes();

    @AutoClose
    private LocalCluster cluster;

    private FsClient client;

    @BeforeEach
    void start() throws IOException {
        cluster = LocalCluster.start(2, LocalCluster.Transport.LOOPBACK);
        client = cluster.client();
    }

    private OpenFile create(String name) throws FsException {
        return client.create(ROOT, name(name), 0644, 0, 0, OpenFlags.RDWR, out);
    }

    private static byte[] bytes(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private void write(FsClient by, OpenFile file, long offset, byte[] bytes) throws FsException {
        MemorySegment.copy(bytes, 0, buffer, ValueLayout.JAVA_BYTE, 0, bytes.length);
        assertThat(by.write(file, offset, buffer, 0, bytes.length)).isEqualTo(bytes.length);
    }

    private byte[] read(FsClient by, OpenFile file, long offset, int length) throws FsException {
        buffer.asSlice(0, length).fill((byte) 0x55);
        int n = by.read(file, offset, buffer, 0, length);
        return buffer.asSlice(0, n).toArray(ValueLayout.JAVA_BYTE);
    }

    private long size(long ino) throws FsException {
        client.getAttributes(ino, out);
        return out.sizeBytes();
    }

    @Test
    void ownWritesAreReadBeforeAndAfterTheCommit() throws Exception {
        OpenFile file = create("a");
        byte[] data = bytes(3 * BLOCK + 100, 1);

        write(client, file, 0, data);

        assertThat(read(client, file, 0, data.length + 50)).isEqualTo(data);
        assertThat(size(file.ino())).isEqualTo(data.length);
        client.fsync(file, false);
        assertThat(read(client, file, 0, data.length + 50)).isEqualTo(data);
        assertThat(read(client, file, 5000, 100)).isEqualTo(java.util.Arrays.copyOfRange(data, 5000, 5100));
        assertThat(read(client, file, data.length, 10)).isEmpty();
        assertThat(size(file.ino())).isEqualTo(data.length);
        client.release(file);
    }

    @Test
    void anotherClientReadsWhatWasFlushed() throws Exception {
        FsClient other = cluster.client();
        OpenFile file = create("a");
        byte[] data = bytes(2 * MIB + 77, 2);
        write(client, file, 0, data);
        client.flush(file, 0);

        OpenFile seen = other.open(file.ino(), OpenFlags.RDONLY);

        assertThat(read(other, seen, 0, data.length)).isEqualTo(data);
        byte[] change = bytes(BLOCK, 3);
        write(client, file, BLOCK, change);
        client.fsync(file, true);
        assertThat(read(other, seen, BLOCK, BLOCK)).isEqualTo(change);
        other.release(seen);
        client.release(file);
    }

    @Test
    void smallSequentialWritesFillBlocks() throws Exception {
        OpenFile file = create("a");
        byte[] data = bytes(5 * BLOCK + 13, 4);
        for (int at = 0; at < data.length; at += 100) {
            write(client, file, at, java.util.Arrays.copyOfRange(data, at, Math.min(data.length, at + 100)));
        }
        assertThat(read(client, file, 0, data.length)).isEqualTo(data);
        client.fsync(file, false);
        assertThat(read(client, file, 0, data.length)).isEqualTo(data);
        client.release(file);
    }

    @Test
    void aPartOfACommittedBlockIsMerged() throws Exception {
        OpenFile file = create("a");
        byte[] data = bytes(BLOCK, 5);
        write(client, file, 0, data);
        client.fsync(file, false);

        write(client, file, 10, new byte[] {1, 2, 3});
        write(client, file, 4000, new byte[] {4, 5});

        System.arraycopy(new byte[] {1, 2, 3}, 0, data, 10, 3);
        System.arraycopy(new byte[] {4, 5}, 0, data, 4000, 2);
        assertThat(read(client, file, 0, BLOCK)).isEqualTo(data);
        client.fsync(file, false);
        assertThat(read(client, file, 0, BLOCK)).isEqualTo(data);
        client.release(file);
    }

    @Test
    void twoClientsWriteDifferentPartsOfOneBlock() throws Exception {
        FsClient other = cluster.client();
        OpenFile file = create("a");
        write(client, file, 0, new byte[BLOCK]);
        client.fsync(file, false);
        OpenFile seen = other.open(file.ino(), OpenFlags.RDWR);

        write(client, file, 0, new byte[] {1});
        write(other, seen, 4095, new byte[] {2});
        client.fsync(file, false);
        other.fsync(seen, false);

        byte[] expected = new byte[BLOCK];
        expected[0] = 1;
        expected[4095] = 2;
        assertThat(read(client, file, 0, BLOCK)).isEqualTo(expected);
        assertThat(read(other, seen, 0, BLOCK)).isEqualTo(expected);
        other.release(seen);
        client.release(file);
    }

    @Test
    void holesReadAsZeros() throws Exception {
        OpenFile file = create("a");
        write(client, file, 100L * MIB + 5, new byte[] {9});
        byte[] tail = read(client, file, 100L * MIB, BLOCK);
        assertThat(tail).containsExactly(0, 0, 0, 0, 0, 9);
        client.fsync(file, false);
        assertThat(read(client, file, 50L * MIB, BLOCK)).isEqualTo(new byte[BLOCK]);
        assertThat(read(client, file, 100L * MIB, BLOCK)).containsExactly(0, 0, 0, 0, 0, 9);
        assertThat(client.seek(file, 0, 3)).isEqualTo(100L * MIB);
        assertThat(client.seek(file, 100L * MIB, 4)).isEqualTo(100L * MIB + 6);
        assertThat(client.seek(file, 0, 4)).isZero();
        assertThatThrownBy(() -> client.seek(file, 100L * MIB + 6, 3)).isInstanceOf(FsException.class);
        client.release(file);
    }

    @Test
    void whatTruncationCutsComesBackAsZeros() throws Exception {
        OpenFile file = create("a");
        byte[] data = bytes(10 * BLOCK, 6);
        write(client, file, 0, data);

        client.setAttributes(file.ino(), new org.octofs.client.client.AttributeChange().sizeBytes(2 * BLOCK + 10), out);
        assertThat(out.sizeBytes()).isEqualTo(2 * BLOCK + 10);
        client.setAttributes(file.ino(), new org.octofs.client.client.AttributeChange().sizeBytes(4 * BLOCK), out);

        byte[] expected = java.util.Arrays.copyOf(java.util.Arrays.copyOf(data, 2 * BLOCK + 10), 4 * BLOCK);
        assertThat(read(client, file, 0, 10 * BLOCK)).isEqualTo(expected);
        client.release(file);
    }

    @Test
    void punchingFreesWholeBlocksAndZeroesParts() throws Exception {
        OpenFile file = create("a");
        byte[] data = bytes(8 * BLOCK, 7);
        write(client, file, 0, data);
        client.fsync(file, false);
        client.getAttributes(file.ino(), out);
        assertThat(out.blocks()).isEqualTo(8);

        client.fallocate(file, 3, BLOCK + 5, 4 * BLOCK);

        java.util.Arrays.fill(data, BLOCK + 5, 5 * BLOCK + 5, (byte) 0);
        assertThat(read(client, file, 0, data.length)).isEqualTo(data);
        client.getAttributes(file.ino(), out);
        assertThat(out.blocks()).isEqualTo(5);
        assertThat(out.sizeBytes()).isEqualTo(8 * BLOCK);
        client.release(file);
    }

    @Test
    void allocatedSpaceReadsAsZerosAndTakesWrites() throws Exception {
        OpenFile file = create("a");
        write(client, file, BLOCK, new byte[] {7});

        client.fallocate(file, 0, 0, 20 * BLOCK);

        client.getAttributes(file.ino(), out);
        assertThat(out.sizeBytes()).isEqualTo(20 * BLOCK);
        assertThat(out.blocks()).isEqualTo(20);
        byte[] expected = new byte[20 * BLOCK];
        expected[BLOCK] = 7;
        assertThat(read(client, file, 0, 30 * BLOCK)).isEqualTo(expected);
        write(client, file, 5 * BLOCK + 1, new byte[] {8});
        client.fsync(file, false);
        expected[5 * BLOCK + 1] = 8;
        assertThat(read(client, file, 0, 30 * BLOCK)).isEqualTo(expected);
        client.release(file);
    }

    @Test
    void aCachedReadOfOneBlockTakesTwoReadsAndNoRpc() throws Exception {
        OpenFile file = create("a");
        write(client, file, 0, bytes(MIB, 8));
        client.fsync(file, false);
        read(client, file, 7 * BLOCK, BLOCK);
        long reads = client.counters().get(ClientCounter.READ_VERBS);
        long rpcs = client.counters().get(ClientCounter.RPCS);

        read(client, file, 7 * BLOCK, BLOCK);

        assertThat(client.counters().get(ClientCounter.READ_VERBS) - reads).isEqualTo(2);
        assertThat(client.counters().get(ClientCounter.RPCS)).isEqualTo(rpcs);
        client.release(file);
    }

    @Test
    void overwritingABlockWithFsyncTakesOneWriteAndOneRpc() throws Exception {
        OpenFile file = create("a");
        byte[] data = bytes(BLOCK, 9);
        write(client, file, 0, bytes(MIB, 8));
        client.fsync(file, false);
        for (int i = 0; i < 600; i++) {
            long writes = client.counters().get(ClientCounter.WRITE_VERBS);
            long rpcs = client.counters().get(ClientCounter.RPCS);
            write(client, file, 7 * BLOCK, data);
            client.fsync(file, false);
            assertThat(client.counters().get(ClientCounter.WRITE_VERBS) - writes)
                    .isEqualTo(1);
            assertThat(client.counters().get(ClientCounter.RPCS) - rpcs)
                    .as(
                            "RPCs of overwrite %d (%d RESERVE)",
                            i, client.counters().rpcs(OpCode.RESERVE))
                    .isEqualTo(1);
        }
        client.release(file);
    }

    /** A stream is committed in pieces of half of what may be pending, and its space comes with the commits or about as often. */
    @Test
    void streamTakesOneCommitPerHalfOfWhatMayBePending() throws Exception {
        FsClient streaming = cluster.client(ClientConfig.builder().pendingBytesMax(2 * MIB));
        OpenFile file = streaming.create(1, name("stream"), 0644, 0, 0, OpenFlags.RDWR, new Attributes());
        byte[] data = bytes(MIB, 3);
        for (int i = 0; i < 40; i++) {
            long commits = streaming.counters().rpcs(OpCode.COMMIT);
            write(streaming, file, (long) i * MIB, data);
            assertThat(streaming.counters().rpcs(OpCode.COMMIT) - commits)
                    .as("commits during MiB %d", i)
                    .isEqualTo(i == 0 ? 0 : 1);
            data = bytes(MIB, i);
        }
        assertThat(streaming.counters().rpcs(OpCode.RESERVE)).isLessThan(20);
        for (int i = 1; i < 40; i++) {
            assertThat(read(streaming, file, (long) i * MIB, MIB))
                    .as("MiB %d", i)
                    .isEqualTo(bytes(MIB, i - 1));
        }
        streaming.fsync(file, false);
        assertThat(streaming.counters().rpcs(OpCode.COMMIT)).isEqualTo(40);
        streaming.release(file);
    }

    /** A batch of blocks is twice as much as a commit here. Once the stream runs, its commits are all that the home is asked for. */
    @Test
    void spaceOfAStreamComesWithItsCommits() throws Exception {
        FsClient streaming = cluster.client(ClientConfig.builder().pendingBytesMax(4 * MIB));
        OpenFile file = streaming.create(1, name("stream"), 0644, 0, 0, OpenFlags.RDWR, new Attributes());
        byte[] data = bytes(MIB, 5);
        int pieces = 32;
        long before = 0;
        for (int i = 0; i < 5 * pieces; i++) {
            if (i == 2 * pieces) {
                before = streaming.counters().rpcs(OpCode.RESERVE);
            }
            write(streaming, file, (long) i % pieces * MIB, data);
        }
        assertThat(streaming.counters().rpcs(OpCode.RESERVE) - before).isZero();
        streaming.release(file);
    }

    @Test
    void readingAndOverwritingAllocateNothing() throws Exception {
        OpenFile file = create("a");
        write(client, file, 0, bytes(MIB, 8));
        client.fsync(file, false);
        for (int i = 0; i < 20_000; i++) {
            client.read(file, (i % 256) * (long) BLOCK, buffer, 0, BLOCK);
            client.write(file, (i % 256) * (long) BLOCK, buffer, 0, BLOCK);
        }
        var threads = (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        int rounds = 10_000;
        for (int i = 0; i < rounds; i++) {
            client.read(file, (i % 256) * (long) BLOCK, buffer, 0, BLOCK);
            client.write(file, (i % 256) * (long) BLOCK, buffer, 0, BLOCK);
        }
        long perRound = (threads.getCurrentThreadAllocatedBytes() - before) / rounds;

        assertThat(perRound).as("bytes allocated per read and write").isLessThan(16);
        client.release(file);
    }

    @Test
    void appendsOfSeveralClientsAllSurvive() throws Exception {
        FsClient other = cluster.client();
        client.release(create("log"));
        long ino = out.ino();
        int rounds = 50;
        int record = 100;
        Thread[] writers = new Thread[2];
        Throwable[] failures = new Throwable[2];
        for (int w = 0; w < 2; w++) {
            int id = w;
            FsClient by = w == 0 ? client : other;
            writers[w] = new Thread(() -> {
                try (Arena own = Arena.ofConfined()) {
                    MemorySegment bytes = own.allocate(record);
                    bytes.fill((byte) ('a' + id));
                    OpenFile file = by.open(ino, OpenFlags.WRONLY | OpenFlags.APPEND);
                    for (int i = 0; i < rounds; i++) {
                        by.write(file, 0, bytes, 0, record);
                    }
                    by.release(file);
                } catch (FsException | RuntimeException e) {
                    failures[id] = e;
                }
            });
            writers[w].start();
        }
        for (Thread writer : writers) {
            writer.join();
        }
        assertThat(failures).containsOnlyNulls();

        OpenFile file = client.open(ino, OpenFlags.RDONLY);
        byte[] all = read(client, file, 0, MIB);
        assertThat(all).hasSize(2 * rounds * record);
        int ofA = 0;
        for (int i = 0; i < all.length; i += record) {
            byte first = all[i];
            for (int j = 0; j < record; j++) {
                assertThat(all[i + j]).isEqualTo(first);
            }
            ofA += first == 'a' ? 1 : 0;
        }
        assertThat(ofA).isEqualTo(rounds);
        client.release(file);
    }

    @Test
    void aFullDiskKeepsTheWrittenPrefixAndDeletingHeals() throws Exception {
        OpenFile file = create("big");
        byte[] data = bytes(MIB, 10);
        MemorySegment.copy(data, 0, buffer, ValueLayout.JAVA_BYTE, 0, data.length);
        long written = 0;
        Errno error = Errno.OK;
        while (error == Errno.OK) {
            try {
                written += client.write(file, written, buffer, written % MIB, (int) (MIB - written % MIB));
            } catch (FsException e) {
                error = e.errno();
            }
        }
        assertThat(error).isEqualTo(Errno.ENOSPC);
        assertThat(written).isGreaterThan(100L * MIB);
        client.fsync(file, false);
        assertThat(size(file.ino())).isEqualTo(written);
        for (long at = 0; at + MIB <= written; at += MIB) {
            assertThat(read(client, file, at, MIB)).isEqualTo(data);
        }
        client.release(file);
        client.unlink(ROOT, name("big"));

        OpenFile next = create("next");
        writeWithin(next, data, Duration.ofSeconds(10));
        client.release(next);
    }

    /** The blocks of a removed file come back when its close has been told and it was taken apart, in the background. */
    private void writeWithin(OpenFile file, byte[] data, Duration patience) throws Exception {
        long end = System.nanoTime() + patience.toNanos();
        while (true) {
            try {
                write(client, file, 0, data);
                client.fsync(file, false);
                return;
            } catch (FsException e) {
                if (e.errno() != Errno.ENOSPC || System.nanoTime() > end) {
                    throw e;
                }
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void oldWritesAreCommittedWithoutBeingAsked() throws Exception {
        FsClient eager = cluster.client(ClientConfig.builder().commitAfter(Duration.ofMillis(20)));
        FsClient other = cluster.client();
        OpenFile file = eager.create(ROOT, name("a"), 0644, 0, 0, OpenFlags.RDWR, out);
        write(eager, file, 0, new byte[] {1, 2, 3});

        long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        do {
            other.getAttributes(file.ino(), out);
        } while (out.sizeBytes() != 3 && System.nanoTime() < end);

        assertThat(out.sizeBytes()).isEqualTo(3);
        eager.release(file);
    }

    @Test
    void aRestartedServerFindsItsClientAgain() throws Exception {
        OpenFile file = create("a");
        byte[] first = bytes(MIB, 11);
        write(client, file, 0, first);
        client.fsync(file, false);
        byte[] second = bytes(MIB, 12);
        write(client, file, MIB, second);
        for (int node = 0; node < 2; node++) {
            cluster.server(node).crash();
            cluster.server(node).start();
        }

        client.fsync(file, false);

        assertThat(read(client, file, 0, MIB)).isEqualTo(first);
        assertThat(read(client, file, MIB, MIB)).isEqualTo(second);
        client.unlink(ROOT, name("a"));
        assertThat(read(client, file, MIB, MIB)).isEqualTo(second);
        client.release(file);
    }

    /** ENOSPC is for when there is no space, and not for when it is lent to files that nobody writes any more. */
    @Test
    void whatIsLentForOpenFilesIsSpaceForOthers() throws Exception {
        FsStatistics space = new FsStatistics();
        for (int i = 0; i < 24; i++) {
            OpenFile idle = create("idle" + i);
            for (int at = 0; at < 3; at++) {
                write(client, idle, (long) at * MIB, bytes(MIB, i));
            }
            client.fsync(idle, false);
        }
        OpenFile last = create("last");
        long written = 0;
        try {
            while (true) {
                written += client.write(last, written, buffer, 0, MIB);
                client.fsync(last, false);
            }
        } catch (FsException e) {
            assertThat(e.errno()).isEqualTo(Errno.ENOSPC);
        }
        client.statfs(space);
        assertThat(space.freeBlocks())
                .as("free blocks of %s after %s bytes more", space.totalBlocks(), written)
                .isLessThan(space.totalBlocks() / 12);
    }
}
