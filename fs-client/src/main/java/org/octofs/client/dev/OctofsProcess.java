package org.octofs.client.dev;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How to start another process of the same octofs: same JVM, same options, same class path. */
public final class OctofsProcess {
    private static final String FOR_USER = "octofs: ";

    /** In lines of the log that tell of no trouble. */
    private static final String USUAL = " INFO  [";

    private OctofsProcess() {}

    /** The command that runs {@code octofs arguments...}. */
    public static List<String> command(String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add("org.octofs.client.cli.Octofs");
        command.addAll(List.of(arguments));
        return command;
    }

    /**
     * Why a process of octofs ended, from what it logged: the line for the user first, then other trouble.
     *
     * @param lines of its log, the last ones
     * @param log where they are from
     */
    public static String lastWords(List<String> lines, Path log) {
        StringBuilder reason = new StringBuilder();
        StringBuilder trouble = new StringBuilder();
        for (String line : lines) {
            if (line.startsWith(FOR_USER)) {
                reason.append(reason.isEmpty() ? "" : "\n  ").append(line.substring(FOR_USER.length()));
            } else if (!line.contains(USUAL) && !line.isBlank()) {
                trouble.append("\n  ").append(line);
            }
        }
        return (reason.isEmpty() ? "its process has ended; its log is " + log : reason) + trouble.toString();
    }
}
