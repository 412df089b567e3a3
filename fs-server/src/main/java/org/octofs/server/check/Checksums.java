package org.octofs.server.check;

import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;

/** CRC32C over pieces of memory. Confined to the check. */
final class Checksums {
    private Checksums() {}

    /** Of the bytes from {@code from} up to {@code to}. */
    static int of(MemorySegment memory, long from, long to) {
        CRC32C crc = new CRC32C();
        crc.update(memory.asSlice(from, to - from).asByteBuffer());
        return (int) crc.getValue();
    }
}
