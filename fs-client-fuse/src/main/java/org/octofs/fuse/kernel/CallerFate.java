package org.octofs.fuse.kernel;

import org.octofs.fuse.fuse.CallerProc;

/**
 * Whether the thread that waits for an answer has been killed, from /proc: see proc(5). The kernel tells a file system of any
 * signal (FUSE_INTERRUPT), also of one that the caller handles and that must not end its call; of a close at the end of a
 * killed process it tells nothing.
 */
final class CallerFate {
    private static final long KILL_BIT = 1L << (9 - 1);
    private static final int EXITING = 4;
    private static final int SIGNAL_MASK = 0x7F;
    /** Fields of /proc/PID/stat behind the name in parentheses, which is the second. */
    private static final int FLAGS_FIELD = 9 - 3;

    private static final int EXIT_CODE_FIELD = 52 - 3;

    private CallerFate() {}

    /** False also where nothing is known of it: it has ended, or is in another process name space (0). */
    static boolean isKilled(int threadId) {
        return hasKillPending(CallerProc.read(threadId, "status")) || endsBySignal(CallerProc.read(threadId, "stat"));
    }

    /** A fatal signal of any number becomes a pending SIGKILL of each thread. */
    static boolean hasKillPending(String status) {
        String pending = CallerProc.field(status, "SigPnd");
        return !pending.isEmpty() && (Long.parseUnsignedLong(pending, 16) & KILL_BIT) != 0;
    }

    /** On its way out, because of a signal: its files are being closed. */
    static boolean endsBySignal(String stat) {
        String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ", -1);
        return fields.length > EXIT_CODE_FIELD
                && (Long.parseLong(fields[FLAGS_FIELD]) & EXITING) != 0
                && (Integer.parseInt(fields[EXIT_CODE_FIELD]) & SIGNAL_MASK) != 0;
    }
}
