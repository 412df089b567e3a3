package org.octofs.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.octofs.tests.conformance.NamespaceTest.name;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.octofs.client.client.AttributeChange;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.ClientConfig;
import org.octofs.client.client.ClientCounter;
import org.octofs.client.client.Consistency;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.FsException;
import org.octofs.client.client.OpenFile;
import org.octofs.client.client.OpenFlags;
import org.octofs.pmem.medium.PmemMedium;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.server.data.FileSpace;
import org.octofs.tests.support.LocalCluster;

/** Goal: what is copied at the nodes is what would have been read and written. Method: copies of all kinds, beside arrays of bytes. */
class CopyAtNodesTest {
    private static final long ROOT = 1;
    private static final int BLOCK = 4096;
    private static final int MIB = 1 << 20;
    private static final int PUNCH = 3;

    private final MemorySegment buffer = Arena.ofAuto().allocate(4 * MIB, BLOCK);
    private final Attributes out = new Attributes();

    @AutoClose
    private LocalCluster cluster;

    private FsClient client;
    private int directories;

    private void start(int nodes, ClientConfig.Builder config) throws IOException {
        cluster = LocalCluster.start(nodes, LocalCluster.Transport.LOOPBACK);
        client = cluster.client(config);
    }

    private OpenFile create(String name) throws FsException {
        return create(ROOT, name);
    }

    private OpenFile create(long directory, String name) throws FsException {
        return client.create(directory, name(name), 0644, 0, 0, OpenFlags.RDWR, out);
    }

    /** A new directory whose home is a node; its files begin there. */
    private long directoryOn(int node) throws FsException {
        while (true) {
            client.mkdir(ROOT, name("d" + directories++), 0755, 0, 0, out);
            if (cluster.map().homeOf(InodeNumber.shard(out.ino())) == node) {
                return out.ino();
            }
        }
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
        int n = by.read(file, offset, buffer, 0, length);
        return buffer.asSlice(0, n).toArray(ValueLayout.JAVA_BYTE);
    }

    private byte[] readByAnother(OpenFile file, int length) throws IOException {
        FsClient other = cluster.client();
        OpenFile seen = other.open(file.ino(), OpenFlags.RDONLY);
        byte[] bytes = read(other, seen, 0, length);
        other.release(seen);
        return bytes;
    }

    private OpenFile written(String name, byte[] bytes) throws FsException {
        OpenFile file = create(name);
        write(client, file, 0, bytes);
        client.fsync(file, false);
        return file;
    }

    private long copiesAtNodes() {
        return client.counters().rpcs(OpCode.COPY_BLOCKS);
    }

    private long count(ClientCounter counter) {
        return client.counters().get(counter);
    }

    @Test
    void wholeBlocksOnOneNodeDoNotComeHere() throws Exception {
        start(1, ClientConfig.builder());
        byte[] data = bytes(3 * MIB, 1);
        OpenFile source = written("a", data);
        OpenFile target = create("b");
        long read = count(ClientCounter.READ_BYTES);
        long pushed = count(ClientCounter.WRITE_BYTES);

        assertThat(client.copy(source, 0, target, 5 * BLOCK, 3 * MIB)).isEqualTo(3 * MIB);
        client.fsync(target, false);

        assertThat(count(ClientCounter.WRITE_BYTES)).isEqualTo(pushed);
        assertThat(count(ClientCounter.READ_BYTES) - read).as("version words").isLessThan(100);
        assertThat(copiesAtNodes()).isEqualTo(12);
        assertThat(client.counters().rpcs(OpCode.PERSIST)).isZero();
        byte[] expected = new byte[5 * BLOCK + data.length];
        System.arraycopy(data, 0, expected, 5 * BLOCK, data.length);
        assertThat(readByAnother(target, 4 * MIB)).isEqualTo(expected);
        assertThat(read(client, target, 0, 4 * MIB)).isEqualTo(expected);
    }

    @Test
    void copiesEndWhereTheSourceEnds() throws Exception {
        start(1, ClientConfig.builder());
        byte[] data = bytes(3 * BLOCK + 100, 1);
        OpenFile source = written("a", data);
        OpenFile target = create("b");
        assertThat(client.copy(source, 0, target, 0, MIB)).isEqualTo(data.length);
        assertThat(client.copy(source, data.length, target, data.length, MIB)).isZero();
        assertThat(client.copy(source, Long.MAX_VALUE - 10, target, 0, 10)).isZero();
        assertThat(client.copy(source, 1L << 60, target, 0, MIB)).isZero();
        assertThat(copiesAtNodes()).isEqualTo(1);
        assertThat(read(client, target, 0, MIB)).isEqualTo(data);
    }

