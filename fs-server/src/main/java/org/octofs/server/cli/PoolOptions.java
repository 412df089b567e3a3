package org.octofs.server.cli;

import org.octofs.pmem.medium.HugePages;
import org.octofs.pmem.medium.MediumKind;
import org.octofs.pmem.medium.MediumOptions;
import org.octofs.pmem.medium.Progress;
import picocli.CommandLine.Option;

/** Options about the pool file that both commands have. */
final class PoolOptions {
    @Option(
            names = "--medium",
            defaultValue = "auto",
            paramLabel = "KIND",
            description = "How to reach the pool: auto, llpl (libpmem) or mapped (default: ${DEFAULT-VALUE}).")
    private MediumKind kind;

    @Option(
            names = "--group",
            paramLabel = "NAME",
            description =
                    "Group whose members may map the pool too (clients of the same host); default: only the owner.")
    private String group;

    @Option(
            names = "--huge-pages",
            defaultValue = "advise",
            paramLabel = "HOW",
            description = "2 MiB pages: off, advise, or collapse (build them at format; default: ${DEFAULT-VALUE}).")
    private HugePages hugePages;

    MediumKind kind() {
        return kind;
    }

    MediumOptions medium(Progress progress) {
        return MediumOptions.defaults()
                .withGroup(group)
                .withHugePages(hugePages)
                .withProgress(progress);
    }
}
