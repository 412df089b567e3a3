package org.octofs.rpc.cluster;

import java.util.concurrent.Callable;

/**
 * A subcommand of the {@code octofs} command line: a picocli {@code @Command} class, found by {@link
 * java.util.ServiceLoader} so that the modules contribute their commands without knowing each other. {@link #call}
 * answers the exit code: 0 done, 1 failed for a reason that was printed, 2 wrong usage.
 */
public interface OctofsCommand extends Callable<Integer> {}
