package org.octofs.tests.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: a mount answers as the memory file system of the same kernel, to root and to others. Method: {@code posix/beside.py} makes some
 * 14,000 calls in either and says, a line each, what came of them; the lines are the same, but for those that docs/posix.md says why.
 */
class BesideTmpfsTest {
    private static final Duration PATIENCE = Duration.ofMinutes(8);

    /** RENAME_WHITEOUT is refused; tmpfs has no FALLOC_FL_ZERO_RANGE, and leaves the times at a truncation to the size that is. */
    private static final String DIFFER = "rename 4 |fallocate 1[67] |times truncate 0 regular";

    /** Where the scripts are, taken out of the class path. */
    @TempDir
    private Path scripts;

    private List<String> answers(Path folder) throws IOException {
        for (String name : List.of("beside.py", "calls.py")) {
            try (InputStream source = BesideTmpfsTest.class.getResourceAsStream("/posix/" + name)) {
                Files.write(scripts.resolve(name), source.readAllBytes());
            }
        }
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        String script = scripts.resolve("beside.py").toString();
        return Shell.run(
                        new ProcessBuilder("python3", "-B", script, folder.toString()),
                        "beside.py in " + folder,
                        PATIENCE)
                .succeeded()
                .output()
                .lines()
                .toList();
    }

    private List<String> ofMemory() throws IOException {
        Path folder = Files.createTempDirectory(Path.of("/dev/shm"), "octofs-beside-");
        try {
            return answers(folder);
        } finally {
            Shell.run(new ProcessBuilder("rm", "-rf", folder.toString()), "rm", Duration.ofMinutes(1));
        }
    }

    /** By jnr without what libfuse 2 has no request for: rename flags, O_TMPFILE, and not all set-group-id bits go. */
    @ParameterizedTest
    @CsvSource(delimiter = ';', textBlock = """
            kernel ;
            jnr    ; (times )?(rename noreplace|exchange|open tmpfile) |rename [12] |tmpfile |[a-z ]+ on (2767|6666) by 65533:65533:
            """)
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void answersAsTmpfs(String binding, String differToo) throws IOException {
        Shell.requirePrograms("python3");
        List<String> expected = ofMemory();
        assertThat(expected).hasSizeGreaterThan(13_000);
        try (SystemCluster cluster = SystemCluster.up(2, "128M", "auto", "allow_other,binding=" + binding)) {
            List<String> answers = answers(Files.createDirectory(cluster.mount().resolve("beside")));
            assertThat(answers).hasSameSizeAs(expected);
            Pattern differ = Pattern.compile("(" + DIFFER + (differToo == null ? "" : "|" + differToo) + ").*");
            List<String> differences = new ArrayList<>();
            for (int i = 0; i < expected.size(); i++) {
                if (!answers.get(i).equals(expected.get(i))
                        && !differ.matcher(expected.get(i)).lookingAt()) {
                    differences.add("tmpfs: " + expected.get(i) + "\nmount: " + answers.get(i));
                }
            }
            assertThat(differences).isEmpty();
        }
    }
}
