package org.octofs.client.bench;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.OpenFile;
import org.octofs.client.client.OpenFlags;
import org.octofs.rpc.protocol.InodeNumber;

/** One caller of {@link IoSuite}: a file of its own and a directory of small files. One thread at a time. */
final class IoCaller implements AutoCloseable {
    private static final int CHUNK_BYTES = 1 << 20;
    private static final int SMALL = 4096;
    private static final int SMALL_FILES_MAX = 4096;
    private static final int MODE = 0600;
    private static final int DIRECTORY_MODE = 0700;

    private final FsClient client;
    private final MemorySegment buffer;
    private final int fileBytes;
    private final byte[] name;
    private final byte[] directoryName;
    private final OpenFile file;
    private final long directory;
    private final Attributes attributes = new Attributes();
    private final SplittableRandom random;
    private int smallFiles;

    IoCaller(FsClient client, int number, int fileBytes, MemorySegment buffer) throws IOException {
        this.client = client;
        this.buffer = buffer;
        this.fileBytes = fileBytes;
        random = new SplittableRandom(number);
        name = name("io." + number);
        directoryName = name("small." + number);
        client.mkdir(InodeNumber.ROOT, directoryName, DIRECTORY_MODE, 0, 0, attributes);
        directory = attributes.ino();
        file = create(InodeNumber.ROOT, name);
        buffer.fill((byte) 4);
        for (int at = 0; at < fileBytes; at += CHUNK_BYTES) {
            client.write(file, at, buffer, 0, CHUNK_BYTES);
        }
        client.fsync(file, true);
    }

    private static byte[] name(String base) {
        return (base + "." + ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII);
    }

    private OpenFile create(long parent, byte[] fileName) throws IOException {
        int flags = OpenFlags.RDWR | OpenFlags.CREAT | OpenFlags.EXCL;
        return client.create(parent, fileName, MODE, 0, 0, flags, attributes);
    }

    void read(long index, int bytes, boolean randomly) throws IOException {
        read(file, place(index, bytes, randomly), bytes);
    }

    private void read(OpenFile from, long offset, int bytes) throws IOException {
        int got = client.read(from, offset, buffer, 0, bytes);
        if (got != bytes) {
            throw new IOException("read " + got + " of " + bytes + " bytes");
        }
    }

    void write(long index, int bytes, boolean randomly) throws IOException {
        client.write(file, place(index, bytes, randomly), buffer, 0, bytes);
    }

    void sync() throws IOException {
        client.fsync(file, true);
    }

    void durableWrite(long index, int bytes) throws IOException {
        write(index, bytes, true);
        sync();
    }

    /** A new file each time, until there are enough; then an old one goes first, which counts too. */
    void createSmallFile(long index) throws IOException {
        int number = (int) (index % SMALL_FILES_MAX);
        byte[] fileName = name("f" + number);
        if (number < smallFiles) {
            client.unlink(directory, fileName);
        }
        OpenFile small = create(directory, fileName);
        client.write(small, 0, buffer, 0, SMALL);
        client.flush(small, 0);
        client.release(small);
        smallFiles = Math.max(smallFiles, number + 1);
    }

    void readSmallFile(long index) throws IOException {
        client.lookup(directory, name("f" + index % smallFiles), attributes);
        OpenFile small = client.open(attributes.ino(), OpenFlags.RDONLY);
        read(small, 0, SMALL);
        client.flush(small, 0);
        client.release(small);
    }

    void removeSmallFiles() throws IOException {
        for (int i = 0; i < smallFiles; i++) {
            client.unlink(directory, name("f" + i));
        }
        smallFiles = 0;
    }

    private long place(long index, int bytes, boolean randomly) {
        int places = fileBytes / bytes;
        return (randomly ? random.nextInt(places) : index % places) * (long) bytes;
    }

    @Override
    public void close() throws IOException {
        removeSmallFiles();
        client.release(file);
        client.unlink(InodeNumber.ROOT, name);
        client.rmdir(InodeNumber.ROOT, directoryName);
    }
}
