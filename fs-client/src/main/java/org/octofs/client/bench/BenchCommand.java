package org.octofs.client.bench;

import org.octofs.rpc.cluster.OctofsCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code octofs bench}. */
@Command(
        name = "bench",
        description = "Measures.",
        subcommands = {
            RawCommand.class,
            IoCommand.class,
            MetaCommand.class,
            LoadCommand.class,
            FioCommand.class,
            PaperCommand.class,
            TableCommand.class
        })
public final class BenchCommand implements OctofsCommand {
    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "say which benchmark");
    }
}
