package org.octofs.pmem.log;

import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** How numbers of the log's structures lie in memory. */
final class Bits {
    static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Bits() {}

    static int roundUp(int value, int powerOfTwo) {
        return (value + powerOfTwo - 1) & -powerOfTwo;
    }

    /** CRC32C of everything in the structure behind its leading checksum word. */
    static int recordChecksum(CRC32C checksum, ByteBuffer bytes, int offset, int lengthBytes) {
        checksum.reset();
        bytes.limit(offset + lengthBytes).position(offset + Integer.BYTES);
        checksum.update(bytes);
        bytes.clear();
        return (int) checksum.getValue();
    }
}
