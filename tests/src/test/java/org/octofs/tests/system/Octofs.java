package org.octofs.tests.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.octofs.tests.support.TestJvm;

/** The command {@code octofs}, started from the jars as its launcher does. */
final class Octofs {
    static final Path LIB = Path.of(System.getProperty("octofs.lib", "no-octofs.lib"));

    /** Nothing that a command does on a loaded machine takes longer. */
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private Octofs() {}

    /** Fails the test where clusters cannot be mounted, with the reason: what cannot be tested must show. */
    static void requireUsable() {
        assertThat(LIB).as("'mvn package' puts the jars there").isDirectory();
        assertThat(Path.of("/dev/fuse")).isReadable();
    }

    /** The process that runs {@code octofs arguments}. */
    static ProcessBuilder process(List<String> arguments) {
        ProcessBuilder builder = TestJvm.of(
                LIB + "/*", "org.octofs.client.cli.Octofs", List.of("-XX:-UsePerfData", "-Xshare:auto"), arguments);
        builder.environment().put("PMEM_IS_PMEM_FORCE", "1");
        return builder;
    }

    /** Runs it to its end. */
    static Shell.Result run(String... arguments) {
        return Shell.run(process(List.of(arguments)), "octofs " + String.join(" ", arguments), PATIENCE);
    }
}
