package org.octofs.rpc.cluster;

import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Which cluster a command is about: its file, or the folder of a {@code dev} cluster. A mixin. */
public final class ClusterChoice {
    /** The cluster file in the folder of a {@code dev} cluster. */
    public static final String DEV_CLUSTER_FILE = "cluster.properties";

    @Parameters(paramLabel = "CLUSTER", arity = "0..1", description = "The cluster file.")
    private Path cluster;

    @Option(names = "--state", paramLabel = "DIR", description = "Instead of CLUSTER: the folder of a dev cluster.")
    private Path state;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    /**
     * Reads the file.
     *
     * @throws ParameterException if it is not said which, or both
     */
    public ClusterMap read() throws IOException {
        if ((cluster == null) == (state == null)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "say which cluster: a cluster file, or --state with the folder of a dev cluster");
        }
        return ClusterFile.read(state == null ? cluster : state.resolve(DEV_CLUSTER_FILE));
    }
}
