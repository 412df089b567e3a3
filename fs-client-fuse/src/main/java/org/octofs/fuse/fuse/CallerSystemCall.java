package org.octofs.fuse.fuse;

import java.util.Map;
import java.util.Set;

/**
 * What the caller is calling, from /proc/TID/syscall (see proc(5)), for the one request that the kernel sends alike for two
 * calls with different answers.
 */
final class CallerSystemCall {
    /** chown, fchown, lchown and fchownat by the numbers of the kernel's tables. */
    private static final Map<String, Set<String>> CHOWN_NUMBERS =
            Map.of("amd64", Set.of("92", "93", "94", "260"), "aarch64", Set.of("54", "55"));

    private CallerSystemCall() {}

    /** Whether the thread is inside of a chown; false where that cannot be told. */
    static boolean isChown(int threadId) {
        return isChown(CallerProc.read(threadId, "syscall"), System.getProperty("os.arch"));
    }

    static boolean isChown(String line, String architecture) {
        int end = line.indexOf(' ');
        return end > 0 && CHOWN_NUMBERS.getOrDefault(architecture, Set.of()).contains(line.substring(0, end));
    }
}