    /** The copy makes the file longer, so that there is something behind the source's old end. */
    @Test
    void aCopyWithinAFileEndsWhereTheFileEnded() throws Exception {
        start(1, ClientConfig.builder());
        byte[] data = bytes(6 * BLOCK, 3);
        OpenFile file = written("a", data);
        assertThat(client.copy(file, 0, file, 8L * BLOCK, 8L * BLOCK)).isEqualTo(6 * BLOCK);
        assertThat(copiesAtNodes()).isPositive();
        client.getAttributes(file.ino(), out);
        assertThat(out.sizeBytes()).isEqualTo(14L * BLOCK);
        assertThat(read(client, file, 8L * BLOCK, 6 * BLOCK)).isEqualTo(data);
        assertThat(client.copy(file, 14L * BLOCK, file, 0, BLOCK)).isZero();
    }

    /** Aligned and not, within a file and between files, from and to what is not committed, over holes and from node to node. */
    @ParameterizedTest
    @EnumSource(Consistency.class)
    void copiesOfAllKindsAreAsInMemory(Consistency consistency) throws Exception {
        start(2, ClientConfig.builder().consistency(consistency).pendingBytesMax(1 << 20));
        int files = 3;
        int blocks = 700;
        Random random = new Random(42);
        byte[][] model = new byte[files][blocks * BLOCK];
        int[] sizes = new int[files];
        OpenFile[] opened = new OpenFile[files];
        for (int i = 0; i < files; i++) {
            opened[i] = create(directoryOn(i % 2), "f");
        }
        for (int round = 0; round < 400; round++) {
            int to = random.nextInt(files);
            int from = random.nextInt(files);
            int within = random.nextInt(4) == 0 ? random.nextInt(BLOCK) : 0;
            int offset = random.nextInt(blocks - 1) * BLOCK + within;
            int other = random.nextInt(blocks - 1) * BLOCK + (random.nextInt(6) == 0 ? random.nextInt(BLOCK) : within);
            int most = blocks * BLOCK - Math.max(offset, other);
            int length = Math.min(most, 1 + random.nextInt(random.nextInt(3) == 0 ? 400 * BLOCK : 9 * BLOCK));
            if (random.nextInt(3) > 0) {
                length = Math.max(1, length / BLOCK * BLOCK);
            }
            switch (random.nextInt(6)) {
                case 0, 1 -> {
                    byte[] data = bytes(length, round);
                    write(client, opened[to], offset, data);
                    System.arraycopy(data, 0, model[to], offset, length);
                    sizes[to] = Math.max(sizes[to], offset + length);
                }
                case 2 -> client.fsync(opened[random.nextInt(files)], false);
                default -> {
                    if (from == to && Math.abs(offset - other) < length) {
                        continue;
                    }
                    int expected = Math.clamp(sizes[from] - offset, 0, length);
                    int done = 0;
                    while (done < expected) {
                        int n = client.copy(opened[from], offset + done, opened[to], other + done, length - done);
                        assertThat(n).as("round %d", round).isPositive();
                        done += n;
                    }
                    assertThat(done).as("round %d", round).isEqualTo(expected);
                    System.arraycopy(model[from], offset, model[to], other, done);
                    sizes[to] = done == 0 ? sizes[to] : Math.max(sizes[to], other + done);
                }
            }
            if (random.nextInt(8) == 0) {
                assertThat(read(client, opened[to], 0, 4 * MIB))
                        .as("round %d", round)
                        .isEqualTo(Arrays.copyOf(model[to], sizes[to]));
            }
        }
        client.sync();
        for (int i = 0; i < files; i++) {
            assertThat(readByAnother(opened[i], 4 * MIB)).isEqualTo(Arrays.copyOf(model[i], sizes[i]));
        }
        assertThat(copiesAtNodes()).isGreaterThan(20);
    }

