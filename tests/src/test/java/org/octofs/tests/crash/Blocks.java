package org.octofs.tests.crash;

import java.util.zip.CRC32C;

/** Contents of blocks, made from a seed. */
final class Blocks {
    static final int BYTES = 4096;

    private Blocks() {}

    /** The content of block {@code fileBlock} in a write with this seed; different in every line. */
    static byte[] of(int seed, long fileBlock) {
        byte[] block = new byte[BYTES];
        for (int i = 0; i < BYTES; i++) {
            block[i] = (byte) (seed * 31L + fileBlock * 7 + i / 8 + 1);
        }
        return block;
    }

    /** So many bytes, none of them zero. */
    static byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        for (int i = 0; i < count; i++) {
            bytes[i] = (byte) (i / 8 % 100 + 1);
        }
        return bytes;
    }

    static int checksum(byte[] bytes) {
        return checksum(bytes, bytes.length);
    }

    static int checksum(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }
}
