package org.octofs.tests.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nobody polls: servers and mounts that have nothing to do use no CPU time, also after they have been busy. */
@Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IdleTest {
    private static final Duration WINDOW = Duration.ofSeconds(3);
    private static final double SHARE_MAX = 0.01;

    /** The compiler goes on for a while after the work has ended; idle is what lasts. */
    private static final int WINDOWS_MAX = 8;

    @ParameterizedTest
    @ValueSource(strings = {"shm", "tcp"})
    void idleProcessesUseNoCpu(String transport) throws Exception {
        try (SystemCluster cluster = SystemCluster.up(2, "64M", transport, "")) {
            Path file = cluster.mount().resolve("file");
            Files.write(file, new byte[4 << 20]);
            assertThat(Files.readAllBytes(file)).hasSize(4 << 20);
            for (int i = 0; i < 100; i++) {
                Files.createDirectory(cluster.mount().resolve("folder-" + i));
            }
            Map<String, Long> pids = new LinkedHashMap<>();
            pids.put("server 0", cluster.serverPid(0));
            pids.put("server 1", cluster.serverPid(1));
            pids.put("mount", cluster.mountPid(0));
            Map<String, Double> shares = measure(pids);
            for (int i = 1; i < WINDOWS_MAX && shares.values().stream().anyMatch(s -> s >= SHARE_MAX); i++) {
                shares = measure(pids);
            }
            assertThat(shares.values()).as("shares of a CPU: %s", shares).allMatch(share -> share < SHARE_MAX);
        }
    }

    private static Map<String, Double> measure(Map<String, Long> pids) throws IOException, InterruptedException {
        Map<String, Long> before = used(pids);
        long start = System.nanoTime();
        Thread.sleep(WINDOW.toMillis());
        Map<String, Long> after = used(pids);
        double nanos = System.nanoTime() - start;
        Map<String, Double> shares = new LinkedHashMap<>();
        before.forEach((name, used) -> shares.put(name, (after.get(name) - used) / nanos));
        return shares;
    }

    private static Map<String, Long> used(Map<String, Long> pids) throws IOException {
        Map<String, Long> used = new LinkedHashMap<>();
        for (Map.Entry<String, Long> entry : pids.entrySet()) {
            used.put(entry.getKey(), CpuTime.of(entry.getValue()).toNanos());
        }
        return used;
    }
}
