package org.octofs.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.octofs.tests.conformance.NamespaceTest.name;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.octofs.client.client.AttributeChange;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.ClientCounter;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.FsException;
import org.octofs.client.client.OpenFile;
import org.octofs.client.client.OpenFlags;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.tests.support.LocalCluster;

/** Data and holes are found where they are, over holes of any size, and quickly. */
class SparseFileTest {
    private static final int SEEK_DATA = 3;
    private static final int SEEK_HOLE = 4;
    private static final int KEEP_SIZE = 1;
    private static final int BLOCK = 4096;
    private static final long GIB = 1L << 30;
    private static final long TIB = 1L << 40;

    private final MemorySegment buffer = Arena.ofAuto().allocate(BLOCK, BLOCK);
    private final Attributes out = new Attributes();

    @AutoClose
    private LocalCluster cluster;

    private FsClient client;

    @BeforeEach
    void start() throws IOException {
        cluster = LocalCluster.start(2, LocalCluster.Transport.LOOPBACK);
        client = cluster.client();
    }

    private OpenFile sparse(long size, long... blocksAt) throws FsException {
        OpenFile file = client.create(1, name("sparse"), 0644, 0, 0, OpenFlags.RDWR, out);
        for (long at : blocksAt) {
            assertThat(client.write(file, at, buffer, 0, BLOCK)).isEqualTo(BLOCK);
        }
        client.fsync(file, false);
        client.setAttributes(file.ino(), new AttributeChange().sizeBytes(size), out);
        return file;
    }

    private void nothingFrom(OpenFile file, long offset) {
        assertThatThrownBy(() -> client.seek(file, offset, SEEK_DATA))
                .isInstanceOfSatisfying(
                        FsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENXIO));
    }

    @Test
    void dataIsFoundBehindAHoleOfGibibytes() throws Exception {
        OpenFile file = sparse(4 * GIB, GIB, 3 * GIB);
        assertThat(client.seek(file, 0, SEEK_DATA)).isEqualTo(GIB);
        assertThat(client.seek(file, GIB + BLOCK, SEEK_DATA)).isEqualTo(3 * GIB);
        assertThat(client.seek(file, 2 * GIB + 5, SEEK_DATA)).isEqualTo(3 * GIB);
        assertThat(client.seek(file, GIB + 7, SEEK_DATA)).isEqualTo(GIB + 7);
        assertThat(client.seek(file, GIB, SEEK_HOLE)).isEqualTo(GIB + BLOCK);
        assertThat(client.seek(file, 2 * GIB, SEEK_HOLE)).isEqualTo(2 * GIB);
        nothingFrom(file, 3 * GIB + BLOCK);
        client.release(file);
    }

    @Test
    void aHoleOfTebibytesCostsNoCallForEachOfItsParts() throws Exception {
        OpenFile file = sparse(Long.MAX_VALUE, 8 * BLOCK, 5 * TIB, 900 * TIB);
        long fetched = client.counters().get(ClientCounter.MAP_FETCHES);
        assertThat(client.seek(file, 9 * BLOCK, SEEK_DATA)).isEqualTo(5 * TIB);
        assertThat(client.seek(file, 5 * TIB + BLOCK, SEEK_DATA)).isEqualTo(900 * TIB);
        nothingFrom(file, 900 * TIB + BLOCK);
        nothingFrom(file, Long.MAX_VALUE - 1);
        assertThat(client.counters().get(ClientCounter.MAP_FETCHES) - fetched).isLessThanOrEqualTo(8);
        client.release(file);
    }

    @Test
    void whatIsWrittenIntoAHoleThatWasSkippedIsFound() throws Exception {
        OpenFile file = sparse(4 * GIB, 8 * BLOCK, 3 * GIB);
        assertThat(client.seek(file, 9 * BLOCK, SEEK_DATA)).isEqualTo(3 * GIB);
        assertThat(client.write(file, 2 * GIB, buffer, 0, BLOCK)).isEqualTo(BLOCK);
        assertThat(client.seek(file, 9 * BLOCK, SEEK_DATA)).isEqualTo(2 * GIB);

        try (FsClient other = cluster.client()) {
            OpenFile theirs = other.open(file.ino(), OpenFlags.RDWR);
            assertThat(other.write(theirs, GIB, buffer, 0, BLOCK)).isEqualTo(BLOCK);
            other.release(theirs);
        }
        assertThat(client.seek(file, 9 * BLOCK, SEEK_DATA)).isEqualTo(GIB);
        client.release(file);
    }

    /** The part of the map that it is in is known, that in between is not. */
    @Test
    void whatIsWrittenIntoAKnownPartBehindAnUnknownOneIsFound() throws Exception {
        long at = 600L * BLOCK;
        OpenFile file = sparse(4 * GIB, 8 * BLOCK, at);
        client.fallocate(file, 3, 512L * BLOCK, 256L * BLOCK);
        try (FsClient other = cluster.client()) {
            OpenFile theirs = other.open(file.ino(), OpenFlags.RDWR);
            assertThat(other.write(theirs, 8 * BLOCK, buffer, 0, BLOCK)).isEqualTo(BLOCK);
            other.release(theirs);
        }
        client.read(file, at, buffer, 0, BLOCK);
        nothingFrom(file, 9 * BLOCK);
        assertThat(client.write(file, at, buffer, 0, BLOCK)).isEqualTo(BLOCK);
        assertThat(client.seek(file, 9 * BLOCK, SEEK_DATA)).isEqualTo(at);
        client.release(file);
    }

    @Test
    void spaceThatHoldsNoDataIsNone() throws Exception {
        OpenFile file = sparse(8 * GIB, 7 * GIB);
        client.fallocate(file, KEEP_SIZE, 2 * GIB, 40L << 20);
        assertThat(client.seek(file, 0, SEEK_DATA)).isEqualTo(7 * GIB);
        assertThat(client.seek(file, 2 * GIB + 5, SEEK_HOLE)).isEqualTo(2 * GIB + 5);
        client.release(file);
    }

    @Test
    void aFileThatWasSmallKnowsItsHolesWithoutAsking() throws Exception {
        OpenFile file = sparse(4 * GIB, 0);
        client.seek(file, 0, SEEK_DATA);
        nothingFrom(file, BLOCK);
        assertThat(client.write(file, 3 * GIB, buffer, 0, BLOCK)).isEqualTo(BLOCK);
        assertThat(client.seek(file, BLOCK, SEEK_DATA)).isEqualTo(3 * GIB);
        client.release(file);
    }

    /** So that a client that dies leaves all of it or nothing that anybody sees. */
    @Test
    void spaceSizeAndTimeComeInOneCommit() throws Exception {
        OpenFile file = sparse(BLOCK, 0);
        long commits = client.counters().rpcs(OpCode.COMMIT);
        client.fallocate(file, 0, 100, 40L << 10);
        assertThat(client.counters().rpcs(OpCode.COMMIT) - commits).isEqualTo(1);
        client.getAttributes(file.ino(), out);
        assertThat(out.sizeBytes()).isEqualTo(100 + (40L << 10));
        assertThat(out.blocks()).isEqualTo(11);
        client.fallocate(file, 0, 0, BLOCK);
        assertThat(client.counters().rpcs(OpCode.COMMIT) - commits).isEqualTo(2);
        client.release(file);
    }
}
