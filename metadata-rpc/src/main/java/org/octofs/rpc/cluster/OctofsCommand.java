package org.octofs.rpc.cluster;

import java.io.IOException;
import java.util.concurrent.Callable;

/**
 * A subcommand of the {@code octofs} command line: a picocli {@code @Command} class, found by {@link
 * java.util.ServiceLoader} so that the modules contribute their commands without knowing each other. {@link #call}
 * answers the exit code: 0 done, 1 failed for a reason that was printed, 2 wrong usage.
 */
public interface OctofsCommand extends Callable<Integer> {
    /**
     * Looks whether {@link #call} would refuse the arguments that were parsed, as far as that can be told now; changes nothing. For
     * commands that are about to start this one as a process, at the end of other work. Files and directories that are missing
     * are not looked for, since they may be made by then.
     *
     * @throws IOException with words for the user, as of {@link #call}; wrong usage is a {@code ParameterException}, as there
     */
    default void check() throws IOException {}
}