    @Test
    void aCopyIsOfWhatTheSourceIsNow() throws Exception {
        start(1, ClientConfig.builder());
        OpenFile source = written("a", bytes(8 * BLOCK, 1));
        OpenFile target = create("b");
        assertThat(client.copy(source, 0, target, 0, 8 * BLOCK)).isEqualTo(8 * BLOCK);
        FsClient other = cluster.client();
        OpenFile theirs = other.open(source.ino(), OpenFlags.RDWR);
        byte[] data = bytes(8 * BLOCK, 2);
        write(other, theirs, 0, data);
        other.fsync(theirs, false);
        long copies = copiesAtNodes();

        assertThat(client.copy(source, 0, target, 8 * BLOCK, 8 * BLOCK)).isEqualTo(8 * BLOCK);

        assertThat(copiesAtNodes() - copies).as("first of what had been there").isEqualTo(2);
        assertThat(read(client, target, 8 * BLOCK, 8 * BLOCK)).isEqualTo(data);
        other.setAttributes(theirs.ino(), new AttributeChange().sizeBytes(3 * BLOCK), out);
        assertThat(client.copy(source, 0, target, 16 * BLOCK, 8 * BLOCK)).isEqualTo(3 * BLOCK);
        client.fsync(target, false);
        assertThat(readByAnother(target, MIB)).hasSize(19 * BLOCK).endsWith(Arrays.copyOf(data, 3 * BLOCK));
    }

    /** Its size was known here, its map was not. */
    @Test
    void aCopyEndsWhereAnotherHasCutTheSource() throws Exception {
        start(1, ClientConfig.builder());
        FsClient other = cluster.client();
        OpenFile theirs = other.create(ROOT, name("a"), 0644, 0, 0, OpenFlags.RDWR, out);
        write(other, theirs, 0, bytes(40 * BLOCK, 1));
        other.fsync(theirs, false);
        OpenFile source = client.open(theirs.ino(), OpenFlags.RDONLY);
        OpenFile target = create("b");
        other.setAttributes(theirs.ino(), new AttributeChange().sizeBytes(10 * BLOCK + 100), out);

        assertThat(client.copy(source, 0, target, 0, 40 * BLOCK)).isEqualTo(10 * BLOCK + 100);

        assertThat(copiesAtNodes()).isPositive();
        assertThat(read(client, target, 0, MIB)).hasSize(10 * BLOCK + 100);
    }

    private long lentBlocks() {
        long sum = 0;
        for (int node = 0; node < cluster.map().nodeCount(); node++) {
            FileSpace files = (FileSpace) cluster.server(node).server().state().contents();
            sum += files.space().reservations().lentBlocks();
        }
        return sum;
    }

    /** Where every write is committed, nobody sees a part of one, so that a piece with a hole goes by this client as a whole. */
    @Test
    void aStrictCopyIsOneChange() throws Exception {
        start(1, ClientConfig.builder().consistency(Consistency.STRICT));
        byte[] data = bytes(6 * BLOCK, 1);
        OpenFile source = written("a", data);
        client.fallocate(source, PUNCH, 3 * BLOCK, BLOCK);
        Arrays.fill(data, 3 * BLOCK, 4 * BLOCK, (byte) 0);
        OpenFile target = create("b");
        for (int i = 0; i < 200; i++) {
            client.getAttributes(target.ino(), out);
            long version = out.version();
            assertThat(client.copy(source, 0, target, 0, 6 * BLOCK)).isEqualTo(6 * BLOCK);
            client.getAttributes(target.ino(), out);
            assertThat(out.version()).isEqualTo(version + 2);
        }
        assertThat(readByAnother(target, MIB)).isEqualTo(data);
        assertThat(copiesAtNodes()).isZero();
        assertThat(client.copy(source, 4 * BLOCK, target, 4 * BLOCK, 2 * BLOCK)).isEqualTo(2 * BLOCK);
        assertThat(copiesAtNodes()).isEqualTo(1);
        client.getAttributes(target.ino(), out);
        long version = out.version();
        assertThat(client.copy(source, 4 * BLOCK, target, 0, BLOCK + 100)).isEqualTo(BLOCK + 100);
        client.getAttributes(target.ino(), out);
        assertThat(out.version()).isEqualTo(version + 2);
        assertThat(lentBlocks()).as("none was forgotten").isLessThan(500);
    }

