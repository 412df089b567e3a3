package org.octofs.rpc.fabric;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A second JVM that runs {@link PeerMain}; killed at close at the latest. */
public final class PeerJvm implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 60;

    private final Process process;
    private final BufferedReader output;

    private PeerJvm(Process process) {
        this.process = process;
        this.output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Starts one; see {@link PeerMain#main}. */
    public static PeerJvm start(String role, TransportChoice choice, int port, long spinMicros) throws IOException {
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:TieredStopAtLevel=" + Integer.getInteger("octofs.test.peer.tier", 1),
                        "-Xmx256m",
                        "-Dlogback.configurationFile=" + System.getProperty("logback.configurationFile", ""),
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        PeerMain.class.getName(),
                        role,
                        choice.name(),
                        Integer.toString(port),
                        Long.toString(spinMicros)))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        return new PeerJvm(process);
    }

    /** The port that a {@code serve} peer prints. */
    public int readPort() throws IOException {
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(PeerMain.PORT_PREFIX)) {
                return Integer.parseInt(
                        line.substring(PeerMain.PORT_PREFIX.length()).strip());
            }
        }
        throw new AssertionError("the peer ended before it listened");
    }

    /** Waits for its end; answers the exit status. */
    public int awaitExit() throws InterruptedException {
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("the peer does not end");
        }
        return process.exitValue();
    }

    /** SIGKILL, without waiting. */
    public void kill() {
        process.destroyForcibly();
    }

    /** Its process id. */
    public long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            awaitExit();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
