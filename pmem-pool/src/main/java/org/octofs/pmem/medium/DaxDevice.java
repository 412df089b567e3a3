package org.octofs.pmem.medium;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Device DAX ({@code /dev/dax0.0}): persistent memory as a character device. It has no file system, so it cannot be created,
 * read or written, only mapped; its size is the kernel's, and a pool takes all of it. It is the one persistent memory that a
 * network card may hold registered.
 */
final class DaxDevice {
    /** What takes the place of the file system's name. */
    static final String TYPE = "device DAX";

    private static final Path DEVICES = Path.of("/sys/dev/char");

    private DaxDevice() {}

    /** Whether the path is such a device; false for what does not exist. */
    static boolean is(Path path) {
        return is(path, DEVICES);
    }

    static boolean is(Path path, Path devices) {
        try {
            Path subsystem = entry(path, devices).resolve("subsystem");
            return Files.exists(subsystem) && subsystem.toRealPath().endsWith("dax");
        } catch (IOException | UnsupportedOperationException e) {
            return false; // not there, or not on a Unix file system
        }
    }

    /** Size in bytes. */
    static long sizeBytes(Path path) throws IOException {
        return sizeBytes(path, DEVICES);
    }

    static long sizeBytes(Path path, Path devices) throws IOException {
        String text = Files.readString(entry(path, devices).resolve("size")).trim();
        try {
            return Long.decode(text);
        } catch (NumberFormatException e) {
            throw new IOException(path + " has the size '" + text + "', which is no number", e);
        }
    }

    /** The kernel's directory on the device, by its number. */
    private static Path entry(Path path, Path devices) throws IOException {
        long number = ((Number) Files.getAttribute(path, "unix:rdev")).longValue();
        long major = ((number >> 8) & 0xFFF) | ((number >> 32) & ~0xFFFL);
        long minor = (number & 0xFF) | ((number >> 12) & ~0xFFL);
        return devices.resolve(major + ":" + minor);
    }
}
