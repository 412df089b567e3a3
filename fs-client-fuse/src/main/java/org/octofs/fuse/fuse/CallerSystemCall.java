package org.octofs.fuse.fuse;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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
        if (threadId == 0) {
            return false;
        }
        try {
            String line = Files.readString(
                    Path.of("/proc", Integer.toString(threadId), "syscall"), StandardCharsets.ISO_8859_1);
            return isChown(line, System.getProperty("os.arch"));
        } catch (IOException e) {
            return false;
        }
    }

    static boolean isChown(String line, String architecture) {
        int end = line.indexOf(' ');
        return end > 0 && CHOWN_NUMBERS.getOrDefault(architecture, Set.of()).contains(line.substring(0, end));
    }
}
