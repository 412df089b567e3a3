package org.octofs.client.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumMap;
import java.util.Map;

/** Small files of any mounted directory: what fio has no job for. One thread; microseconds per operation. */
enum FileLoops {
    /** A new file of 4 KiB. */
    CREATE("create, write 4 KiB, close") {
        @Override
        void once(Path file, ByteBuffer buffer) throws IOException {
            try (FileChannel channel =
                    FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                channel.write(buffer.clear());
            }
        }
    },
    /** Attributes. */
    STAT("stat") {
        @Override
        void once(Path file, ByteBuffer buffer) throws IOException {
            Files.getAttribute(file, "unix:ino", LinkOption.NOFOLLOW_LINKS);
        }
    },
    /** All of its content. */
    READ("open, read 4 KiB, close") {
        @Override
        void once(Path file, ByteBuffer buffer) throws IOException {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                if (channel.read(buffer.clear()) != BYTES) {
                    throw new IOException(file + " is shorter than it was written");
                }
            }
        }
    },
    /** Gone. */
    UNLINK("unlink") {
        @Override
        void once(Path file, ByteBuffer buffer) throws IOException {
            Files.delete(file);
        }
    };

    private static final int BYTES = 4096;
    private static final int FILES = 2000;

    private final String words;

    FileLoops(String words) {
        this.words = words;
    }

    String words() {
        return words;
    }

    abstract void once(Path file, ByteBuffer buffer) throws IOException;

    /** Runs all of them in a directory, in their order; answers microseconds per operation of each. */
    static Map<FileLoops, Double> run(Path directory) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(BYTES);
        Path folder = Files.createTempDirectory(directory, "octofs-bench");
        Map<FileLoops, Double> micros = new EnumMap<>(FileLoops.class);
        for (FileLoops loop : values()) {
            long start = System.nanoTime();
            for (int i = 0; i < FILES; i++) {
                loop.once(folder.resolve("file-" + i), buffer);
            }
            micros.put(loop, (System.nanoTime() - start) / 1e3 / FILES);
        }
        Files.delete(folder);
        return micros;
    }
}
