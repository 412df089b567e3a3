package org.octofs.client.dev;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** What the kernel says is mounted, from /proc/self/mountinfo (proc(5)). */
final class MountTable {
    private static final int DEVICE_FIELD = 2;
    private static final int DIRECTORY_FIELD = 4;

    private MountTable() {}

    /** Whether a FUSE file system is mounted at {@code directory}; works for dead mounts too, as it does not touch them. */
    static boolean isFuseMounted(Path directory) throws IOException {
        return fuseDevice(directory).isPresent();
    }

    /** major:minor of the FUSE file system that is seen at {@code directory}, the last one mounted there. */
    static Optional<String> fuseDevice(Path directory) throws IOException {
        Optional<String> found = Optional.empty();
        for (String line : Files.readAllLines(Path.of("/proc/self/mountinfo"), StandardCharsets.ISO_8859_1)) {
            String[] fields = line.split(" ", -1);
            int separator = line.indexOf(" - ");
            if (separator > 0 && unescape(fields[DIRECTORY_FIELD]).equals(directory.toString())) {
                found = line.startsWith("fuse", separator + 3) ? Optional.of(fields[DEVICE_FIELD]) : Optional.empty();
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
