package org.octofs.client.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: fio's figures end in the right places. Method: a line of terse output made by its manual, and fio itself. */
class FioJobTest {
    private static String line(int error) {
        String[] fields = new String[130];
        Arrays.fill(fields, "0");
        fields[0] = "3";
        fields[4] = Integer.toString(error);
        fields[6] = "1000"; // read, KiB/s
        fields[7] = "250"; // read, operations per second
        fields[24] = "50.000000%=12";
        fields[47] = "2000";
        fields[48] = "500";
        fields[65] = "50.000000%=34";
        return String.join(";", fields) + "\n";
    }

    @Test
    void readsAndWritesAreTakenFromTheirOwnFields() throws IOException {
        assertThat(FioJob.RANDOM_READ.parse(line(0))).isEqualTo(new FioJob.Figures(1.024, 250, 12));
        assertThat(FioJob.RANDOM_WRITE.parse(line(0))).isEqualTo(new FioJob.Figures(2.048, 500, 34));
        assertThat(FioJob.RANDOM_READ_4.parse(line(0) + line(0))).isEqualTo(new FioJob.Figures(2.048, 500, 12));
    }

    @Test
    void errorsAreNotTakenForFigures() {
        assertThatThrownBy(() -> FioJob.RANDOM_READ.parse(line(5))).isInstanceOf(IOException.class);
    }

    @Test
    void fioItselfSpeaksThatWay(@TempDir Path folder) throws Exception {
        FioJob.Figures figures = FioJob.BUFFERED_WRITE.run(folder, 0.2);
        assertThat(figures.megabytesPerSecond()).isPositive();
        assertThat(figures.operationsPerSecond()).isPositive();
        assertThat(figures.medianMicros()).isPositive();
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void theLoopsLeaveNothing(@TempDir Path folder) throws IOException {
        assertThat(FileLoops.run(folder))
                .hasSize(4)
                .allSatisfy((_, micros) -> assertThat(micros).isPositive());
        assertThat(folder).isEmptyDirectory();
    }
}
