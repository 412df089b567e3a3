package org.octofs.tests.system;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A server started by hand, without {@code octofs dev}; closing it ends it. */
final class ServerProcess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Process process;

    private ServerProcess(Process process) {
        this.process = process;
    }

    /** Starts a server that is to serve at this port, and waits until it does. */
    static ServerProcess start(Path clusterFile, int node, int port, Path log) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("server", clusterFile.toString(), "--node", "" + node));
        Process process = Octofs.process(arguments)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        ServerProcess server = new ServerProcess(process);
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!answers(port)) {
            if (!process.isAlive() || System.nanoTime() - deadline > 0) {
                server.close();
                throw new AssertionError("the server does not serve: " + Files.readString(log));
            }
            Leftovers.pause();
        }
        return server;
    }

    private static boolean answers(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
                throw new AssertionError("the server did not end at SIGTERM");
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