    @Test
    void fromNodeToNodeBlocksAreReadAndWritten() throws Exception {
        start(2, ClientConfig.builder());
        byte[] data = bytes(3 * BLOCK, 1);
        OpenFile source = create(directoryOn(0), "a");
        OpenFile target = create(directoryOn(1), "b");
        write(client, source, 0, data);
        client.fsync(source, false);
        for (int i = 0; i < 200; i++) {
            assertThat(client.copy(source, 0, target, 0, 3 * BLOCK)).isEqualTo(3 * BLOCK);
            client.fsync(target, false);
        }
        assertThat(readByAnother(target, MIB)).isEqualTo(data);
        assertThat(copiesAtNodes()).isZero();
        assertThat(lentBlocks()).as("none was forgotten").isLessThan(500);
    }

    /** Its checksum goes with it: the copy cannot be read either, nor be made whole by writing a part of it. */
    @Test
    void aCopyOfADamagedBlockIsDamaged() throws Exception {
        start(1, ClientConfig.builder());
        OpenFile source = written("a", bytes(2 * BLOCK, 1));
        OpenFile target = create("b");
        long at = find(bytes(2 * BLOCK, 1));
        PmemMedium medium = cluster.server(0).server().state().store().medium();
        byte before = medium.memory().get(ValueLayout.JAVA_BYTE, at);
        medium.putByte(at, (byte) (before + 1));
        try {
            assertThat(client.copy(source, 0, target, 0, 2 * BLOCK)).isEqualTo(2 * BLOCK);
            assertThat(copiesAtNodes()).isEqualTo(1);
            assertDamaged(() -> client.read(target, 0, buffer, 0, 2 * BLOCK));
            assertDamaged(() -> client.write(target, 10, buffer, 0, 10));
            assertDamaged(() -> client.read(target, 0, buffer, 0, 2 * BLOCK));
            client.setAttributes(target.ino(), new AttributeChange().sizeBytes(0), out);
        } finally {
            medium.putByte(at, before);
        }
    }

    private static void assertDamaged(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(FsException.class)
                .hasMessageContaining("does not match its checksum")
                .extracting(e -> ((FsException) e).errno())
                .isEqualTo(Errno.EIO);
    }

    /** Pool offset of a file's first block. */
    private long find(byte[] content) {
        MemorySegment pool = cluster.server(0).server().state().store().medium().memory();
        for (long at = 0; at < pool.byteSize(); at += BLOCK) {
            if (pool.asSlice(at, BLOCK).mismatch(MemorySegment.ofArray(content).asSlice(0, BLOCK)) < 0) {
                return at;
            }
        }
        throw new AssertionError("the block is nowhere");
    }

    /** A request without an answer may be executed at any time, so that its blocks are used for nothing else. */
    @Test
    void aCopyThatComesLateWritesOverNothing() throws Exception {
        start(1, ClientConfig.builder().operationDeadline(Duration.ofSeconds(20)));
        client = cluster.client(ClientConfig.builder().operationDeadline(Duration.ofMillis(300)));
        OpenFile source = written("a", bytes(4 * BLOCK, 1));
        OpenFile target = create("b");
        // So that there are loans left, which need no RPC.
        write(client, target, 9 * BLOCK, bytes(BLOCK, 2));
        client.fsync(target, false);
        byte[] data = bytes(4 * BLOCK, 3);
        cluster.server(0).hold();
        try {
            assertThatThrownBy(() -> client.copy(source, 0, target, 0, 4 * BLOCK))
                    .isInstanceOf(FsException.class)
                    .extracting(e -> ((FsException) e).errno())
                    .isEqualTo(Errno.EIO);
            assertThat(copiesAtNodes()).isEqualTo(1);
            write(client, target, 0, data);
        } finally {
            cluster.server(0).goOn();
        }
        client.getAttributes(target.ino(), out); // behind the copy
        client.fsync(target, false);
        assertThat(read(client, target, 0, 4 * BLOCK)).isEqualTo(data);
        assertThat(readByAnother(target, 4 * BLOCK)).isEqualTo(data);

        // What is lent for it may be given to nobody before this client has been fenced, so it does not say goodbye.
        int sessions = cluster.server(0).server().state().sessionTable().size();
        client.close();
        cluster.client().getAttributes(ROOT, out); // behind it
        assertThat(cluster.server(0).server().state().sessionTable().size()).isEqualTo(sessions + 1);
    }
}
