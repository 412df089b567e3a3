package org.octofs.client.cli;

import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import org.octofs.rpc.cluster.OctofsCommand;
import org.octofs.rpc.cluster.TransportConverter;
import org.octofs.rpc.fabric.TransportChoice;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The {@code octofs} command line: every module's {@link OctofsCommand}s under one roof. Exit codes: 0 done, 1 failed
 * (the reason is one line on standard error), 2 wrong usage, 70 a fault of OctoFS itself; a command may have other codes
 * than 1 and 2, as {@code fsck} has.
 */
@Command(
        name = "octofs",
        description = "OctoFS: one file system out of the persistent memory of several nodes.",
        mixinStandardHelpOptions = true,
        version = "octofs 0.1.0",
        subcommands = HelpCommand.class,
        synopsisSubcommandLabel = "COMMAND")
public final class Octofs implements Callable<Integer> {
    /** Read by the logging configuration: the lowest level that is written, unless OCTOFS_LOG says another. */
    private static final String LOG_LEVEL = "octofs.log";

    private static final List<String> ANSWERING = List.of("status", "df", "mount");
    private static final List<String> FOREGROUND = List.of("-f", "--foreground");
    private static final int EXIT_FAULT = 70;

    @Spec
    private CommandSpec spec;

    private Octofs() {}

    /** Runs the command and ends the process with its exit code. */
    public static void main(String[] arguments) {
        // Before the first logger is there, which some commands have.
        if (isAnswer(List.of(arguments))) {
            System.setProperty(LOG_LEVEL, "WARN");
        }
        System.exit(commandLine().execute(arguments));
    }

    /** Whether the terminal is for what the user asked; else standard error is the log of a process that serves. */
    private static boolean isAnswer(List<String> arguments) {
        return !arguments.isEmpty()
                && ANSWERING.contains(arguments.getFirst())
                && arguments.stream().noneMatch(FOREGROUND::contains);
    }

    /** The command line with all commands that are on the class path. */
    static CommandLine commandLine() {
        CommandLine line = new CommandLine(new Octofs());
        List<OctofsCommand> commands = ServiceLoader.load(OctofsCommand.class).stream()
                .map(ServiceLoader.Provider::get)
                .sorted(Comparator.comparing(
                        c -> CommandSpec.forAnnotatedObject(c).name()))
                .toList();
        for (OctofsCommand command : commands) {
            line.addSubcommand(command);
        }
        addHelp(line);
        line.registerConverter(TransportChoice.class, new TransportConverter());
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler((failure, where, parsed) -> failed(failure, where));
        line.setParameterExceptionHandler((failure, parsed) -> misused(failure));
        return line;
    }

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "say what to do");
    }

    /** Gives every command --help. */
    private static void addHelp(CommandLine line) {
        for (CommandLine sub : line.getSubcommands().values()) {
            if (!(sub.getCommand() instanceof HelpCommand)) {
                sub.getCommandSpec().mixinStandardHelpOptions(true);
                addHelp(sub);
            }
        }
    }

    private static int misused(ParameterException failure) {
        CommandLine line = failure.getCommandLine();
        line.getErr().println("octofs: " + failure.getMessage());
        line.getErr().println("Try '" + line.getCommandSpec().qualifiedName() + " --help'.");
        return line.getCommandSpec().exitCodeOnInvalidInput();
    }

    /** A failure that has words for the user is one line; anything else is a fault and shows where. */
    private static int failed(Exception failure, CommandLine line) {
        boolean fault = failure instanceof RuntimeException && !(failure instanceof UncheckedIOException);
        String message = Objects.requireNonNullElse(failure.getMessage(), failure.toString());
        if (fault) {
            line.getErr().println("octofs: a fault in octofs itself: " + failure);
            LoggerFactory.getLogger(Octofs.class).error("fault", failure);
            return EXIT_FAULT;
        }
        // The JDK's own file exceptions say only the path; their class says what was wrong with it.
        boolean terse = failure instanceof FileSystemException;
        String what = terse ? failure.getClass().getSimpleName().replace("Exception", "") + ": " + message : message;
        line.getErr().println("octofs: " + what);
        return line.getCommandSpec().exitCodeOnExecutionException();
    }
}
