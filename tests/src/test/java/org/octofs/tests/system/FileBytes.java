package org.octofs.tests.system;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Arrays;

/** Reads all of what is asked for. */
final class FileBytes {
    private FileBytes() {}

    /** Bytes from {@code offset} on; fewer than {@code length} at the end of the file only. */
    static byte[] read(FileChannel channel, long offset, int length) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(length);
        int count;
        do {
            count = channel.read(buffer, offset + buffer.position());
        } while (count > 0 && buffer.hasRemaining());
        return Arrays.copyOf(buffer.array(), buffer.position());
    }
}
