package org.octofs.tests.system;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/** A number that tells whether anything on the media has changed, the size too. */
final class PoolChecksum {
    private static final int BUFFER_BYTES = 1 << 20;

    private PoolChecksum() {}

    static long of(Path pool) throws IOException {
        CRC32C crc = new CRC32C();
        ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
        long bytes = 0;
        try (FileChannel file = FileChannel.open(pool, StandardOpenOption.READ)) {
            for (int n = file.read(buffer); n >= 0; n = file.read(buffer.clear())) {
                crc.update(buffer.flip());
                bytes += n;
            }
        }
        return bytes << Integer.SIZE | crc.getValue();
    }
}
