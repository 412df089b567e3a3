package org.octofs.client.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.octofs.client.dev.OctofsProcess;

/** A running {@link BenchPeer}; any number of connections. */
final class PeerProcess implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 5;

    private final Process process;
    private final int port;

    PeerProcess() throws IOException {
        process = new ProcessBuilder(OctofsProcess.command("bench-peer"))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = output.readLine();
        if (line == null) {
            throw new IOException("the bench peer did not start");
        }
        port = Integer.parseInt(line);
    }

    InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
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
