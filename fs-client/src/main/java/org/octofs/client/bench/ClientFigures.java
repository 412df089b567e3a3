package org.octofs.client.bench;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.ClientConfig;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.OpenFile;
import org.octofs.client.client.OpenFlags;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.protocol.InodeNumber;

/** The same work through the client library, on a file of the same size in a cluster. One thread. */
final class ClientFigures implements AutoCloseable {
    private static final int CHUNK_BYTES = 1 << 20;
    private static final int MODE = 0600;

    private final FsClient client;
    private final MemorySegment buffer;
    private final byte[] name;
    private final OpenFile file;
    private final int fileBytes;
    private final SplittableRandom random = new SplittableRandom(2);

    /** Works on local memory of at least 1 MiB. */
    ClientFigures(ClusterMap map, TransportChoice transport, int fileBytes, MemorySegment buffer) throws IOException {
        this.buffer = buffer;
        this.fileBytes = fileBytes;
        client = FsClient.connect(
                map, ClientConfig.builder().name("bench").transport(transport).build());
        name = ("bench." + ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII);
        file = client.create(
                InodeNumber.ROOT,
                name,
                MODE,
                0,
                0,
                OpenFlags.RDWR | OpenFlags.CREAT | OpenFlags.EXCL,
                new Attributes());
        buffer.fill((byte) 4);
        for (int at = 0; at < fileBytes; at += CHUNK_BYTES) {
            client.write(file, at, buffer, 0, CHUNK_BYTES);
        }
        client.fsync(file, true);
    }

    void read(long index, int bytes, boolean randomly) throws IOException {
        int got = client.read(file, place(index, bytes, randomly), buffer, 0, bytes);
        if (got != bytes) {
            throw new IOException("read " + got + " of " + bytes + " bytes");
        }
    }

    void write(long index, int bytes, boolean randomly) throws IOException {
        client.write(file, place(index, bytes, randomly), buffer, 0, bytes);
    }

    void durableWrite(long index, int bytes) throws IOException {
        client.write(file, place(index, bytes, true), buffer, 0, bytes);
        client.fsync(file, true);
    }

    void stat(long index) throws IOException {
        client.getAttributes(file.ino(), new Attributes());
    }

    /** A new file each time, removed when it was measured. */
    Meter.Undone creates() {
        return new Meter.Undone() {
            private final Attributes attributes = new Attributes();
            private OpenFile made;

            @Override
            public void run(long index) throws IOException {
                int flags = OpenFlags.RDWR | OpenFlags.CREAT | OpenFlags.EXCL;
                made = client.create(InodeNumber.ROOT, newName(index), MODE, 0, 0, flags, attributes);
            }

            @Override
            public void undo(long index) throws IOException {
                client.release(made);
                client.unlink(InodeNumber.ROOT, newName(index));
            }

            private byte[] newName(long index) {
                return ("new." + index).getBytes(StandardCharsets.US_ASCII);
            }
        };
    }

    private long place(long index, int bytes, boolean randomly) {
        int places = fileBytes / bytes;
        return (randomly ? random.nextInt(places) : index % places) * (long) bytes;
    }

    @Override
    public void close() throws IOException {
        try {
            client.release(file);
            client.unlink(InodeNumber.ROOT, name);
        } finally {
            client.close();
        }
    }
}
