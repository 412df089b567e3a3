package org.octofs.fuse.kernel;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Whether the thread that waits for an answer has been killed, from /proc: see proc(5). The kernel tells a file system of any
 * signal (FUSE_INTERRUPT), also of one that the caller handles and that must not end its call; of a close at the end of a
 * killed process it tells nothing.
 */
final class CallerFate {
    private static final String PENDING = "SigPnd:";
    private static final long KILL_BIT = 1L << (9 - 1);
    private static final int EXITING = 4;
    private static final int SIGNAL_MASK = 0x7F;
    /** Fields of /proc/PID/stat behind the name in parentheses, which is the second. */
    private static final int FLAGS_FIELD = 9 - 3;

    private static final int EXIT_CODE_FIELD = 52 - 3;

    private CallerFate() {}

    /** False also where nothing is known of it: it has ended, or is in another process name space (0). */
    static boolean isKilled(int threadId) {
        if (threadId == 0) {
            return false;
        }
        Path of = Path.of("/proc", Integer.toString(threadId));
        try {
            return hasKillPending(read(of.resolve("status"))) || endsBySignal(read(of.resolve("stat")));
        } catch (IOException e) {
            return false;
        }
    }

    /** A fatal signal of any number becomes a pending SIGKILL of each thread. */
    static boolean hasKillPending(String status) {
        return status.lines()
                .filter(line -> line.startsWith(PENDING))
                .anyMatch(line ->
                        (Long.parseUnsignedLong(line.substring(PENDING.length()).strip(), 16) & KILL_BIT) != 0);
    }

    /** On its way out, because of a signal: its files are being closed. */
    static boolean endsBySignal(String stat) {
        String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ", -1);
        return fields.length > EXIT_CODE_FIELD
                && (Long.parseLong(fields[FLAGS_FIELD]) & EXITING) != 0
                && (Integer.parseInt(fields[EXIT_CODE_FIELD]) & SIGNAL_MASK) != 0;
    }

    private static String read(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.ISO_8859_1);
    }
}
