package org.octofs.fuse.fuse;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** What /proc says of the thread that asks, see proc(5). */
public final class CallerProc {
    private CallerProc() {}

    /** A file below /proc/TID; empty where nothing is known: it has ended, or is in another process name space (0). */
    public static String read(int threadId, String file) {
        if (threadId == 0) {
            return "";
        }
        try {
            return Files.readString(Path.of("/proc", Integer.toString(threadId), file), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    /** What is behind "NAME:" in a status; empty if that is not there. */
    public static String field(String status, String name) {
        return status.lines()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst()
                .orElse("");
    }
}
