package org.octofs.client.dev;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.octofs.rpc.cluster.OctofsCommand;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** What can be known to fail before anything is made or started for it. Changes nothing. */
final class Beforehand {
    private final CommandSpec spec;
    private final DevState state;

    /** @param spec of the command that the user gave, which his mistakes are told to be of */
    Beforehand(CommandSpec spec, DevState state) {
        this.spec = spec;
        this.state = state;
    }

    /** Pools of a new cluster. */
    void pools(Path folder, String poolSize) throws IOException {
        if (!Files.isDirectory(folder) || !Files.isWritable(folder)) {
            throw new IOException("cannot make pools in " + folder + ": it is no directory that can be written to");
        }
        check("format", List.of(state.clusterFile().toString(), "--node", "0", "--pool-size", poolSize));
    }

    /**
     * A mount.
     *
     * @param directory may be missing; null if only the options are known
     */
    void mount(Path directory, List<String> options) throws IOException {
        if (directory != null) {
            DevMounts.checkCanBeMade(directory);
        }
        Path where = directory == null ? state.folder().resolve("mount") : directory;
        Stream<String> arguments = Stream.of(state.clusterFile().toString(), where.toString());
        check(
                "mount",
                (options.isEmpty() ? arguments : Stream.concat(arguments, Stream.of("-o", String.join(",", options))))
                        .toList());
    }

    /** Asks the command of this name, of whatever module, where there is one. */
    private void check(String name, List<String> arguments) throws IOException {
        CommandLine line = spec.root().commandLine().getSubcommands().get(name);
        if (line == null) {
            return;
        }
        try {
            line.parseArgs(arguments.toArray(String[]::new));
            OctofsCommand command = line.getCommand();
            command.check();
        } catch (ParameterException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }
}
