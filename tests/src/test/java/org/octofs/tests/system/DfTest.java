package org.octofs.tests.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code octofs df} says of each node what is in use of its pool, whoever owns the segments that it is in. */
@Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DfTest {
    private static final int MIB = 1 << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** The columns "used" of both nodes and of all. */
    private static List<String> used(SystemCluster cluster) {
        String output = Octofs.run("df", "--state", cluster.state().toString())
                .succeeded()
                .output();
        assertThat(output).doesNotContain("INFO");
        List<String> used = new ArrayList<>();
        for (String line : output.lines().skip(1).toList()) {
            String[] fields = line.strip().split("\\s{2,}", -1);
            used.add(fields[2]);
        }
        assertThat(used).as(output).hasSize(3);
        return used;
    }

    private static void awaitUsed(SystemCluster cluster, List<String> expected) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        List<String> used = used(cluster);
        while (!used.equals(expected) && System.nanoTime() - deadline < 0) {
            Leftovers.pause();
            used = used(cluster);
        }
        assertThat(used).isEqualTo(expected);
    }

    @Test
    void whatIsInUseOfEachPool() throws IOException {
        try (SystemCluster cluster = SystemCluster.up(2, "256M", "auto", "")) {
            // Of one home: nothing that the other does could even it out.
            Path folder = Files.createDirectory(cluster.mount().resolve("folder"));
            Files.write(folder.resolve("file"), new byte[40 * MIB]);
            Shell.bash(cluster.scratch(), PATIENCE, "sync -f \"$1\"", cluster.mount())
                    .succeeded();
            List<String> written = used(cluster);
            assertThat(written.get(2)).isEqualTo("40.0 MiB");
            // The stripes go around, but for those that had to be placed before the other node gave a segment.
            assertThat(written.subList(0, 2)).allMatch(used -> used.matches("(1[2-9]|2[0-8])\\.0 MiB"));
            Files.delete(folder.resolve("file"));
            awaitUsed(cluster, Collections.nCopies(3, "0 B"));
            cluster.kill(1);
            for (String verb : List.of("status", "df")) {
                Shell.Result result =
                        Octofs.run(verb, "--state", cluster.state().toString());
                assertThat(result.code()).isEqualTo(1);
                assertThat(result.output()).contains("does not answer").doesNotContain("INFO");
            }
        }
    }
}
