package org.octofs.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.octofs.tests.conformance.NamespaceTest.name;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.octofs.client.client.AttributeChange;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.ClientConfig;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.FsException;
import org.octofs.client.client.OpenFile;
import org.octofs.client.client.OpenFlags;
import org.octofs.rpc.protocol.Errno;
import org.octofs.tests.support.LocalCluster;

/**
 * Random operations on one file against an array of bytes: all kinds, all alignments, through two handles, now and then
 * through another client after a flush. A failure prints the seed and the operation's number.
 */
class FileExerciserTest {
    private static final int SIZE_MAX = 3 << 20;
    private static final int LENGTH_MAX = 300_000;

    private final MemorySegment buffer = Arena.ofAuto().allocate(SIZE_MAX + 4096, 4096);
    private final Attributes out = new Attributes();
    private byte[] model = new byte[0];

    @ParameterizedTest
    @EnumSource(LocalCluster.Transport.class)
    void oneFileBehavesLikeAnArray(LocalCluster.Transport transport) throws Exception {
        exercise(transport, 0x5EED, 1500, 1 << 20);
    }

    /** So little may be pending that most writes go on while the commit of the ones before is under way. */
    @ParameterizedTest
    @EnumSource(LocalCluster.Transport.class)
    void oneFileBehavesLikeAnArrayWhileCommitsAreUnderWay(LocalCluster.Transport transport) throws Exception {
        exercise(transport, 0xBE417D, 1500, 64 << 10);
    }

    @ParameterizedTest
    @EnumSource(LocalCluster.Transport.class)
    @Tag("slow")
    void oneFileBehavesLikeAnArrayForLong(LocalCluster.Transport transport) throws Exception {
        exercise(transport, System.nanoTime(), 30_000, 256 << 10);
    }

    private void exercise(LocalCluster.Transport transport, long seed, int operations, int pendingBytes)
            throws IOException {
        Random random = new Random(seed);
        model = new byte[0];
        try (LocalCluster cluster = LocalCluster.start(2, transport)) {
            // A small bound and an early commit, so that commits of all kinds happen often.
            FsClient client = cluster.client(
                    ClientConfig.builder().pendingBytesMax(pendingBytes).commitAfter(Duration.ofMillis(30)));
            FsClient other = cluster.client();
            OpenFile first = client.create(1, name("x"), 0644, 0, 0, OpenFlags.RDWR, out);
            OpenFile second = client.open(first.ino(), OpenFlags.RDWR);
            OpenFile foreign = other.open(first.ino(), OpenFlags.RDWR);
            for (int i = 0; i < operations; i++) {
                String where = "seed " + seed + ", operation " + i;
                OpenFile file = random.nextBoolean() ? first : second;
                step(client, file, random, where);
                if (random.nextInt(20) == 0) {
                    client.fsync(file, false);
                    check(other, foreign, 0, model.length + 10, where + " by another client");
                }
                if (random.nextInt(40) == 0) {
                    client.fsync(file, false);
                    write(other, foreign, random, where);
                    other.fsync(foreign, false);
                }
            }
            client.release(first);
            client.release(second);
            other.release(foreign);
        }
    }

    private void step(FsClient client, OpenFile file, Random random, String where) throws FsException {
        switch (random.nextInt(12)) {
            case 0, 1, 2, 3 -> write(client, file, random, where);
            case 4, 5, 6 -> check(client, file, random.nextInt(model.length + 1), random.nextInt(LENGTH_MAX), where);
            case 7 -> {
                int size = position(random, SIZE_MAX);
                client.setAttributes(file.ino(), new AttributeChange().sizeBytes(size), out);
                model = Arrays.copyOf(model, size);
                assertThat(out.sizeBytes()).as(where).isEqualTo(size);
            }
            case 8 -> {
                int from = position(random, SIZE_MAX);
                int length = 1 + random.nextInt(LENGTH_MAX);
                client.fallocate(file, 3, from, length);
                if (from < model.length) {
                    Arrays.fill(model, from, Math.min(model.length, from + length), (byte) 0);
                }
            }
            case 9 -> {
                int from = position(random, SIZE_MAX - LENGTH_MAX);
                int length = 1 + random.nextInt(LENGTH_MAX);
                client.fallocate(file, 0, from, length);
                if (from + length > model.length) {
                    model = Arrays.copyOf(model, from + length);
                }
            }
            case 10 -> client.fsync(file, random.nextBoolean());
            default -> {
                client.getAttributes(file.ino(), out);
                assertThat(out.sizeBytes()).as(where).isEqualTo(model.length);
                checkSeek(client, file, random, where);
            }
        }
    }

    private static int position(Random random, int bound) {
        int position = random.nextInt(bound);
        return random.nextBoolean() ? position & -4096 : position;
    }

    private void write(FsClient client, OpenFile file, Random random, String where) throws FsException {
        int from = position(random, SIZE_MAX - LENGTH_MAX);
        int length = random.nextInt(4) == 0 ? 1 + random.nextInt(200) : 1 + random.nextInt(LENGTH_MAX);
        if (random.nextInt(3) == 0) {
            length = Math.max(4096, length & -4096);
        }
        byte[] data = new byte[length];
        random.nextBytes(data);
        MemorySegment.copy(data, 0, buffer, ValueLayout.JAVA_BYTE, 0, length);
        assertThat(client.write(file, from, buffer, 0, length)).as(where).isEqualTo(length);
        if (from + length > model.length) {
            model = Arrays.copyOf(model, from + length);
        }
        System.arraycopy(data, 0, model, from, length);
    }

    private void check(FsClient client, OpenFile file, int from, int length, String where) throws FsException {
        buffer.asSlice(0, length).fill((byte) 0x7F);
        int expected = Math.max(0, Math.min(length, model.length - from));
        assertThat(client.read(file, from, buffer, 0, length)).as(where).isEqualTo(expected);
        byte[] got = buffer.asSlice(0, expected).toArray(ValueLayout.JAVA_BYTE);
        int mismatch = Arrays.mismatch(got, 0, expected, model, from, from + expected);
        assertThat(mismatch)
                .as("%s: first wrong byte of a read of %d from %d", where, length, from)
                .isEqualTo(-1);
    }

    /** What SEEK_DATA skips must be zeros; a hole that SEEK_HOLE finds as well. */
    private void checkSeek(FsClient client, OpenFile file, Random random, String where) throws FsException {
        if (model.length == 0) {
            return;
        }
        int from = random.nextInt(model.length);
        long data;
        try {
            data = client.seek(file, from, 3);
        } catch (FsException e) {
            assertThat(e.errno()).as(where).isEqualTo(Errno.ENXIO);
            data = model.length;
        }
        for (int i = from; i < data; i++) {
            assertThat(model[i]).as("%s: byte %d in a hole", where, i).isZero();
        }
        long hole = client.seek(file, from, 4);
        assertThat(hole).as(where).isBetween((long) from, (long) model.length);
    }
}
