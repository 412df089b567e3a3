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
import org.octofs.client.client.AttributeChange;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.ClientConfig;
import org.octofs.client.client.Consistency;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.FsException;
import org.octofs.client.client.OpenFile;
import org.octofs.client.client.OpenFlags;
import org.octofs.tests.support.LocalCluster;

/**
 * Goal: what changes a file's shape goes by what the file is now, not by what this client knew of it. Method: two clients with strict
 * consistency; one looks at the file, the other changes it, the first goes on.
 */
class SharedFileTest {
    private static final long ROOT = 1;
    private static final int BLOCK = 4096;
    private static final int PUNCH = 3;

    private final Attributes out = new Attributes();

    @AutoClose
    private LocalCluster cluster;

    private FsClient one;
    private FsClient other;
    private OpenFile mine;
    private OpenFile theirs;

    @BeforeEach
    void start() throws IOException {
        cluster = LocalCluster.start(2, LocalCluster.Transport.LOOPBACK);
        one = cluster.client(ClientConfig.builder().consistency(Consistency.STRICT));
        other = cluster.client(ClientConfig.builder().consistency(Consistency.STRICT));
        mine = one.create(ROOT, name("a"), 0644, 0, 0, OpenFlags.RDWR, out);
        theirs = other.open(mine.ino(), OpenFlags.RDWR);
    }

    private static void write(FsClient by, OpenFile file, long offset, int length) throws FsException {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) 7);
        assertThat(by.write(file, offset, MemorySegment.ofArray(bytes), 0, length))
                .isEqualTo(length);
    }

    private static byte[] read(FsClient by, OpenFile file, long offset, int length) throws FsException {
        byte[] bytes = new byte[length];
        return Arrays.copyOf(bytes, by.read(file, offset, MemorySegment.ofArray(bytes), 0, length)).length == length
                ? bytes
                : new byte[0];
    }

    private static void truncate(FsClient by, OpenFile file, long size) throws FsException {
        by.setAttributes(file.ino(), new AttributeChange().sizeBytes(size), new Attributes());
    }

    private Attributes attributes() throws IOException {
        cluster.client().getAttributes(mine.ino(), out);
        return out;
    }

    @Test
    void truncatingCutsWhatAnotherHasWritten() throws Exception {
        write(other, theirs, 0, 3 * BLOCK);
        truncate(one, mine, 100);
        truncate(other, theirs, BLOCK);
        assertThat(read(other, theirs, 100, BLOCK - 100)).containsOnly(0).hasSize(BLOCK - 100);
    }

    @Test
    void growingCutsWhatAnotherHasWrittenMeanwhile() throws Exception {
        write(one, mine, 0, 50);
        write(other, theirs, 0, 3 * BLOCK);
        truncate(one, mine, BLOCK + 100);
        truncate(other, theirs, 2 * BLOCK);
        assertThat(read(other, theirs, BLOCK + 100, BLOCK - 100))
                .containsOnly(0)
                .hasSize(BLOCK - 100);
    }

    @Test
    void allocatingGrowsAFileThatAnotherHasCut() throws Exception {
        write(one, mine, 0, 5 * BLOCK);
        truncate(other, theirs, 10);
        one.fallocate(mine, 0, 0, 2 * BLOCK);
        assertThat(attributes().sizeBytes()).isEqualTo(2 * BLOCK);
        assertThat(attributes().blocks()).isEqualTo(2);
    }

    @Test
    void punchingZeroesWhatAnotherHasWritten() throws Exception {
        write(one, mine, 0, 10);
        truncate(one, mine, 2 * BLOCK);
        write(other, theirs, 0, 2 * BLOCK);
        one.fallocate(mine, PUNCH, 100, BLOCK);
        assertThat(read(other, theirs, 100, BLOCK)).containsOnly(0).hasSize(BLOCK);
        assertThat(read(other, theirs, 0, 100)).containsOnly(7).hasSize(100);
        assertThat(read(other, theirs, BLOCK + 100, BLOCK - 100))
                .containsOnly(7)
                .hasSize(BLOCK - 100);
    }

    @Test
    void punchingWholeBlocksAndTheirEdgesIsOneChange() throws Exception {
        write(one, mine, 0, 6 * BLOCK);
        one.getAttributes(mine.ino(), out);
        long version = out.version();
        one.fallocate(mine, PUNCH, 100, 4 * BLOCK);
        one.getAttributes(mine.ino(), out);
        assertThat(out.version()).isEqualTo(version + 2);
        assertThat(out.blocks()).isEqualTo(3);
        assertThat(read(other, theirs, 0, 100)).containsOnly(7).hasSize(100);
        assertThat(read(other, theirs, 100, 4 * BLOCK)).containsOnly(0).hasSize(4 * BLOCK);
        assertThat(read(other, theirs, 4 * BLOCK + 100, BLOCK)).containsOnly(7).hasSize(BLOCK);
    }

    /** The rule asks for no change then: the last one of the version is the other client's, and the map that is known here is not of it. */
    @Test
    void anAccessTimeThatStaysSaysNothingOfTheMap() throws Exception {
        write(one, mine, 0, 20 * BLOCK);
        one.fsync(mine, false);
        one.setAttributes(mine.ino(), new AttributeChange().accessTime(1L << 40, 0), out);
        read(one, mine, 0, 20 * BLOCK);
        write(other, theirs, 20 * BLOCK, BLOCK);
        other.fsync(theirs, false);
        one.setAttributes(mine.ino(), new AttributeChange().accessed(), out);
        assertThat(out.accessSeconds()).isEqualTo(1L << 40);
        byte[] expected = new byte[BLOCK];
        Arrays.fill(expected, (byte) 7);
        assertThat(read(one, mine, 20 * BLOCK, BLOCK)).isEqualTo(expected);
    }

    @Test
    void anAccessTimeThatStaysSaysNothingOfTheNames() throws Exception {
        one.mkdir(ROOT, name("d"), 0755, 0, 0, out);
        long directory = out.ino();
        one.setAttributes(directory, new AttributeChange().accessTime(1L << 40, 0), out);
        assertThatThrownBy(() -> one.lookup(directory, name("x"), out)).isInstanceOf(FsException.class);
        other.create(directory, name("x"), 0644, 0, 0, OpenFlags.RDWR, new Attributes());
        one.setAttributes(directory, new AttributeChange().accessed(), out);
        one.lookup(directory, name("x"), out);
        assertThat(out.isRegular()).isTrue();
    }
}
