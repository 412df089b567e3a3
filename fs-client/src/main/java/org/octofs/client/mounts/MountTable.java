package org.octofs.client.mounts;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.octofs.rpc.protocol.Errno;

/**
 * What this process sees mounted, and taking something out of it. Looking never touches the mounted file systems, which may be
 * dead or served by this very process.
 */
public final class MountTable {
    private static final Path MOUNT_INFO = Path.of("/proc/self/mountinfo");
    private static final int UMOUNT_DETACH = 2;
    private static final int TOOL_SECONDS = 20;

    /** The encoding in which this JVM turns paths into bytes and back. */
    private static final Charset PATH_ENCODING = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

    private static final MemoryLayout CALL_STATE = Linker.Option.captureStateLayout();
    private static final MethodHandle UMOUNT2 = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().find("umount2").orElseThrow(),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
                    Linker.Option.captureCallState("errno"));

    /**
     * One line of the table.
     *
     * @param device major:minor, which no other mount has while this one lives
     * @param directoryField the directory as the table writes it
     * @param type such as fuse.octofs
     * @param source what it shows as mounted
     */
    public record Entry(String device, String directoryField, Path directory, String type, String source) {
        public boolean isOctoFs() {
            return type.equals("fuse.octofs");
        }

        /** Whether a process serves it, or served it. */
        public boolean isFuse() {
            return type.startsWith("fuse");
        }
    }

    private MountTable() {}

    /** All mounts, in the order in which they were made: the last of a directory is the one seen. */
    public static List<Entry> entries() throws IOException {
        return parse(new String(Files.readAllBytes(MOUNT_INFO), StandardCharsets.ISO_8859_1));
    }

    /** The mount that is seen at exactly this directory; the path must be absolute and without links. */
    public static Optional<Entry> find(Path directory) throws IOException {
        return entries().stream()
                .filter(entry -> entry.directory().equals(directory))
                .reduce((first, second) -> second);
    }

    /** Parses mountinfo, whose bytes are given as Latin-1. */
    static List<Entry> parse(String text) {
        List<Entry> entries = new ArrayList<>();
        for (String line : text.split("\n", -1)) {
            String[] fields = line.split(" ", -1);
            int separator = 6;
            while (separator < fields.length && !fields[separator].equals("-")) {
                separator++;
            }
            if (separator + 2 < fields.length) {
                entries.add(new Entry(
                        fields[2],
                        fields[4],
                        Path.of(decode(fields[4])),
                        fields[separator + 1],
                        decode(fields[separator + 2])));
            }
        }
        return entries;
    }

    /** The kernel writes space, tab, newline and backslash as three octal digits. */
    private static String decode(String field) {
        byte[] bytes = new byte[field.length()];
        int length = 0;
        for (int i = 0; i < field.length(); i++) {
            char c = field.charAt(i);
            if (c == '\\' && i + 3 < field.length()) {
                bytes[length++] = (byte) Integer.parseInt(field, i + 1, i + 4, 8);
                i += 3;
            } else {
                bytes[length++] = (byte) c;
            }
        }
        return new String(bytes, 0, length, PATH_ENCODING);
    }

    /**
     * Unmounts, by the system call or, for a user who may not, by fusermount.
     *
     * @param lazily also if it is in use
     * @throws IOException with words for the user
     */
    public static void unmount(Path directory, boolean lazily) throws IOException {
        int errno;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(CALL_STATE);
            MemorySegment path = arena.allocateFrom(directory.toString(), PATH_ENCODING);
            int answer = (int) UMOUNT2.invokeExact(state, path, lazily ? UMOUNT_DETACH : 0);
            errno = answer == 0 ? 0 : state.get(ValueLayout.JAVA_INT, 0);
        } catch (Throwable e) {
            throw new AssertionError("native call failed", e);
        }
        switch (Errno.of(errno)) {
            case OK -> {}
            case EBUSY -> throw busy(directory);
            case EINVAL -> throw new IOException(directory + " is not mounted");
            case EPERM -> unmountByTool(directory, lazily);
            default -> throw new IOException("cannot unmount " + directory + ": errno " + errno);
        }
    }

    private static IOException busy(Path directory) {
        return new IOException(
                directory + " is in use: end the programs that have files open or stand in it (fuser -vm " + directory
                        + " lists them), or unmount lazily");
    }

    private static void unmountByTool(Path directory, boolean lazily) throws IOException {
        IOException missing = null;
        for (String tool : List.of("fusermount", "fusermount3")) {
            List<String> command = new ArrayList<>(List.of(tool, "-u"));
            if (lazily) {
                command.add("-z");
            }
            command.add(directory.toString());
            try {
                runTool(command);
                return;
            } catch (ToolMissing e) {
                missing = e;
            }
        }
        throw new IOException(
                "cannot unmount " + directory + " without root or fusermount: install fuse or fuse3", missing);
    }

    private static void runTool(List<String> command) throws IOException {
        Process process;
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            throw new ToolMissing(e);
        }
        try (var output = process.getInputStream()) {
            String said = new String(output.readAllBytes(), StandardCharsets.UTF_8).strip();
            if (!process.waitFor(TOOL_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException(command.getFirst() + " did not end in " + TOOL_SECONDS + " s");
            }
            if (process.exitValue() != 0) {
                throw new IOException(said.isEmpty() ? String.join(" ", command) + " failed" : said);
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted in " + String.join(" ", command), e);
        }
    }

    private static final class ToolMissing extends IOException {
        private static final long serialVersionUID = 1;

        ToolMissing(IOException cause) {
            super(cause);
        }
    }
}
