package org.octofs.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.octofs.tests.conformance.NamespaceTest.name;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.FsException;
import org.octofs.client.client.OpenFile;
import org.octofs.client.client.OpenFlags;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.tests.support.LocalCluster;

/** Goal: an append that finds too little space has written what it says, once. Method: appends until the pool is full. */
@Timeout(60)
class FullPoolAppendTest {
    private static final int ROOM_BYTES = 40 * 4096;
    private static final int PIECE_BYTES = 11 * 4096 + 77;

    @Test
    void anAppendHasWrittenWhatItSays() throws IOException {
        try (LocalCluster cluster = LocalCluster.start(1, LocalCluster.Transport.LOOPBACK, 64L << 20)) {
            FsClient client = cluster.client();
            OpenFile filler = client.create(1, name("filler"), 0644, 0, 0, OpenFlags.RDWR, new Attributes());
            fill(client, filler);
            OpenFile file =
                    client.create(1, name("a"), 0644, 0, 0, OpenFlags.RDWR | OpenFlags.APPEND, new Attributes());
            Random random = new Random(7);
            byte[] expected = {};
            boolean full = false;
            int shortOnes = 0;
            while (!full) {
                byte[] piece = new byte[PIECE_BYTES];
                random.nextBytes(piece);
                int count = 0;
                try {
                    long commits = client.counters().rpcs(OpCode.COMMIT);
                    count = client.write(file, 0, MemorySegment.ofArray(piece), 0, piece.length);
                    assertThat(file.lastAppendEnd()).isEqualTo(expected.length + count);
                    if (count < piece.length) {
                        shortOnes++;
                        // Others may append in between; what comes after them would be torn off.
                        assertThat(client.counters().rpcs(OpCode.COMMIT) - commits)
                                .as("goes on after the commit")
                                .isEqualTo(1);
                    }
                } catch (FsException e) {
                    assertThat(e.errno()).isEqualTo(Errno.ENOSPC);
                    full = true;
                }
                int before = expected.length;
                expected = Arrays.copyOf(expected, before + count);
                System.arraycopy(piece, 0, expected, before, count);
                Attributes attributes = new Attributes();
                cluster.client().getAttributes(file.ino(), attributes);
                assertThat(attributes.sizeBytes()).isEqualTo(expected.length);
            }
            byte[] got = new byte[expected.length];
            assertThat(client.read(file, 0, MemorySegment.ofArray(got), 0, got.length))
                    .isEqualTo(got.length);
            assertThat(got).isEqualTo(expected);
            assertThat(expected.length).isGreaterThan(PIECE_BYTES);
            assertThat(shortOnes).isPositive();
        }
    }

    /** Takes all space but a little. */
    private static void fill(FsClient client, OpenFile filler) throws FsException {
        long size = 0;
        for (int step = 1 << 20; step >= 4096; step /= 2) {
            try {
                while (true) {
                    client.fallocate(filler, 0, size, step);
                    size += step;
                }
            } catch (FsException e) {
                assertThat(e.errno()).isEqualTo(Errno.ENOSPC);
            }
        }
        client.setAttributes(
                filler.ino(),
                new org.octofs.client.client.AttributeChange().sizeBytes(size - ROOM_BYTES),
                new Attributes());
    }
}
