package org.octofs.fuse.fuse;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Who this process is. */
public final class CallingUser {
    private static final Path STATUS = Path.of("/proc/self/status");

    private CallingUser() {}

    /** Whether it may call mount(2), as far as its effective user number says. */
    public static boolean isRoot() {
        try {
            return Files.readAllLines(STATUS, StandardCharsets.ISO_8859_1).stream()
                    .filter(line -> line.startsWith("Uid:"))
                    .anyMatch(line -> line.split("\\s+", -1)[2].equals("0"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
