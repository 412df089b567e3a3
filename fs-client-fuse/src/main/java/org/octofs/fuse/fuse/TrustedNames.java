package org.octofs.fuse.fuse;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Leaves trusted attributes out of lists for callers that could not read them, as local file systems do: the kernel refuses the
 * values by itself, but it passes lists on as they are.
 *
 * <p>Thread-safe. Cost: only where there is such a name, some reads of /proc.
 */
final class TrustedNames {
    private static final byte[] TRUSTED = "trusted.".getBytes(StandardCharsets.US_ASCII);
    private static final long SYS_ADMIN = 1L << 21;

    private TrustedNames() {}

    /** The names, each followed by NUL, that {@code caller} may see. */
    static byte[] shown(byte[] names, RequestContext caller) {
        return hasTrusted(names) && !isAdministrator(caller) ? without(names) : names;
    }

    private static boolean hasTrusted(byte[] names) {
        for (int at = 0; at < names.length; at = next(names, at)) {
            if (isTrusted(names, at)) {
                return true;
            }
        }
        return false;
    }

    static byte[] without(byte[] names) {
        ByteArrayOutputStream kept = new ByteArrayOutputStream(names.length);
        for (int at = 0; at < names.length; at = next(names, at)) {
            if (!isTrusted(names, at)) {
                kept.write(names, at, next(names, at) - at);
            }
        }
        return kept.toByteArray();
    }

    private static int next(byte[] names, int at) {
        int end = at;
        while (end < names.length && names[end] != 0) {
            end++;
        }
        return Math.min(end + 1, names.length);
    }

    private static boolean isTrusted(byte[] names, int at) {
        int end = at + TRUSTED.length;
        return end <= names.length && Arrays.equals(names, at, end, TRUSTED, 0, TRUSTED.length);
    }

    /** Whether the caller has CAP_SYS_ADMIN outside of any user name space of its own; by its number where that cannot be seen. */
    private static boolean isAdministrator(RequestContext caller) {
        String capabilities = CallerProc.field(CallerProc.read(caller.pid, "status"), "CapEff");
        return capabilities.isEmpty() ? caller.uid == 0 : hasAdministration(capabilities) && isInOurUsers(caller);
    }

    static boolean hasAdministration(String capabilities) {
        return (Long.parseUnsignedLong(capabilities, 16) & SYS_ADMIN) != 0;
    }

    private static boolean isInOurUsers(RequestContext caller) {
        try {
            return Files.readSymbolicLink(Path.of("/proc", Integer.toString(caller.pid), "ns/user"))
                    .equals(Files.readSymbolicLink(Path.of("/proc/self/ns/user")));
        } catch (IOException e) {
            return caller.uid == 0;
        }
    }
}
