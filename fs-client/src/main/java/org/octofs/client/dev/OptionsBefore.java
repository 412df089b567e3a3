package org.octofs.client.dev;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** Options that stand before the subcommand, as in {@code dev --nodes 3 up}, mean the same as behind it. */
final class OptionsBefore {
    private OptionsBefore() {}

    /**
     * Hands the parent's options on to {@code subcommand}: what stands behind it counts more; lists begin with what stands before.
     *
     * @throws ParameterException if it does not know one of them
     */
    static void handOn(CommandSpec subcommand) {
        for (OptionSpec before :
                subcommand.parent().commandLine().getParseResult().matchedOptions()) {
            OptionSpec own = subcommand.findOption(before.longestName());
            if (own == null) {
                throw new ParameterException(
                        subcommand.commandLine(),
                        "'" + subcommand.qualifiedName(" ") + "' has no option " + before.longestName());
            }
            boolean behind = subcommand.commandLine().getParseResult().hasMatchedOption(own);
            if (before.getValue() instanceof List<?> first && own.getValue() instanceof List<?> then) {
                List<Object> all = new ArrayList<>(first);
                all.addAll(behind ? then : List.of());
                own.setValue(all);
            } else if (!behind) {
                own.setValue(before.getValue());
            }
        }
    }
}
