package org.octofs.client.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.octofs.client.dev.OctofsProcess;

/** A running {@link BenchPeer} or {@link CallPeer}; any number of connections. */
final class PeerProcess implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 5;

    private final Process process;
    private final String place;

    PeerProcess() throws IOException {
        this("bench-peer");
    }

    /** By the command of another one; it says where it listens in its first line. */
    PeerProcess(String... command) throws IOException {
        process = new ProcessBuilder(OctofsProcess.command(command))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = output.readLine();
        if (line == null) {
            throw new IOException("the bench peer did not start");
        }
        place = line;
    }

    /** Where it listens, as it said so itself. */
    String place() {
        return place;
    }

    /** Processor time of its process so far; as fine as the kernel counts, which may be 10 ms. */
    long cpuNanos() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
    }

    InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(place));
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
        }
    }
}
