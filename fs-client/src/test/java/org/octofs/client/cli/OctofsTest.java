package org.octofs.client.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Exit codes and words of the command line: 1 for what failed, 2 for wrong usage, never a stack trace. */
class OctofsTest {
    @TempDir
    Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        CommandLine line = Octofs.commandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return line.execute(arguments);
    }

    @Test
    void everyCommandExplainsItself() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString()).contains("dev");
        assertThat(run("dev", "up", "--help")).isZero();
        assertThat(out.toString()).contains("--pool-size");
    }

    @Test
    void wrongUsageIsTwo() {
        assertThat(run()).isEqualTo(2);
        assertThat(run("nonsense")).isEqualTo(2);
        assertThat(run("dev", "up", "--nodes", "0", "--state", folder.toString()))
                .isEqualTo(2);
        assertThat(run("dev", "up", "--nodes", "x")).isEqualTo(2);
        for (String shards : List.of("1", "513", "100000")) {
            assertThat(run("dev", "up", "--shards", shards, "--state", folder.toString()))
                    .isEqualTo(2);
            assertThat(err.toString()).contains("--shards is " + shards + "; 2 to 512");
        }
        assertThat(folder).isEmptyDirectory();
        assertThat(err.toString()).contains("--nodes is 0").contains("--help").doesNotContain("Exception");
    }

    @Test
    void failureIsOneWithALineThatSaysWhatToDo() {
        assertThat(run("dev", "status", "--state", folder.toString())).isEqualTo(1);
        assertThat(err.toString()).contains("octofs dev up").doesNotContain("\tat ");
    }

    @Test
    void mountOfNoClusterLeavesNothing() throws IOException {
        Path empty = Files.createDirectory(folder.resolve("empty"));
        for (Path where : List.of(folder.resolve("missing"), empty)) {
            assertThat(run(
                            "dev",
                            "mount",
                            "--state",
                            where.toString(),
                            folder.resolve("a/mount").toString()))
                    .isEqualTo(1);
            assertThat(err.toString()).contains("no development cluster in " + where);
        }
        assertThat(folder.resolve("missing")).doesNotExist();
        assertThat(empty).isEmptyDirectory();
        assertThat(folder.resolve("a")).doesNotExist();
    }

    @Test
    void optionsOfDevCountBeforeItsSubcommandToo() {
        assertThat(run("dev", "--state", folder.toString(), "status")).isEqualTo(1);
        assertThat(err.toString()).contains("no development cluster in " + folder);
        assertThat(run("dev", "--nodes", "0", "--state", folder.toString(), "up"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("--nodes is 0");
        assertThat(run("dev", "--state", "/nowhere", "status", "--state", folder + "/own"))
                .isEqualTo(1);
        assertThat(err.toString()).contains("no development cluster in " + folder + "/own");
        assertThat(run("dev", "--nodes", "2", "status", "--state", folder.toString()))
                .isEqualTo(2);
        assertThat(err.toString()).contains("'octofs dev status' has no option --nodes");
    }

    @Test
    void clustersOfDevAreFoundByTheirFolder() {
        for (String command : List.of("status", "df")) {
            assertThat(run(command, "--state", folder.toString())).isEqualTo(1);
            assertThat(err.toString())
                    .contains(folder.resolve("cluster.properties").toString());
            assertThat(run(command)).isEqualTo(2);
            assertThat(err.toString()).contains("say which cluster");
        }
    }
}
