package org.octofs.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.octofs.tests.posix.ModelPosix;
import org.octofs.tests.posix.Posix;
import org.octofs.tests.posix.RandomProgram;
import org.octofs.tests.posix.Script;
import org.octofs.tests.posix.SyscallPosix;
import org.octofs.tests.support.LocalCluster;

/**
 * Goal: any sequence of calls answers as on a local file system. Method: random programs on the client library, on a memory file system
 * and on a model, side by side; a difference is shrunk to a shortest program. A failure prints the seed.
 */
class RandomProgramsTest {
    private static final int LINES = 60;

    private LocalCluster cluster;
    private Path memory;
    private Supplier<Posix> clientFolders;
    private int folders;

    @BeforeEach
    void start() throws IOException {
        cluster = LocalCluster.start(2, LocalCluster.Transport.LOOPBACK);
        clientFolders = ClientConformanceTest.freshFolders(cluster.client());
        memory = Files.createTempDirectory(Path.of("/dev/shm"), "octofs-programs-");
    }

    @AfterEach
    void stop() throws IOException {
        cluster.close();
        try (Stream<Path> files = Files.walk(memory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    @Test
    void programsAnswerEverywhereTheSame() {
        compare(0x5EED, 60);
    }

    @Test
    @Tag("slow")
    void manyProgramsAnswerEverywhereTheSame() {
        compare(System.nanoTime(), 2000);
    }

    private void compare(long seed, int programs) {
        RandomProgram random = new RandomProgram(seed);
        for (int i = 0; i < programs; i++) {
            List<String> program = random.next(LINES);
            if (differs(program)) {
                List<String> shortest = RandomProgram.shrink(program, this::differs);
                List<String> local = answers(this::memoryFolder, shortest);
                assertThat(answers(ModelPosix::new, shortest))
                        .as("model beside memory file system, seed %d, program %d", seed, i)
                        .isEqualTo(local);
                assertThat(answers(clientFolders, shortest))
                        .as("client beside memory file system, seed %d, program %d", seed, i)
                        .isEqualTo(local);
            }
        }
    }

    private boolean differs(List<String> program) {
        List<String> local = answers(this::memoryFolder, program);
        return !local.equals(answers(clientFolders, program)) || !local.equals(answers(ModelPosix::new, program));
    }

    private Posix memoryFolder() {
        try {
            return new SyscallPosix(Files.createDirectory(memory.resolve("program" + folders++)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> answers(Supplier<? extends Posix> folders, List<String> program) {
        try (Posix posix = folders.get();
                Script script = new Script(posix)) {
            return new ArrayList<>(script.runAll(program));
        }
    }
}
