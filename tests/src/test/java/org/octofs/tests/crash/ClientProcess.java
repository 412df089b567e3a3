package org.octofs.tests.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.octofs.rpc.cluster.ClusterFile;
import org.octofs.tests.support.LocalCluster;
import org.octofs.tests.support.TestJvm;

/** A process with a client that writes without end, see {@link StoppedClientMain}. Closing it kills it. */
final class ClientProcess implements AutoCloseable {
    private final Process process;
    private final BufferedReader output;

    /** Starts it, with its files in {@code directory}; it has written before this returns. */
    ClientProcess(LocalCluster cluster, Path directory) throws IOException {
        this(cluster, directory, StoppedClientMain.WRITES);
    }

    /** As the other; {@code how} it writes, in the terms of {@link StoppedClientMain}. */
    ClientProcess(LocalCluster cluster, Path directory, String how) throws IOException {
        Path file = directory.resolve("cluster");
        ClusterFile.write(file, cluster.map());
        Path log = directory.resolve("client.log");
        process = TestJvm.of(
                        StoppedClientMain.class,
                        TestJvm.SMALL,
                        file.toString(),
                        cluster.choice().name(),
                        how)
                .redirectError(log.toFile())
                .start();
        output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = readLine();
        assertThat(line).as(() -> read(log)).isEqualTo(StoppedClientMain.WRITING);
    }

    private static String read(Path log) {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** The next line that is not a log message. */
    String readLine() throws IOException {
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(StoppedClientMain.WRITING) || line.startsWith(StoppedClientMain.ENDED)) {
                return line;
            }
        }
        return "the process has ended";
    }

    void stop() throws Exception {
        signal("STOP");
    }

    void goOn() throws Exception {
        signal("CONT");
    }

    private void signal(String name) throws Exception {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
        assertThat(kill.waitFor()).isZero();
    }

    void kill() {
        process.destroyForcibly().onExit().join();
    }

    @Override
    public void close() {
        kill();
    }
}
