package org.octofs.fuse.mount;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.octofs.client.client.ClientConfig;
import org.octofs.client.client.Consistency;
import org.octofs.fuse.fuse.AdapterPolicy;
import org.octofs.fuse.fuse.CallingUser;
import org.octofs.fuse.fuse.MountFlag;
import org.octofs.fuse.fuse.MountParameters;
import org.octofs.rpc.fabric.TransportChoice;

/**
 * What the options of one mount say. Immutable.
 *
 * @param operationDeadline how long a call waits for a server before it fails with EIO
 * @param bindings which binding carries the requests: the first of these that works
 * @param flags what the user said about each flag; without a word it depends on who mounts
 * @param fileSystemName as the mount table is to show it; null for the cluster's name
 * @param leases the kernel keeps names and attributes under leases, if the consistency is coherent and the binding can
 * @param nonEmpty the mount point may have entries, which the mount hides
 */
public record MountConfig(
        boolean allowOther,
        boolean readOnly,
        boolean nonEmpty,
        boolean debug,
        Map<MountFlag, Boolean> flags,
        Consistency consistency,
        TransportChoice transport,
        Duration operationDeadline,
        List<BindingKind> bindings,
        int maxReadBytes,
        int maxWriteBytes,
        int threadCount,
        String fileSystemName,
        boolean leases) {

    static final Duration HARD = Duration.ofSeconds(60);
    static final Duration SOFT = Duration.ofSeconds(10);
    private static final String NO_EFFECT = "for fstab, no effect";
    private static final int THREADS_MIN = 4;
    private static final int THREADS_MAX = 128;
    private static final int TRANSFER_MIN = 4096;

    /** One option: how it is written, what it does, and how it is taken. */
    private record Option(String form, String meaning, BiConsumer<Draft, String> take) {
        boolean hasValue() {
            return form.indexOf('=') >= 0;
        }
    }

    private static final Map<String, Option> OPTIONS = new TreeMap<>();

    static {
        option("allow_other", "other users get in", (draft, value) -> draft.allowOther = true);
        option("ro", "read only", (draft, value) -> draft.readOnly = true);
        option("rw", "read and write (default)", (draft, value) -> draft.readOnly = false);
        option("nonempty", "mount over a directory that has entries", (draft, value) -> draft.nonEmpty = true);
        option("debug", "print every request", (draft, value) -> draft.debug = true);
        option(
                "consistency=coherent|strict|relaxed",
                "what others' changes are seen when (default coherent)",
                (draft, value) -> draft.consistency = choice(Consistency.class, "consistency", value));
        option(
                "hard",
                "wait 60 s for a server that is down, then EIO (default)",
                (draft, value) -> draft.operationDeadline = HARD);
        option(
                "soft",
                "wait 10 s for a server that is down, then EIO",
                (draft, value) -> draft.operationDeadline = SOFT);
        option(
                "timeout=SECONDS",
                "wait so long for a server that is down",
                (draft, value) ->
                        draft.operationDeadline = Duration.ofSeconds(number("timeout", value, 1, Integer.MAX_VALUE)));
        option(
                "transport=auto|shm|tcp|verbs",
                "how to reach the servers (default auto)",
                (draft, value) -> draft.transport = transport(value));
        option(
                "binding=kernel|jnr",
                "what carries the kernel's requests: its own protocol (default where that works), or libfuse 2",
                (draft, value) -> draft.bindings = List.of(choice(BindingKind.class, "binding", value)));
        option(
                "leases=on|off",
                "the kernel keeps names and attributes until others change them (default on; kernel binding only)",
                (draft, value) -> draft.leases = choice(Switch.class, "leases", value) == Switch.ON);
        option(
                "max_read=BYTES",
                "largest read request",
                (draft, value) -> draft.maxReadBytes = number("max_read", value, TRANSFER_MIN, Integer.MAX_VALUE));
        option(
                "max_write=BYTES",
                "largest write request",
                (draft, value) -> draft.maxWriteBytes = number("max_write", value, TRANSFER_MIN, Integer.MAX_VALUE));
        option(
                "threads=N",
                "threads that wait for requests; more are added while all are busy",
                (draft, value) -> draft.threadCount = number("threads", value, 1, THREADS_MAX));
        option(
                "fsname=NAME",
                "first column of the mount table (default: the cluster's name)",
                (draft, value) -> draft.fileSystemName = fileSystemName(value));
        for (MountFlag flag : MountFlag.values()) {
            option(flag.option(), meaning(flag), (draft, value) -> draft.flags.put(flag, true));
            option(flag.opposite(), NO_EFFECT, (draft, value) -> draft.flags.put(flag, false));
        }
        for (String ignored :
                List.of("defaults", "auto", "noauto", "nofail", "_netdev", "default_permissions", "relatime")) {
            option(ignored, NO_EFFECT, (draft, value) -> {});
        }
    }

    private static String meaning(MountFlag flag) {
        return switch (flag) {
            case NO_SUID ->
                "set-id bits have no effect (default unless root mounts with allow_other; 'suid' allows them)";
            case NO_DEV -> "device nodes cannot be opened (default as for nosuid; 'dev' allows them)";
            case NO_EXEC -> "programs cannot be started";
            case NO_ATIME -> "reading does not change access times";
        };
    }

    private static void option(String form, String meaning, BiConsumer<Draft, String> take) {
        int equals = form.indexOf('=');
        OPTIONS.put(equals < 0 ? form : form.substring(0, equals), new Option(form, meaning, take));
    }

    private static final class Draft {
        boolean allowOther;
        boolean readOnly;
        boolean nonEmpty;
        boolean debug;
        final Map<MountFlag, Boolean> flags = new EnumMap<>(MountFlag.class);
        Consistency consistency = Consistency.COHERENT;
        TransportChoice transport = TransportChoice.AUTO;
        Duration operationDeadline = HARD;
        List<BindingKind> bindings = BindingKind.BY_DEFAULT;
        int maxReadBytes = MountParameters.DEFAULT_TRANSFER_BYTES;
        int maxWriteBytes = MountParameters.DEFAULT_TRANSFER_BYTES;
        int threadCount = Math.clamp(2L * Runtime.getRuntime().availableProcessors(), THREADS_MIN, THREADS_MAX);
        String fileSystemName;
        boolean leases = true;
    }

    private enum Switch {
        ON,
        OFF
    }

    /**
     * Reads the lists given with {@code -o}; of two that contradict each other the later counts.
     *
     * @throws IllegalArgumentException with words for the user
     */
    public static MountConfig parse(List<String> optionLists) {
        Draft draft = new Draft();
        for (String list : optionLists) {
            for (String text : list.split(",", -1)) {
                if (!text.isEmpty()) {
                    take(draft, text);
                }
            }
        }
        return new MountConfig(
                draft.allowOther,
                draft.readOnly,
                draft.nonEmpty,
                draft.debug,
                draft.flags,
                draft.consistency,
                draft.transport,
                draft.operationDeadline,
                draft.bindings,
                draft.maxReadBytes,
                draft.maxWriteBytes,
                draft.threadCount,
                draft.fileSystemName,
                draft.leases);
    }

    private static void take(Draft draft, String text) {
        int equals = text.indexOf('=');
        String name = equals < 0 ? text : text.substring(0, equals);
        if (name.startsWith("x-") || name.startsWith("X-")) {
            return; // for those who read fstab
        }
        Option option = OPTIONS.get(name);
        if (option == null) {
            throw new IllegalArgumentException("unknown mount option '" + name + "'; there are: "
                    + OPTIONS.values().stream().map(Option::form).collect(Collectors.joining(", ")));
        }
        if (option.hasValue() != (equals >= 0)) {
            throw new IllegalArgumentException("mount option '" + name + "' is written " + option.form());
        }
        option.take().accept(draft, text.substring(equals + 1));
    }

    private static <E extends Enum<E>> E choice(Class<E> type, String option, String value) {
        for (E constant : type.getEnumConstants()) {
            if (constant.name().toLowerCase(Locale.ROOT).equals(value)) {
                return constant;
            }
        }
        throw new IllegalArgumentException("mount option " + OPTIONS.get(option).form() + ": not '" + value + "'");
    }

    private static TransportChoice transport(String value) {
        TransportChoice choice = choice(TransportChoice.class, "transport", value);
        if (choice == TransportChoice.LOOPBACK) {
            throw new IllegalArgumentException(
                    "transport=loopback is within one process; a mount uses auto, shm, tcp or verbs");
        }
        return choice;
    }

    private static String fileSystemName(String value) {
        if (value.isEmpty()) {
            throw new IllegalArgumentException("mount option fsname=NAME: the name is empty");
        }
        return value;
    }

    private static int number(String option, String value, int least, int most) {
        try {
            int number = Integer.parseInt(value);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "mount option " + OPTIONS.get(option).form() + ": '" + value + "' is no number", e);
        }
        throw new IllegalArgumentException(
                "mount option " + OPTIONS.get(option).form() + ": " + value + " is not in " + least + " to " + most);
    }

    /** Lines for the help: each option, what it does below it; those without effect not. */
    static List<String> help() {
        return OPTIONS.values().stream()
                .filter(option -> !option.meaning().equals(NO_EFFECT))
                .flatMap(option -> Stream.of("  " + option.form(), "      " + option.meaning()))
                .toList();
    }

    MountParameters parameters(Path directory, String clusterName) throws IOException {
        return parameters(directory, clusterName, CallingUser.isRoot());
    }

    /**
     * For the bindings.
     *
     * @throws IOException with words for the user if he may not mount like this
     */
    MountParameters parameters(Path directory, String clusterName, boolean root) throws IOException {
        String shown = fileSystemName == null ? clusterName.replace(',', '_') : fileSystemName;
        return new MountParameters(
                directory,
                shown.isBlank() ? "octofs" : shown,
                readOnly,
                allowOther,
                flags(root),
                maxReadBytes,
                maxWriteBytes,
                threadCount,
                debug);
    }

    private Set<MountFlag> flags(boolean root) throws IOException {
        Set<MountFlag> set = EnumSet.noneOf(MountFlag.class);
        for (MountFlag flag : MountFlag.values()) {
            // Root mounts for everybody: set-id programs and device nodes then work as on a local file system.
            boolean unsaid = flag.isForSafety() && !(root && allowOther);
            if (flags.getOrDefault(flag, unsaid)) {
                set.add(flag);
            } else if (flag.isForSafety() && !root) {
                throw new IOException("only root may mount with '" + flag.opposite() + "'");
            }
        }
        return set;
    }

    ClientConfig clientConfig(Path directory) {
        String name = "mount " + directory;
        return ClientConfig.builder()
                .name(name.substring(0, Math.min(name.length(), 64)))
                .consistency(consistency)
                .accessTimes(!readOnly && !flags.getOrDefault(MountFlag.NO_ATIME, false))
                .transport(transport)
                .operationDeadline(operationDeadline)
                .build();
    }

    AdapterPolicy policy(FirstThatMounts.Candidate binding) {
        boolean kernel = binding == BindingKind.KERNEL;
        return AdapterPolicy.of(consistency, kernel, kernel && leases);
    }
}
