package org.octofs.tests.simulation.directed;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.Consistency;
import org.octofs.client.client.FsException;
import org.octofs.client.client.OpenFile;
import org.octofs.client.client.OpenFlags;
import org.octofs.tests.simulation.cluster.SimClient;
import org.octofs.tests.simulation.directed.Rig.Task;

/** Goal: with strict consistency a read shows one state of the file. Method: writes begin at one step of it after the other. */
@Timeout(120)
class ReadSweepTest {
    private static final long ROOT = 1;
    private static final int PART = 100;
    private static final int READ_BYTES = 3 * 4096;

    private static void write(SimClient client, OpenFile file, long offset, char what) throws FsException {
        byte[] bytes = new byte[PART];
        Arrays.fill(bytes, (byte) what);
        assertThat(client.files().write(file, offset, MemorySegment.ofArray(bytes), 0, PART))
                .isEqualTo(PART);
    }

    /** What is behind the end of a file by the time that a read comes there was not part of it. */
    @Test
    void aReadAtTheEndIsNotGoneOnWithInWhatIsWrittenMeanwhile() {
        Set<String> seen = new HashSet<>();
        for (int delay = 0; delay < 60; delay++) {
            Rig rig = new Rig(1, Consistency.STRICT, 31);
            SimClient writer = rig.client();
            SimClient reader = rig.client();
            OpenFile[] files = new OpenFile[2];
            rig.call(writer, () -> {
                files[0] = writer.files().create(ROOT, new byte[] {'a'}, 0644, 0, 0, OpenFlags.RDWR, new Attributes());
                write(writer, files[0], 0, 'o');
            });
            byte[] got = new byte[READ_BYTES];
            int[] count = new int[1];
            rig.call(reader, () -> {
                files[1] = reader.files().open(files[0].ino(), OpenFlags.RDONLY);
                assertThat(reader.files().read(files[1], 0, MemorySegment.ofArray(got), 0, PART))
                        .isEqualTo(PART);
            });
            // So that both writes find room between two messages of the reader.
            rig.cluster.network().slow(reader.process(), 20);
            Task read = rig.go(
                    reader,
                    () -> count[0] = reader.files().read(files[1], 0, MemorySegment.ofArray(got), 0, READ_BYTES));
            rig.steps(delay, read);
            rig.call(writer, () -> {
                write(writer, files[0], 0, 'n');
                write(writer, files[0], PART, 'm');
            });
            rig.until(read::isDone);
            assertThat(read.failure()).isNull();
            seen.add(summary(got, count[0]));
        }
        assertThat(seen).isSubsetOf("o", "n", "nm").contains("o", "nm");
    }

    /** The letters that were read, each once. */
    private static String summary(byte[] bytes, int count) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            if (text.isEmpty() || text.charAt(text.length() - 1) != bytes[i]) {
                text.append((char) bytes[i]);
            }
        }
        return text.toString();
    }
}
