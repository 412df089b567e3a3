package org.octofs.client.dev;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What the kernel says is mounted, from /proc/self/mountinfo (proc(5)). */
final class MountTable {
    private MountTable() {}

    /** Whether a FUSE file system is mounted at {@code directory}; works for dead mounts too, as it does not touch them. */
    static boolean isFuseMounted(Path directory) throws IOException {
        return fuseMounts().contains(directory.toString());
    }

    private static List<String> fuseMounts() throws IOException {
        List<String> found = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of("/proc/self/mountinfo"), StandardCharsets.ISO_8859_1)) {
            int separator = line.indexOf(" - ");
            if (separator > 0 && line.startsWith("fuse", separator + 3)) {
                found.add(unescape(line.split(" ", -1)[4]));
            }
        }
        return found;
    }

    /** Blanks, tabs, newlines and backslashes are written as three octal digits. */
    private static String unescape(String field) {
        byte[] raw = field.getBytes(StandardCharsets.ISO_8859_1);
        byte[] out = new byte[raw.length];
        int length = 0;
        for (int i = 0; i < raw.length; i++) {
            if (raw[i] == '\\' && i + 3 < raw.length) {
                out[length++] = (byte) Integer.parseInt(field.substring(i + 1, i + 4), 8);
                i += 3;
            } else {
                out[length++] = raw[i];
            }
        }
        return new String(out, 0, length, StandardCharsets.UTF_8);
    }
}
