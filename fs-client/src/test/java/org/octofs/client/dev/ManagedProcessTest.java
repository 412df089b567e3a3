package org.octofs.client.dev;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Background processes are found again by their pid file, and nobody else's process is ever signalled. */
class ManagedProcessTest {
    @TempDir
    Path folder;

    private ManagedProcess process() {
        return new ManagedProcess("sleeper", folder.resolve("p.pid"), folder.resolve("p.log"));
    }

    @Test
    void startsAndStops() throws IOException {
        assertThat(process().isAlive()).isFalse();
        process().start(List.of("sleep", "300"));
        assertThat(process().isAlive()).isTrue();
        long pid = process().pid().orElseThrow();
        assertThat(ProcessHandle.of(pid).orElseThrow().isAlive()).isTrue();
        process().stop(Duration.ofSeconds(10));
        assertThat(process().isAlive()).isFalse();
        assertThat(folder.resolve("p.pid")).doesNotExist();
    }

    @Test
    void killsWhatIgnoresTheTermSignal() throws IOException {
        process().start(List.of("sh", "-c", "trap '' TERM; echo ready; while :; do sleep 1; done"));
        long deadline = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        while (!process().logTail().contains("ready")) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Pause.of(Duration.ofMillis(10));
        }
        process().stop(Duration.ofMillis(200));
        assertThat(process().isAlive()).isFalse();
    }

    @Test
    void leavesAPidAloneThatBelongsToSomebodyElseNow() throws IOException {
        process().start(List.of("sleep", "300"));
        long pid = process().pid().orElseThrow();
        String good = Files.readString(folder.resolve("p.pid"));
        Files.writeString(folder.resolve("p.pid"), pid + " 12345\n");
        assertThat(process().isAlive()).isFalse();
        process().kill();
        assertThat(ProcessHandle.of(pid).orElseThrow().isAlive()).isTrue();
        Files.writeString(folder.resolve("p.pid"), good);
        process().kill();
        assertThat(process().isAlive()).isFalse();
    }

    @Test
    void saysWhatToDoWithADamagedPidFile() throws IOException {
        Files.writeString(folder.resolve("p.pid"), "what");
        assertThatThrownBy(() -> process().isAlive())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("damaged");
    }

    @Test
    void keepsTwoClustersApart() {
        Path pools = Path.of("/dev/shm");
        DevState one = new DevState(folder.resolve("a"), pools);
        DevState other = new DevState(folder.resolve("b"), pools);
        assertThat(one.pool(0)).isNotEqualTo(other.pool(0));
        assertThat(one.pool(0)).isNotEqualTo(one.pool(1));
        assertThat(new DevState(folder.resolve("x/../a"), pools).pool(0)).isEqualTo(one.pool(0));
    }
}
