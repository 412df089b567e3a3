package org.octofs.client.cli;

/** Byte counts for people, in binary units. */
final class ByteCount {
    static final long BLOCK_BYTES = 4096;

    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    private static final double STEP = 1024;

    private ByteCount() {}

    static String of(long bytes) {
        double value = bytes;
        int unit = 0;
        while (value >= STEP && unit < UNITS.length - 1) {
            value /= STEP;
            unit++;
        }
        return unit == 0 ? bytes + " B" : "%.1f %s".formatted(value, UNITS[unit]);
    }
}
