package org.octofs.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.octofs.tests.conformance.NamespaceTest.name;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.FsException;
import org.octofs.client.client.OpenFile;
import org.octofs.client.client.OpenFlags;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.tests.support.LocalCluster;

/** Goal: FALLOC_FL_ZERO_RANGE is one change of what can be read, and takes space for holes only. Method: against an array of bytes. */
class ZeroRangeTest {
    private static final int SEEK_DATA = 3;
    private static final int KEEP_SIZE = 1;
    private static final int ZERO_RANGE = 16;
    private static final int BLOCK = 4096;

    @AutoClose
    private LocalCluster cluster;

    private FsClient client;
    private OpenFile file;
    private byte[] model = {};

    @BeforeEach
    void start() throws IOException {
        cluster = LocalCluster.start(1, LocalCluster.Transport.LOOPBACK, 64L << 20);
        client = cluster.client();
        file = client.create(1, name("f"), 0644, 0, 0, OpenFlags.RDWR, new Attributes());
    }

    private void write(int offset, int length) throws FsException {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) 'x');
        client.write(file, offset, MemorySegment.ofArray(bytes), 0, length);
        client.fsync(file, false);
        model = Arrays.copyOf(model, Math.max(model.length, offset + length));
        Arrays.fill(model, offset, offset + length, (byte) 'x');
    }

    private void zero(int mode, int offset, int length) throws FsException {
        client.fallocate(file, ZERO_RANGE | mode, offset, length);
        if (mode == 0) {
            model = Arrays.copyOf(model, Math.max(model.length, offset + length));
        }
        Arrays.fill(model, Math.min(offset, model.length), Math.min(offset + length, model.length), (byte) 0);
    }

    private long blocks() throws FsException {
        Attributes attributes = new Attributes();
        client.getAttributes(file.ino(), attributes);
        return attributes.blocks();
    }

    private void readsAsTheModel() throws IOException {
        try (FsClient other = cluster.client()) {
            OpenFile theirs = other.open(file.ino(), OpenFlags.RDONLY);
            for (FsClient reader : new FsClient[] {client, other}) {
                byte[] got = new byte[model.length + 1];
                int count = reader.read(reader == client ? file : theirs, 0, MemorySegment.ofArray(got), 0, got.length);
                assertThat(count).isEqualTo(model.length);
                assertThat(Arrays.mismatch(Arrays.copyOf(got, count), model)).isEqualTo(-1);
            }
            other.release(theirs);
        }
    }

    @Test
    void rangesOfAllKindsReadAsZerosAndHaveBlocks() throws IOException {
        write(0, 10 * BLOCK + 100);
        zero(0, 100, 50);
        zero(0, BLOCK, BLOCK);
        zero(0, 3 * BLOCK - 7, 20);
        zero(0, 4 * BLOCK + 1, 3 * BLOCK);
        assertThat(blocks()).isEqualTo(11);
        zero(KEEP_SIZE, 10 * BLOCK + 50, 3 * BLOCK);
        assertThat(blocks()).isEqualTo(14);
        readsAsTheModel();
        zero(0, 20 * BLOCK, 10);
        assertThat(blocks()).isEqualTo(15);
        readsAsTheModel();
        write(BLOCK + 10, 20);
        readsAsTheModel();
        assertThat(blocks()).isEqualTo(15);
    }

    @Test
    void piecesOfALongRangeMeet() throws IOException {
        write(0, 20 << 20);
        zero(0, 1000, (20 << 20) - 2000);
        readsAsTheModel();
        assertThat(blocks()).isEqualTo((20L << 20) / BLOCK);
        zero(KEEP_SIZE, 0, 40 << 20);
        readsAsTheModel();
        assertThat(blocks()).isEqualTo((40L << 20) / BLOCK);
        assertThatThrownBy(() -> client.seek(file, 0, SEEK_DATA))
                .isInstanceOfSatisfying(
                        FsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENXIO));
    }

    @Test
    void whatIsThereIsZeroedInOneCommitAndNothingIsBorrowed() throws IOException {
        write(0, 16 << 20);
        long commits = client.counters().rpcs(OpCode.COMMIT);
        long reserves = client.counters().rpcs(OpCode.RESERVE);
        zero(0, 0, 16 << 20);
        assertThat(client.counters().rpcs(OpCode.COMMIT) - commits).isEqualTo(1);
        assertThat(client.counters().rpcs(OpCode.RESERVE) - reserves).isZero();
        readsAsTheModel();
    }

    @Test
    void aFullPoolRefusesHolesBeforeAnythingHasChangedAndTakesTheRest() throws IOException {
        write(0, 4 << 20);
        OpenFile filler = client.create(1, name("filler"), 0644, 0, 0, OpenFlags.RDWR, new Attributes());
        long size = 0;
        for (int step = 1 << 20; step >= BLOCK; step /= 2) {
            try {
                while (true) {
                    client.fallocate(filler, 0, size, step);
                    size += step;
                }
            } catch (FsException e) {
                assertThat(e.errno()).isEqualTo(Errno.ENOSPC);
            }
        }
        assertThatThrownBy(() -> client.fallocate(file, ZERO_RANGE, 1 << 20, 8 << 20))
                .isInstanceOfSatisfying(
                        FsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOSPC));
        readsAsTheModel();
        zero(0, 1 << 20, 2 << 20);
        readsAsTheModel();
        client.release(filler);
    }
}
